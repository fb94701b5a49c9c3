export * from "./accrual";
export * from "./billable";
export * from "./priceBook";
export * from "./show";
export * from "./sum";
