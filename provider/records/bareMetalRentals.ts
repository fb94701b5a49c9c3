export * from "../resources/bareMetalRental/record";
