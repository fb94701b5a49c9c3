export * from "./configuredOperations";
export * from "./discovery";
export * from "./missingObject";
export * from "./openApi";
export * from "./otherForms";
export * from "./sightings";
