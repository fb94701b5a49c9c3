export * from "../resources";
export * from "../resources/marketplaceInstance/machines";
