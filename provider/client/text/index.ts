export * from "./errorBody";
export * from "./problems";
