export { EmulatorClock } from "./clock";
export type {
  Fact,
  InferenceFacts,
  MarketplaceInstanceFacts,
  PriceFacts,
  RentalFacts,
  StorageVolumeFacts,
} from "./facts";
export { FileJournal, noJournal } from "./journal";
export { answersToSsh, SshEndpoints, type SshMachine, sshEndpoint } from "./ssh";
export { Store } from "./store";
export {
  begin,
  beginFailing,
  end,
  endsByFailing,
  isEnding,
  isLive,
  isPresent,
  type Kind,
  type Life,
  phaseAt,
  statusAt,
} from "./transitions";
export { type Call, type HandlerFaults, noHandlerFaults, type World } from "./world";
