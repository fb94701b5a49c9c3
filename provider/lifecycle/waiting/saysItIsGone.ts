/** What a machine and a volume are called. Each may be missing while the other is there. */
const machine = "rentals?|vms?|virtual[- ]machines?(?: rentals?)?|instances?|machines?|servers?";
const volume = "volumes?";

const words = "terminated|terminating|ended|deleted|gone|removed|destroyed|cancell?ed";
const gone =
  "(?:(?:(?:is|was|could) )?not (?:be )?found|does(?: not|n't) exist|no longer exists" +
  `|(?:(?:is|was|has|been|being|already) )*(?:${words}))\\b`;
/** Not "host machine", nor "the image of the VM". */
const before =
  "(?:^|[^\\w\\s-] *|(?<!\\bof )\\b(?:the|this|your|requested|specified|given|gpu|bare[- ]metal|storage|marketplace|on-demand) )";
const id = "[\\w-]+";
const isNoId = "(?!(?:not|no|is|was|has|been|being|could|does|doesn|already|with|id)\\b)";

interface Sentences {
  /** "rental 1001 not found", "VM has already ended": with the id in them, where they name it. */
  ofNoun: RegExp;
  noSuch: RegExp;
}

function sentencesOf(nouns: string): Sentences {
  const named = `(?:[ :#-]+(?:with )?(?:id[ :#]*)?["']?${isNoId}(?<id>${id})["']?)?`;
  return {
    ofNoun: new RegExp(`${before}(?:${nouns})\\b${named}:? ${gone}`, "gi"),
    noSuch: new RegExp(`\\bno such (?:storage )?(?:${nouns})\\b${named}(?! ?\\w)`, "gi"),
  };
}

const ofMachine = sentencesOf(machine);
const ofVolume = sentencesOf(volume);
const ofId = new RegExp(`(?:^|[^\\w\\s-] *|\\bid[ :#]*)["'#(]*(?<id>${id})["')]*:? ${gone}`, "gi");
const ofNothing = new RegExp(`^(?:it (?:is|was|has) )?already (?:been |being )?(?:${words})\\b`, "i");

/** What else may be missing while the machine runs on. */
const speaksOfOthers = /\b(account|billing|organi[sz]ation|user|project|key|token|team|customer)\b/i;

/**
 * Whether a refusal says, in words about the very thing that was to end, that there is nothing to end. "VM is already locked" does
 * not, nor does "boot volume not found" of a machine.
 */
export function saysItIsGone(reason: string, what: { id: string; isVolume: boolean }): boolean {
  if (speaksOfOthers.test(reason)) return false;
  const { ofNoun, noSuch } = what.isVolume ? ofVolume : ofMachine;
  const idsIn = (sentence: RegExp) => [...reason.matchAll(sentence)].map((found) => found.groups?.["id"]);
  const isMeant = (name: string | undefined) => name === undefined || name === what.id;
  return [...idsIn(ofNoun), ...idsIn(noSuch)].some(isMeant) || idsIn(ofId).includes(what.id) || ofNothing.test(reason);
}
