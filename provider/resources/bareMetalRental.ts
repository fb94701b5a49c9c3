export * from "./bareMetalRental/resource";
