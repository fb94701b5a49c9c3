import {
  createOnce,
  type LifecycleInputs,
  type OnWire,
  type OperationContext,
  PartialStateError,
  unresolvedOf,
  type Values,
  type View,
  waitUntil,
  whereaboutsOf,
  whereKey,
} from "../../lifecycle";
import { namesOfUnreadable } from "../../shared/namesOfUnreadable";
import { storageVolume } from "../storageVolume";
import { sayLeft } from "./inlineEnd";
import {
  claimVolume,
  findAttached,
  findNamed,
  findProven,
  isFreeVolume,
  isUsedByOthers,
  volumesOf,
} from "./inlineProof";
import {
  type InlineVolume,
  keeping,
  keepingProven,
  keptVolume,
  newVolumeIn,
  type Sought,
  shownOf,
  sizeShownBy,
  soughtBy,
} from "./inlineVolume";

type Context = OperationContext<LifecycleInputs>;

/** Creates a rental. A volume that is made along with it is known from the start, so that it is not lost if the rental is ended elsewhere. */
export async function createWithVolume(context: Context): Promise<View> {
  if (!newVolumeIn({ ...context.inputs })) return createOnce(context);
  const { memory } = context.runtime;
  const unresolved = await unresolvedOf(context);
  const before = await volumesBefore(context);
  const create = async (wire: OnWire) => {
    // Until it is known which volume was made, lists show that as nobody's.
    wire.begin();
    const made = await createOnce(context);
    const isEarlier = !memory.wasMadeHere(context.type, made.id);
    const earlier = unresolved.find(({ fingerprint }) => fingerprint === made.label) ?? unresolved[0];
    const known = isEarlier ? (keptVolume(earlier?.asked ?? {}) ?? { before: [] }) : { before };
    return sightVolume(context, { ...made, kept: { ...made.kept, ...keeping(known) } }, keptVolume(made.kept ?? {}));
  };
  return memory.underWay(storageVolume.type, create).catch(async (error: unknown) => {
    if (!(error instanceof PartialStateError)) {
      const sought = soughtBy("", { ...context.inputs, ...keeping({ before }) });
      if (sought) await sayLeft(context, sought);
      throw error;
    }
    // What its reply would have told must be found later.
    throw new PartialStateError(
      error.message,
      error.id,
      { ...error.outputs, ...keeping({ before }) },
      { cause: error },
    );
  });
}

async function volumesBefore(context: Context): Promise<string[]> {
  const snapshot = await volumesOf(context).fresh();
  return [...snapshot.idsInUse(), ...snapshot.unreadable.flatMap(namesOfUnreadable)];
}

/** For lists to show the rental with its volume, where the answer to the create did not. */
const sighting = 20_000;

/** Waits until it is known which volume was made, also where nothing else is waited for. */
async function sightVolume(context: Context, made: View, answered: InlineVolume | undefined): Promise<View> {
  const sought = soughtAfter(context, made);
  if (!sought) return made;
  const { clock } = context.runtime;
  const withVolume = (volume: Values) => ({ ...made, kept: { ...made.kept, ...volume } });
  try {
    const shown = answered && (await asListed(context, sought, answered));
    if (shown?.id !== undefined && (await isFreeVolume(context, sought, shown.id))) {
      claimVolume(context, sought, shown.id);
      return withVolume(keeping({ ...shown, before: sought.known.before }));
    }
    return await waitUntil<unknown, View>({
      operation: context,
      list: volumesOf(context),
      prompt: true,
      deadline: Math.min(clock.now() + sighting, context.deadline),
      judge: async (snapshot) => {
        const volume = await findProven(context, sought, snapshot);
        if (!volume) return { kind: "pending", status: "volume not listed" };
        claimVolume(context, sought, volume.id);
        return { kind: "done", result: withVolume(keepingProven(sought, volume)) };
      },
    });
  } catch {
    // Whatever keeps it from being seen: the rental exists, and its id must not be lost for it.
    return made;
  }
}

/**
 * The volume that the answer to a create has named, as a list shows it already: by the id that requests take, and in
 * the size that services may have rounded. One that another rental uses has only the id of its record.
 */
async function asListed(context: Context, sought: Sought, answered: InlineVolume): Promise<InlineVolume> {
  const { id, sizeInGb } = answered;
  if (id === undefined) return answered;
  const volume = await volumesOf(context)
    .fresh()
    .then(
      async (snapshot) =>
        (await findNamed(context, sought, snapshot, id)) ?? (await findProven(context, sought, snapshot)),
    )
    .catch(() => undefined);
  if (!volume || isUsedByOthers(sought, volume)) return answered;
  return { ...answered, id: volume.id, sizeInGb: sizeShownBy(volume) ?? sizeInGb, ...shownOf(volume) };
}

function soughtAfter({ definition, inputs, runtime }: Context, made: View): Sought | undefined {
  const createdAt = made.createdAt ?? new Date(runtime.client.serviceNow()).toISOString();
  const where = whereaboutsOf(runtime.service, definition.kind.base, made);
  const { attachedStorage } = made.outputs ?? {};
  return soughtBy(made.id, { ...inputs, ...made.kept, createdAt, attachedStorage, [whereKey]: where });
}

/** What a state is to keep of a volume that was not known so far, or of which no list has shown yet when it was created. */
export async function rememberVolume(context: OperationContext, rentalId: string, state: Values): Promise<Values> {
  const sought = soughtBy(rentalId, state);
  if (!sought) return {};
  const { id, created } = sought.known;
  if (id !== undefined) claimVolume(context, sought, id);
  if (created !== undefined) return {};
  try {
    const volume =
      id === undefined
        ? await findProven(context, sought, await volumesOf(context).fresh())
        : await findAttached(context, sought, id);
    if (!volume) return {};
    claimVolume(context, sought, volume.id);
    return keepingProven(sought, volume);
  } catch {
    // The next look may tell.
    return {};
  }
}
