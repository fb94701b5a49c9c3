import type { Emulator } from "./createEmulator";
import type { EmulatorOptions } from "./options";

export { ConnectionCut } from "./connectionCut";
export type { Emulator } from "./createEmulator";
export type { Address, FaultSpec, InjectAnswer, InjectRequest } from "./http";
export type { ObjectState } from "./inspect";
export {
  type DialectName,
  defaults,
  dialectNames,
  type EmulatorOptions,
  type SshServerOptions,
  type VolumeIdForm,
  volumeIdForms,
} from "./options";

/** An emulator of the whole service in this process. */
export function createEmulator(options: EmulatorOptions = {}): Emulator {
  // Loaded when first called: the command line shows the options in its help without loading the service.
  const loaded: typeof import("./createEmulator") = require("./createEmulator");
  return loaded.createEmulator(options);
}
