export * from "./billable";
export * from "./briefly";
export * from "./eachOnce";
export * from "./periods";
export * from "./priceBook";
export * from "./row";
export * from "./spent";
export * from "./sum";
