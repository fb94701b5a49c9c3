export * from "./volumeAttachment/resource";
