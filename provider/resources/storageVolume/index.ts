export * from "./attachments";
export * from "./record";
export * from "./resource";
