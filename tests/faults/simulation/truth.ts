import { AsyncLocalStorage } from "node:async_hooks";
import type { TransportAnswer, TransportRequest } from "../../../provider/client";
import { bodyOf, member, parse, textOf } from "./answers";
import { creates, purposeOf } from "./requests";
import { idOf } from "./separateNames";

/** The operation of the engine in which a request is sent. */
export interface RunningOperation {
  /** The name of the resource. */
  name: string;
  urn: string;
}

/** Which operation the code that runs belongs to. The service cannot tell; the harness must. */
export const runningOperation = new AsyncLocalStorage<RunningOperation>();

/** Something that a request of this stack has made, as only the service knows it. */
export interface MadeObject {
  type: string;
  id: string;
  label: string | undefined;
  /** For which resource. */
  name: string;
  urn: string;
  operation: RunningOperation;
  /** The rental that it was made along with. */
  rentalId?: string | undefined;
  rentalLabel?: string | undefined;
  /** Whether the service has refused the request that made it, after all. */
  isRefused?: boolean;
  /** Whether a proxy has repeated the request that made it. */
  isTwin: boolean;
}

/** What this answer of the service, as it left the service, says was made. The answer is read, so another one is handed back. */
export async function readMade(
  request: TransportRequest,
  answer: TransportAnswer,
  isTwin: boolean,
): Promise<{ answer: TransportAnswer; made: MadeObject[] }> {
  if (purposeOf(request) !== "create" || answer.status >= 300) return { answer, made: [] };
  const text = await textOf(answer);
  const value = parse(text);
  const operation = runningOperation.getStore() ?? { name: "", urn: "" };
  const type = creates[new URL(request.url).pathname] ?? "";
  const id = ["storageVolumeId", "instance_id", "instance_name", "instanceName", "id"]
    .map((name) => member(value, name))
    .find((one) => one !== undefined);
  const asked = parse(request.body ?? "");
  const common = { name: operation.name, urn: operation.urn, operation, isTwin };
  const object: MadeObject = { ...common, type, id: idOf(String(id)), label: textIn(member(asked, "label")) };
  const inline = inlineVolumesOf(asked, value).map(
    (volume): MadeObject => ({
      ...common,
      type: "StorageVolume",
      ...volume,
      rentalId: object.id,
      rentalLabel: object.label,
    }),
  );
  return { answer: { ...answer, body: bodyOf(text) }, made: id === undefined ? [] : [object, ...inline] };
}

function inlineVolumesOf(asked: unknown, value: unknown): { id: string; label: string | undefined }[] {
  const volume = member(asked, "storageVolume");
  const attached = member(member(value, "meta"), "attached_storage");
  if (member(volume, "isNew") !== true || !Array.isArray(attached)) return [];
  return attached.map((one) => ({ id: String(member(one, "id")), label: textIn(member(volume, "label")) }));
}

function textIn(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
