export { EmulatorClock } from "./clock";
export type * from "./facts";
export { FileJournal, noJournal } from "./journal";
export { answersToSsh, SshEndpoints, type SshMachine, type SshShell } from "./ssh";
export { statusAt } from "./status";
export { Store } from "./store";
export {
  begin,
  beginFailing,
  end,
  endsByFailing,
  isEnding,
  isLive,
  isPresent,
  type Life,
  phaseAt,
} from "./transitions";
export { type Call, type HandlerFaults, noHandlerFaults, type World } from "./world";
