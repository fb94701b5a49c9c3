import type { ObjectState } from "../../../emulator";
import type { Client } from "../../../provider/client";

/** What happens to resources of one class, as a table. */
export interface ResourceStory {
  /** The class of the SDK. */
  resource: string;
  kind: ObjectState["kind"];
  /** Arguments by name of the resource, before and after. */
  before: Readonly<Record<string, object>>;
  /** Those in `replaced` and `updated` differ from `before`. */
  after: Readonly<Record<string, object>>;
  replaced: readonly string[];
  updated: readonly string[];
  /** Ends one behind the provider's back. */
  end(client: Client, id: string): Promise<unknown>;
}
