/** What a request asks of the service, whatever the dialect. */
import type { TransportRequest } from "../../../provider/client";
import { paths } from "../../lifecycle/rig";
import { member, parse } from "./answers";
import { idOf } from "./separateNames";

export const purposes = ["description", "list", "create", "attach", "end"] as const;
export type Purpose = (typeof purposes)[number];

/** The request that makes something of each type. */
export const creates: Readonly<Record<string, string>> = {
  [paths.bareMetal]: "BareMetalRental",
  [paths.vm]: "VmRental",
  [paths.volumes]: "StorageVolume",
  [paths.createInstance]: "MarketplaceInstance",
};

const lists = [paths.bareMetal, paths.vm, paths.volumes, paths.instances];

export function purposeOf({ method, url }: Pick<TransportRequest, "method" | "url">): Purpose {
  const path = new URL(url, "http://service").pathname;
  if (path.endsWith("/openapi.json")) return "description";
  if (method === "GET" || path === paths.machines || path === paths.instances) return "list";
  if (method === "POST" && path in creates) return "create";
  return path === paths.attach ? "attach" : "end";
}

/** Whether it lists what the account has. */
export function isListOfOwn(request: TransportRequest): boolean {
  return purposeOf(request) === "list" && lists.includes(new URL(request.url).pathname);
}

/** The path of the list that has what a request is about, in every dialect. */
export function listWith({ url }: Pick<TransportRequest, "url">): string | undefined {
  const { pathname } = new URL(url);
  return lists.find((path) => pathname.startsWith(path));
}

/** The type and id of what a request is to end, in every dialect; undefined where it is no such request. */
export function endedBy({ method, url, body }: TransportRequest): { type: string; id: string } | undefined {
  const { pathname } = new URL(url);
  if (purposeOf({ method, url }) !== "end" || pathname === paths.detach) return undefined;
  const type = collections[listWith({ url }) ?? ""];
  const asked = parse(body ?? "");
  const id = ["rentalId", "storageVolumeId", "id"].map((name) => member(asked, name)).find((one) => one !== undefined);
  return type === undefined ? undefined : { type, id: idOf(String(id ?? pathname.split("/").at(-1))) };
}

const collections: Readonly<Record<string, string>> = {
  [paths.bareMetal]: "BareMetalRental",
  [paths.vm]: "VmRental",
  [paths.volumes]: "StorageVolume",
  [paths.instances]: "MarketplaceInstance",
};

/** The path of the list that shows what is of this type. */
export function listOf(type: string): string {
  return Object.keys(collections).find((path) => collections[path] === type) ?? "";
}

/** `POST /v2/…/bare-metal-rentals` */
export function describeRequest({ method, url }: TransportRequest): string {
  return `${method} ${new URL(url).pathname}`;
}
