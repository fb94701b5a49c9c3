export * from "../shared/money";
