export * from "../resources/vmRental/record";
