export { EmulatorClock } from "./clock";
export type {
  Fact,
  InferenceFacts,
  InstanceFacts,
  PriceFacts,
  RentalFacts,
  VolumeFacts,
} from "./facts";
export { FileJournal, noJournal } from "./journal";
export { answersToSsh, SshEndpoints, sshEndpoint } from "./ssh";
export { Store } from "./store";
export {
  begin,
  beginDoomed,
  end,
  endsByFailing,
  isLive,
  isPresent,
  type Kind,
  type Life,
  phaseAt,
  statusAt,
} from "./transitions";
export { type Call, type HandlerFaults, noHandlerFaults, type World } from "./world";
