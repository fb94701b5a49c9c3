export * from "../resources/marketplaceInstance/machines";
