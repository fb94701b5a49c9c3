import { type Front, nativeFront } from "../front";
import * as dynamic from "../provider";

/** A service or an account of its own, for what the plugin provides. */
export class Provider extends dynamic.Provider {
  protected static override readonly front: Front = nativeFront;
}
