import type { Transport, TransportRequest } from "../../../provider/client";
import type { Service } from "../../../provider/lifecycle";
import { baseUrl, createRig, type Rig } from "../../lifecycle/rig";
import { bodyOf, parse, textOf, withItems } from "./answers";
import type { Circumstances } from "./circumstances";
import { showOrganization } from "./organization";
import { describeRequest, isListOfOwn, purposeOf } from "./requests";

/** A place where a command goes by mistake. */
interface Place {
  /** Whether nothing is there; otherwise machines with the same ids as ours, or, at another address of our service, ours themselves. */
  has: "nothing" | "the same ids" | "ours";
  /** Whose the records say that they are; nobody's where it is empty. Missing where the key is the same user's, for another organization. */
  userId?: string;
  service: Partial<Service>;
  /** How many lists show nothing at first. */
  lateLists?: number;
}

const address = { addresses: { v2: `${baseUrl}.test`, v1: `${baseUrl}.test` } };

/** Another service, another account of the same one, or another address of it. */
export const elsewheres = {
  "another address": { has: "the same ids", userId: "somebody-else", service: address },
  "another address where nothing is": { has: "nothing", userId: "somebody-else", service: address },
  "another address of the same service": { has: "ours", service: address },
  "another account where nothing is": { has: "nothing", userId: "somebody-else", service: { key: "another" } },
  "another account with the same ids": { has: "the same ids", userId: "somebody-else", service: { key: "another" } },
  "another account that does not say whose": { has: "the same ids", userId: "", service: { key: "another" } },
  "another organization of the same user": { has: "the same ids", service: { key: "another" } },
  "another account whose lists lag": {
    has: "the same ids",
    userId: "somebody-else",
    service: { key: "another" },
    lateLists: 2,
  },
} satisfies Record<string, Place>;

export type ElsewhereName = keyof typeof elsewheres;
export const elsewhereNames = Object.keys(elsewheres).filter((name): name is ElsewhereName => name in elsewheres);

/** More than a schedule ever makes. */
const machines = 40;

/** The service at which a command arrives that goes to the wrong place, and what is there. */
export interface Elsewhere {
  transport: Transport;
  /** What has happened there that should not have. */
  damage(): string[];
}

/** What is at this place, and the way to it. */
export async function openElsewhere(
  home: Rig,
  place: Place,
  account: Circumstances["account"] = "user",
): Promise<Elsewhere> {
  return place.has === "ours" ? openOtherAddress(home) : openOther(home, place, account);
}

/** Our own service: whatever is done there by mistake is done to us. */
function openOtherAddress(home: Rig): Elsewhere {
  const transport = transportOf(home);
  const done: string[] = [];
  return {
    transport: async (request) => {
      const answer = await transport(atHome(request));
      const isChange = !["list", "description"].includes(purposeOf(request));
      if (isChange && answer.status < 300) done.push(`${describeRequest(request)} at another address`);
      return answer;
    },
    damage: () => done,
  };
}

/** Where records at home name no organization, another one of the same user would be ours: a user may join one. So it is somebody else's then. */
async function openOther(
  home: Rig,
  { has, userId, lateLists = 0 }: Place,
  account: Circumstances["account"],
): Promise<Elsewhere> {
  const rig = createRig({ emulator: { provisionSeconds: 0, ssh: false } });
  if (has !== "nothing")
    await rig.run(Promise.all(Array.from({ length: machines }, (_, index) => rentThere(rig, index))));
  // What is about to end has been told to.
  const live = () =>
    rig.emulator
      .state()
      .filter(({ billing, status }) => billing && status !== "Terminating" && status !== "stopping")
      .map(({ kind, id }) => `${kind} ${id}`);
  const before = new Set(live());
  const transport = transportOf(rig);
  const isOfSameUser = userId === undefined && account === "organization";
  const shownAs = (text: string) =>
    isOfSameUser
      ? showOrganization(text, "another")
      : text.replaceAll(/"userId":"[^"]*"/g, `"userId":"${userId ?? "somebody-else"}"`);
  let lists = 0;
  const listed = (value: unknown) => {
    lists += 1;
    return withItems(value, lists > lateLists ? withEnded : () => []);
  };
  return {
    transport: (request) =>
      home.clock.working(async () => {
        const answer = await transport(atHome(request));
        const text = shownAs(await textOf(answer));
        const value = parse(text);
        const shown = isListOfOwn(request) && value !== undefined ? JSON.stringify(listed(value)) : text;
        return { ...answer, body: bodyOf(shown) };
      }),
    damage: () => {
      const now = new Set(live());
      const ended = [...before].filter((id) => !now.has(id)).map((id) => `${id} was ended in another account`);
      const rented = [...now].filter((id) => !before.has(id)).map((id) => `${id} was rented in another account`);
      return [...ended, ...rented];
    },
  };
}

/** The same request at the address of home. */
function atHome(request: TransportRequest): TransportRequest {
  return { ...request, url: request.url.replace(/^https:\/\/[^/]+/, baseUrl) };
}

/** Some have ended there: that says nothing of ours with the same ids. */
function withEnded(items: unknown[]): unknown[] {
  return items.map((item, index) => (index % 3 === 1 ? { ...Object(item), status: "Terminated" } : item));
}

/** Ids count up from the same number everywhere. */
function rentThere({ client }: Rig, index: number): Promise<unknown> {
  if (index % 8 === 7) return client.createStorageVolume({ region: "us-central-1", sizeInGb: 256, label: "theirs" });
  const label = index % 3 === 0 ? {} : { label: "theirs" };
  if (index % 4 === 3) return client.createVmRental({ gpuCount: 1, ...label });
  return client.createBareMetalRental({ networkType: "infiniband", gpuCount: 8, ...label });
}

function transportOf(rig: Rig): Transport {
  let found: Transport | undefined;
  const provider = rig.startProvider(
    {},
    {
      wire: (transport) => {
        found = transport;
        return transport;
      },
    },
  );
  // The client is made when it is first asked for.
  if (!provider.client || !found) throw new Error("there is no way to the other service");
  return found;
}
