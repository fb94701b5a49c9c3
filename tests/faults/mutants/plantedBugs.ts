import type { LawLetter } from "../oracle/laws";

/**
 * Mistakes that somebody could make, each planted in a copy of the sources: the harness must notice every one of them.
 * Another bug is an entry here.
 */
export interface PlantedBug {
  /**
   * The law that does not hold any more, where a whole rule is gone: schedules, which know of no bug, are to notice most of these. Without
   * it only one case of a rule is gone, or nothing that a law is about; the test that came with the bug notices that.
   */
  breaks?: LawLetter;
  name: string;
  /**
   * Source text that occurs exactly once in all of provider, sdk and cli; where it stands does not matter. Any white space stands for
   * any other.
   */
  find: string;
  replace: string;
}

export const plantedBugs: readonly PlantedBug[] = [
  // The wire.
  {
    breaks: "D",
    name: "a create whose reply was lost is sent again",
    find: "const mayRetry = definite && !failure.permanent &&",
    replace: "const mayRetry = !failure.permanent &&",
  },
  {
    breaks: "D",
    name: "a create that was answered 5xx is sent again",
    find: "if (!call.idempotent) return final(unknownOutcome(call, error, status));",
    replace: "",
  },
  {
    breaks: "O",
    name: "a redirect counts as an answer",
    find: "const isAccepted = status >= 200 && status < 300;",
    replace: "const isAccepted = status >= 200 && status < 400;",
  },
  {
    breaks: "T",
    name: "a Retry-After beyond the deadline is waited for",
    find: "if (asked >= left) return undefined;",
    replace: "if (asked >= left) return asked;",
  },
  {
    breaks: "K",
    name: "the key is not redacted from the service's answers",
    find: "return secrets.reduce(redactOne, text);",
    replace: "return text;",
  },
  {
    breaks: "O",
    name: "items that cannot be read are ignored",
    find: "if (unreadable.length > 0) readable.unreadable = unreadable;",
    replace: "",
  },
  {
    name: "what cannot be read and has only another name is taken for another one",
    find: "return unreadable.some(({ id, label: shown }) => id === undefined && !isOtherLabel(label, shown));",
    replace: "return unreadable.some((one) => namesOfUnreadable(one).length === 0);",
  },
  {
    breaks: "O",
    name: "a list that cannot be read counts as empty",
    find: "fetch: (client, call) => client.listBareMetalRentals(call),",
    replace: "fetch: (client, call) => client.listBareMetalRentals(call).catch(() => []),",
  },
  {
    breaks: "O",
    name: "a list that says that it is a part of one counts as the whole",
    find: "const [sign = unclearLink(page.headers)] = signsOfMore(page);",
    replace: "const sign: string | undefined = undefined;",
  },
  {
    breaks: "O",
    name: "how much there is in all is forgotten with the next page",
    find: "said = { ...said, ...totalsIn({ headers, body }) };",
    replace: "said = totalsIn({ headers, body });",
  },
  {
    breaks: "O",
    name: "a list that says that something was left out counts as the whole",
    find: 'if (loss !== undefined) return { kind: "unclear", sign: loss };',
    replace: "",
  },

  // The host.
  {
    breaks: "K",
    name: "errors are shown uncleaned",
    find: "return cleanText(messageOf(error), { secrets, max: longestError, hasOwnWords: true });",
    replace: "return messageOf(error);",
  },
  {
    breaks: "O",
    name: "a partial state loses __provider",
    find: "const properties = { ...values, ...error.outputs, [providerKey]: values[providerKey] };",
    replace: "const properties = { ...error.outputs };",
  },
  {
    breaks: "O",
    name: "outputs contain undefined",
    find: "outs: send({ ...inputs, ...outputs }, inputs) };",
    replace: "outs: { ...send({ ...inputs, ...outputs }, inputs), expiresAtTime: undefined } };",
  },

  // Whose a machine is.
  {
    breaks: "D",
    name: "every label of a resource is the same",
    find: "alphabet[Math.floor(random() * alphabet.length)]",
    replace: "alphabet[0]",
  },
  {
    breaks: "F",
    name: "labels are compared by their beginning",
    find: "return (shown.byLabel.get(label) ?? []).map((item) => this.view(item));",
    replace:
      "return this.items.filter((item) => (this.kind.labelOf(item) ?? '').startsWith(label.slice(0, 1))).map((item) => this.view(item));",
  },
  {
    breaks: "D",
    name: "a lost create is resolved by the marks of its resource, not by its own label",
    find: "snapshot.withLabel(label).find((view) => isFree(context, view) && !held.includes(view.id));",
    replace: "snapshot.withMarks(context.marks)[0];",
  },
  {
    name: "an interrupted create does not say where it was sent",
    find: "return { ...inputs, ...(isPreview ? { [whereKey]: unknownValue } : sentTo(runtime, kind.base)) };",
    replace: "return inputs;",
  },
  {
    breaks: "D",
    name: "what was rented under a former name is not looked for",
    find: "return former === undefined ? [urn] : [urn, former];",
    replace: "return former === undefined ? [urn] : [urn];",
  },
  {
    breaks: "F",
    name: "what looks like the outcome of a lost create is taken or ended",
    find: "if (found && (found.length === 0 || isProvenBy(unresolved, found))) return unheld(context, found);",
    replace: "if (found) return unheld(context, found);",
  },
  {
    breaks: "D",
    name: "a create whose label the service has rewritten counts as not made",
    find: "const lookalikes = likeliest(unresolved, found ?? [], suspects.views);",
    replace: "const lookalikes = found ?? [];",
  },
  {
    breaks: "D",
    name: "marks are not read where the service shows labels in capitals",
    find: 'inAnyLetters.exec(label ?? "")',
    replace: 'automatic.exec(label ?? "")',
  },
  {
    name: "a proxy's second machine is not named where the service has rewritten its label",
    find: "if (snapshot) await nameLookalikes(context, snapshot, view);",
    replace: "if (snapshot && !hasOwnMark(context)) await nameLookalikes(context, snapshot, view);",
  },
  {
    name: "what only earlier lists have shown is not the outcome of a create in doubt",
    find: "if (!snapshot.has(id) || snapshot.isUnreadable(id)) continue;",
    replace: "",
  },
  {
    name: "what cannot be read and has another label is not the outcome, although the answer named it",
    find: "!isTaken(one) && (isAnswered(one) || isLikely(one))",
    replace: "!isTaken(one) && isLikely(one)",
  },
  {
    name: "what the answer named is not shown beside others with the label",
    find: "const named = rewritten.filter(({ id }) => id === answered);",
    replace: "const named = rewritten.filter(() => false);",
  },
  {
    name: "the id of what has ended cannot be that of what a lost create has made",
    find: "shown.idsInUse = new Set([...this.ids()].filter(isInUse));",
    replace: "shown.idsInUse = this.ids();",
  },
  {
    name: "of several creates in doubt only the first is looked for",
    find: "await Promise.all(creates.map(outcomesOf))",
    replace: "await Promise.all(creates.slice(0, 1).map(outcomesOf))",
  },
  {
    name: "an interrupted create is dropped where one in doubt asked for the same label",
    find: "isSameEntry(resource, entry) && isSameCreate(resource, entry)",
    replace: "isSameEntry(resource, entry)",
  },
  {
    breaks: "F",
    name: "the answer to a create is believed, whosever machine it names",
    find: "refuseWrongAnswer(context, before, view);",
    replace: "",
  },
  {
    name: "an id that was given to somebody else while its machine ended is told to end again",
    find: 'if (view && isAnothers(this.watched, view)) return { kind: "done", result: "ended" };',
    replace: "",
  },
  {
    name: "what has ended is told to end, whosever its id is by now",
    find: "if (latest?.ended(id, label)) return;",
    replace: "",
  },
  {
    breaks: "F",
    name: "a chosen label counts as proof",
    find: "const isCertain = hasOwnMark(context);",
    replace: "const isCertain = true;",
  },
  {
    name: "an answer is believed beside a record that has the label in other letters",
    find: "if (isRewritten) return new AnothersAnswer(context, view, { mayBeIt: true });",
    replace: "",
  },
  {
    breaks: "F",
    name: "the account of a record is not compared",
    find: "return shown.includes(account) || users.some((one) => one === user);",
    replace: "return undefined;",
  },
  {
    breaks: "F",
    name: "the label of a record is not compared",
    find: "if (!isOurAccount || !isRewritten) return otherLabel(noun, view.id, view.label, label, isOther);",
    replace: "",
  },
  {
    breaks: "F",
    name: "the address of the service is not compared",
    find: "if (!where || where.address === addresses[base] || movedFrom.includes(where.address)) return undefined;",
    replace: "return undefined;",
  },
  {
    name: "an id of another service counts as held",
    find: "if (isAtOtherAddress(state, service)) return false;",
    replace: "",
  },
  {
    name: "an id under another label counts as held",
    find: "return labels.length === 0 || labels.some(isIts);",
    replace: "return true;",
  },
  {
    breaks: "F",
    name: "a delete does not ask whose it is",
    find: "const standing = await findStanding(context, id, state);",
    replace: "const standing: any = 'unseen';",
  },
  {
    breaks: "F",
    name: "a refresh takes the record of somebody else",
    find: 'refuseForeign(context, inputs, record); if (record.phase === "ended") return "gone";',
    replace: "if (record.phase === 'ended') return 'gone';",
  },
  {
    breaks: "O",
    name: "the end of somebody else's machine is the end of ours",
    find: "refuseForeign(context, state, record); return record;",
    replace: "if (record.phase !== 'ended') refuseForeign(context, state, record); return record;",
  },
  {
    name: "with the key of another account a record that shows nothing of its own is ours",
    find: 'if (isAutomaticLabel(label) || isSameTime(state["createdAt"], view.createdAt)) return undefined;',
    replace: "return undefined;",
  },
  {
    breaks: "F",
    name: "with the key of another account an id is enough",
    find: 'if (isSameKey) return "unseen";',
    replace: 'return "unseen";',
  },

  // That it is gone.
  {
    breaks: "O",
    name: "one absent list counts as gone",
    find: "return looks >= fewestLooks && milliseconds >= settings.listLagMs;",
    replace: "return looks >= 1;",
  },
  {
    breaks: "O",
    name: "two absent lists count as gone",
    find: "return looks >= fewestLooks && milliseconds >= settings.listLagMs;",
    replace: "return looks >= 2;",
  },
  {
    breaks: "O",
    name: "six absent lists count as gone, however soon",
    find: "return looks >= fewestLooks && milliseconds >= settings.listLagMs;",
    replace: "return looks >= fewestLooks;",
  },
  {
    breaks: "O",
    name: "lists from before it was last seen count as absence",
    find: "const since = this.held.looks.filter(({ sequence }) => sequence > Math.max(seen, lastDoubt));",
    replace: "const since = this.held.looks.filter(({ sequence }) => sequence > lastDoubt);",
  },
  {
    breaks: "O",
    name: "what another account does not list is gone",
    find: "if (settings.confirmGone || isSameAccount(state, service, (await list.latest()).views())) return;",
    replace: "return;",
  },
  {
    breaks: "O",
    name: "that much vanishes at once is not noticed",
    find: "if (!isMass) return;",
    replace: "return;",
  },
  {
    breaks: "O",
    name: "an end trusts a 404",
    find: "const isAccepted = acceptedAs !== undefined;",
    replace: 'if (answer.kind === "refused") return; const isAccepted = acceptedAs !== undefined;',
  },
  {
    breaks: "O",
    name: "a delete that nobody has confirmed ends with one absent list",
    find: "const isSaid = isAccepted || saysGone(answer);",
    replace: "if (answer) return; const isSaid = true;",
  },
  {
    breaks: "O",
    name: "a delete is done as soon as it is sent",
    find: 'if (seen === "ended" || seen === "handed over") return;',
    replace: 'if (isAccepted || seen === "ended" || seen === "handed over") return;',
  },
  {
    breaks: "O",
    name: "an accepted end counts as soon as two lists lack the machine",
    find: "if (isAccepted && wasUnderWay) return;",
    replace: "if (isAccepted) return;",
  },
  {
    breaks: "T",
    name: "an end without effect is not sent again",
    find: 'if (isLive(view) && now >= patientUntil) return { kind: "done", result: view };',
    replace: "",
  },

  // Creates.
  {
    breaks: "D",
    name: "a leftover machine is not noticed",
    find: "throw new RefusedError(leftoverRefusal(context, view));",
    replace: "",
  },
  {
    breaks: "D",
    name: "what a refresh has dropped counts as known for the rest of the run",
    find: "if (!isOnlyRead) await forgetAbsent(context, id);",
    replace: "",
  },
  {
    name: "the first list after a refused attach decides",
    find: 'return isSaidToHold ? undefined : "refused";',
    replace: 'return "refused";',
  },
  {
    name: "a machine is chosen before a create in doubt is looked at",
    find: "const made = await createOnce(context, (attempt) => rent(context, attempt));",
    replace: "await placesFor(context); const made = await createOnce(context, (attempt) => rent(context, attempt));",
  },
  {
    breaks: "D",
    name: "a leftover that cannot be read is not minded",
    find: "await refuseUnreadable(context, look);",
    replace: "",
  },
  {
    breaks: "D",
    name: "an unresolved create is sent again without a search",
    find: "const resolved = await takeResolved(context, first);",
    replace: "const resolved = undefined;",
  },
  {
    name: "what came up in the search for a lost create is not minded",
    find: "const before = first && (await list.latest());",
    replace: "const before = first;",
  },
  {
    breaks: "D",
    name: "whatever runs with the mark counts as replaced",
    find: "if (dropped.includes(view.id) || (await isLeftover(context, view))) others.leftovers.push(view);",
    replace: "if (dropped.includes(view.id)) others.leftovers.push(view);",
  },
  {
    name: "what came up too late to be refused for is not told of",
    find: "warnOfLeftovers(context, others);",
    replace: "",
  },
  {
    breaks: "D",
    name: "a lost create is proven absent across lists that may have shown it",
    find: "else own.reset();",
    replace: "",
  },
  {
    breaks: "O",
    name: "a resource is proven absent across lists that may have shown it",
    find: "const lastDoubt = this.held.looks.findLast(mayBeIn)?.sequence ?? 0;",
    replace: "const lastDoubt = 0;",
  },
  {
    breaks: "F",
    name: "what another provider of the account holds is adopted",
    find: "const apart = holders.find(({ isAnothers, urn }) => isAnothers && !isSameUrn(urn, operation.urn));",
    replace: "const apart = holders.find(() => false);",
  },
  {
    breaks: "W",
    name: "only the old name of a rental says whether its volume is kept",
    find: "entry.urn === urn ? isReplaced && !entry.isReplaced : entry.id === id && !entry.isReplaced,",
    replace: "entry.urn === urn && isReplaced && !entry.isReplaced,",
  },
  {
    breaks: "K",
    name: "what becomes a secret stays in clear in the state of the plugin",
    find: "return diffResponse(writingAnew(diff, hidden));",
    replace: "return diffResponse(writingAnew(diff, hidden.slice(hidden.length)));",
  },
  {
    breaks: "O",
    name: "an unresolved create leaves nothing in the state",
    find: "return new PartialStateError( message,",
    replace: "throw new RefusedError(message, { cause }); return new PartialStateError( message,",
  },
  {
    breaks: "O",
    name: "of several names in an answer the first is the id",
    find: "throw unlistedError(context, names.map(String), error);",
    replace: "return made.id;",
  },
  {
    breaks: "O",
    name: "what was made by a refused create is not looked for",
    find: "const [made] = await unheld(context, free);",
    replace: "const made = undefined;",
  },
  {
    breaks: "O",
    name: "what may have been made by a refused create is not named",
    find: "if (lookalikes.length > 0) { throw unresolvedError(",
    replace: "if (lookalikes.length < 0) { throw unresolvedError(",
  },
  {
    breaks: "O",
    name: "what may have been made by a refused create is named and forgotten",
    find: "throw unresolvedError( context, `${refusal.message",
    replace: "throw ((_: unknown, message: string) => new RefusedError(message))( context, `${refusal.message",
  },
  {
    breaks: "F",
    name: "an id that the service has given to another one is ours",
    find: "if (where && isOurAccount && !isOwn && isOtherTime(where, view)) {",
    replace: "if (where && isOurAccount && !isOwn && isOtherTime(where, view) && isOther) {",
  },
  {
    breaks: "D",
    name: "the provider goes on renting when the engine is gone",
    find: 'if (engine !== "answers") throw new EngineGoneError(engine);',
    replace: "",
  },
  {
    breaks: "W",
    name: "data is deleted although the command was killed",
    find: "holdsData && !isUndoing ? callFor(operation) : { deadline }",
    replace: "{ deadline }",
  },
  {
    breaks: "D",
    name: "a refusal is believed beside what came up and cannot be read",
    find: "if (unreadable.length > 0) return findLost(context, list, before, since, refusal);",
    replace: "",
  },
  {
    name: "a refusal is believed beside what came up and has an id, but cannot be read",
    find: "unreadable: unreadableIn(context, unreadable, created, isHeld),",
    replace: "unreadable: unreadableIn(context, unreadable.filter(({ id }) => id === undefined), created, isHeld),",
  },
  {
    name: "beside a record that never could be read a refusal is always believed",
    find: "const unreadable = snapshot.unreadableSince(before);",
    replace: "const unreadable = before?.isComplete === false ? [] : snapshot.unreadableSince(before);",
  },
  {
    name: "what a refused create has made under a rewritten label is not named",
    find: "return likeliest(unresolved, candidates, rewrittenIn(...look));",
    replace: "return candidates;",
  },
  {
    name: "a create with a chosen label that the service has rewritten counts as not made",
    find: "if (names) return []; const { client, clock } = context.runtime;",
    replace: "if (!isProof || names) return []; const { client, clock } = context.runtime;",
  },
  {
    name: "a create in doubt beside a record that can never be read has no way out",
    find: "const [first] = unreadableIn(context, last?.unreadable ?? [], unresolved, isHeld);",
    replace: "const [first] = unreadableIn(context, [], unresolved, isHeld);",
  },
  {
    name: "a record that could not be read before either keeps a create in doubt",
    find: "!(one.id !== undefined && idsBefore.includes(one.id)) && !isOtherLabel",
    replace: "!isOtherLabel",
  },
  {
    name: "what a create side by side has made is named as what a refused one may have made",
    find: "await untilAnswered(context, context.type);",
    replace: "",
  },
  {
    breaks: "L",
    name: "the room of a create in doubt is free again in the budget",
    find: "if (!(error instanceof PartialStateError)) { pledges.drop(urn); throw error; }",
    replace: "pledges.drop(urn); if (!(error instanceof PartialStateError)) throw error;",
  },
  {
    name: "a limit counts what a lost create has made, and then that it would be made",
    find: "const first = await lookBefore(list, hasOwnMark(context) &&",
    replace: "await refuseOverLimits(context); const first = await lookBefore(list, hasOwnMark(context) &&",
  },
  {
    breaks: "O",
    name: "a machine that fails is not kept in the state",
    find: "throw new PartialStateError(failure(context, error, latest), made.id, unfinished, { cause: error });",
    replace: "throw new RefusedError(failure(context, error, latest));",
  },
  {
    breaks: "O",
    name: "a machine whose record cannot be read is not kept in the state",
    find: ".then(find) .catch(() => undefined);",
    replace: ".then(find, () => undefined);",
  },
  {
    name: "a pending machine counts as ready",
    find: 'case "pending": return { kind: "pending", status: view.status };',
    replace: 'case "pending": return { kind: "done", result: view };',
  },
  {
    name: "a failed machine is not replaced",
    find: 'return phase === "failed" || phase === "ending" || phase === "ended";',
    replace: 'return phase === "ending" || phase === "ended";',
  },
  {
    breaks: "T",
    name: "a wait exceeds its deadline",
    find: "const deadline = wait.deadline ?? operation.deadline;",
    replace: "const deadline = (wait.deadline ?? operation.deadline) + 3_600_000;",
  },

  // What the state holds.
  {
    breaks: "D",
    name: "what was made under a former name of the stack is looked for there",
    find: "...(id !== undefined && { entry: { type, id } })",
    replace: "",
  },
  {
    name: "a pending create with the label that this run has, too, is taken for its own",
    find: "const own = { label, isMade: runtime.memory.hasMadeLabel(label) };",
    replace: "const own = { label, isMade: true };",
  },
  {
    breaks: "W",
    name: "a delete ignores that another resource has the machine",
    find: "return holders <= (isExpiredEntry ? 0 : 1);",
    replace: "return true;",
  },
  {
    breaks: "O",
    name: "of two resources that have one machine, neither ends it",
    find: "const holders = deletions.reduce((left, count) => left - count, held.length);",
    replace: "const holders = deletions.reduce((left) => left, held.length);",
  },
  {
    breaks: "W",
    name: "a delete ends a machine that a replacement uses",
    find: "if (names.some((name) => memory.takenOverBy(type, name) !== undefined)) return false;",
    replace: "",
  },
  {
    breaks: "D",
    name: "two resources have one instance, the one by its name and the other by its id",
    find: "for (const name of await otherNames(context, id)) claim(name);",
    replace: "",
  },
  {
    breaks: "D",
    name: "a create does not ask in whose account it is",
    find: "if (others.length === 0 || (await isOwnAccount(operation))) return;",
    replace: "return;",
  },
  {
    name: "the second gate of a fleet believes the lists of another account",
    find: "if (!isOtherKey(state, service) || settings.confirmGone || (await isOwnAccount(operation))) return;",
    replace: "if (operation) return;",
  },
  {
    breaks: "D",
    name: "two resources adopt one machine",
    find: "if (owner === urn || (owner === undefined && !held)) return;",
    replace: "return;",
  },
  {
    breaks: "O",
    name: "a refresh makes a renamed resource look wanted",
    find: "if (runtime.memory.isInProgram(urn)) runtime.memory.rememberWanted(definition.type, id, urn);",
    replace: "runtime.memory.rememberWanted(definition.type, id, urn);",
  },
  {
    breaks: "O",
    name: "an unresolved create is forgotten when it is deleted",
    find: "await endResource(context, outcome.id, state);",
    replace: "",
  },
  {
    breaks: "O",
    name: "the volume of an unresolved create outlives it",
    find: "await endResource(context, outcome.id, state);",
    replace: "await endAndWait(context, context.definition, outcome.id);",
  },
  {
    breaks: "O",
    name: "twins are not ended",
    find: "const trouble = await endTwins(context, id).then(",
    replace: "const trouble = await Promise.resolve().then(",
  },
  {
    name: "the twin of one that somebody else has ended is forgotten with it",
    find: "if (twin) return inItsPlace(context, id, twin, unchanged);",
    replace: "",
  },
  {
    name: "what cannot be read is ended without a second look",
    find: "const isShown = latest?.has(id) === true && !latest.isUnreadable(id);",
    replace: "const isShown = latest?.has(id) === true;",
  },
  {
    name: "a twin that the state knows of is gone when one list lacks it",
    find: "...found.flatMap((view) => view ?? [])",
    replace: "",
  },
  {
    name: "a volume's own record passes for its twin",
    find: "return view.hasOwnId === false && !snapshot.has(id);",
    replace: "return false;",
  },
  {
    breaks: "F",
    name: "what was adopted has twins",
    find: "isAutomaticLabel(label) && adoptId === undefined;",
    replace: "isAutomaticLabel(label);",
  },
  {
    name: "twins of what another resource has adopted are forgotten",
    find: "await endTwins(context, id); await definition.sayLeftBehind",
    replace: "await definition.sayLeftBehind",
  },
  {
    name: "the volume of a rental that another resource adopts is forgotten with the old entry",
    find: "return { ...view, outputs, kept: { ...view.kept, ...keeping(sought.known) } };",
    replace: "return view;",
  },
  {
    name: "a volume that nobody has any more after an adoption is not named",
    find: "await definition.sayLeftBehind?.(context, id, state);",
    replace: "",
  },
  {
    name: "a volume that came with an adopted rental counts as a change of the program",
    find: "if (news[key] === undefined && isUnasked(key, olds)) return true;",
    replace: "",
  },
  {
    name: "what came with a machine is the program's own once an update has named it",
    find: "return askedIn(state)[key] === null || cameIn(state).includes(key);",
    replace: "return askedIn(state)[key] === null;",
  },
  {
    breaks: "W",
    name: "a volume that a rental has by its id is deleted with the rental that it was made with",
    find: "return ({ id }) => named.has(id) || isNamedInProgram(runtime, id);",
    replace: "return () => false;",
  },
  {
    name: "a volume that a killed create has named is deleted with the rental that it was made with",
    find: "const asked = [...rentals.map(({ outputs }) => outputs), ...creates.map((create) => create.asked)];",
    replace: "const asked = rentals.map(({ outputs }) => outputs);",
  },
  {
    breaks: "F",
    name: "what has the id of an answer and somebody else's label is ours",
    find: "if (isForeign || isAtOneTime(view, createdAt) === false)",
    replace: "if (isAtOneTime(view, createdAt) === false)",
  },
  {
    name: "what an answer has named with our label is ours, whatever lists show",
    find: "if (madeAt !== undefined) refuseIfAnothers(context, snapshot, made);",
    replace: "",
  },
  {
    name: "what has the beginning of our label is ours beside what has all of it",
    find: "const isMade = (one: View) => one.id !== id && isFree(context, one) && !idsBefore?.has(one.id);",
    replace:
      "const isMade = (one: View) => isOther && one.id !== id && isFree(context, one) && !idsBefore?.has(one.id);",
  },
  {
    breaks: "O",
    name: "an id that a label speaks against is forgotten",
    find: "const answered = lost instanceof AnothersAnswer ? lost.answered : undefined;",
    replace: "const answered = undefined;",
  },
  {
    name: "a volume that came along with a rental may be the outcome of another create",
    find: "return (machine) => isHeld(machine) || namesOf(machine).some(isAlong);",
    replace: "return isHeld;",
  },
  {
    name: "a refused create waits for one that the service has put off",
    find: "options.onPutOff?.();",
    replace: "",
  },
  {
    name: "an end beside a record that can never be read is waited for until the time is up",
    find: "if (now - this.inDoubtSince >= patienceInDoubt(this.watched.runtime.settings)) throw new UnprovenAbsenceError(status);",
    replace: "",
  },
  {
    name: "a person's word that something is gone does not count beside a record that cannot be read",
    find: "isConclusive: (snapshot) => confirmGone || snapshot.provesAbsence(label),",
    replace: "isConclusive: (snapshot) => snapshot.provesAbsence(label),",
  },
  {
    name: "a twin that is not found is told as if it were the machine itself",
    find: "throw error instanceof WaitTimeoutError ? withWayOut(operation, id, error) : error;",
    replace: "throw error;",
  },
  {
    breaks: "F",
    name: "a label that contains ours is proof for a volume",
    find: "return hasLabel(operation, sought, volume) || isCreatedWith(sought, volume);",
    replace: "return true;",
  },
  {
    name: "recover looks for nothing where the stack was destroyed",
    find: "if (resources.length > 0 && !resources.some(({ type }) => isProviderType(type)))",
    replace: "if (!resources.some(({ type }) => isProviderType(type)))",
  },
  {
    name: "recover writes down a provider that the state has no more",
    find: "...(present !== undefined && { provider: present }),",
    replace: "",
  },
  {
    name: "recover does not wait for lists that lag after a run that failed",
    find: "if (lag() > 0) await",
    replace: "if (false) await",
  },
  {
    name: "what a refresh compares is the word of the program",
    find: "if (runtime.memory.isInProgram(urn)) definition.heed?.(runtime, urn, news);",
    replace: "definition.heed?.(runtime, urn, news);",
  },
  {
    name: "a next page in no form that can be followed is the end of the list",
    find: "const [sign = unclearLink(page.headers)] = signsOfMore(page);",
    replace: "const [sign] = signsOfMore(page);",
  },
  {
    name: "what is called id in a description is that of the volume, whatever the records say",
    find: "if (resolved.idForm?.isPlain) await refuseOtherRecord(name, id, options);",
    replace: "",
  },
  {
    name: "one that has ended stops the ending of all others",
    find: 'const judged = { ...resolved, kind: isOfForm ? "described" : resolved.kind } as const;',
    replace: "const judged = resolved;",
  },
  {
    name: "a machine of another stack at another address of the service is an orphan",
    find: "if (heldType === type && held === id && isItsLabel) return true;",
    replace: "",
  },
  {
    name: "orphans ends what a run is still creating",
    find: "await refuseInProgress(situation, deleted);",
    replace: "",
  },
  {
    name: "a pair that an adopted volume has is detached with the attachment that goes",
    find: "adopt: (context, id) => adoptPairs(context, Number(id), context.inputs.rentalIds ?? [], () => adopt(context, id)), async ensureAttached",
    replace: "async ensureAttached",
  },
  {
    name: "a comment leaves out what waits for its end",
    find: 'const op = resource.delete && unresolvedFingerprint(id ?? "") === undefined ? "delete" : "same";',
    replace: 'const op = "same";',
  },
  {
    name: "recover offers what a stack that could not be read may have",
    find: "if (!isWhole) return `",
    replace: "if (false) return `",
  },
  {
    breaks: "F",
    name: "a twin is ended that another state may have",
    find: "if (!isWhole) return { view,",
    replace: "if (false) return { view,",
  },
  {
    breaks: "D",
    name: "twins are not named",
    find: "if (isNew) twins = await warnOfTwins(context, view);",
    replace: "",
  },
  {
    breaks: "O",
    name: "the twin of a machine over budget is left",
    find: "await endTwins(undoing, made.id);",
    replace: "",
  },
  {
    breaks: "O",
    name: "a record is found by its id alone, and not by another name that it has",
    find: "return byName.get(id) ?? nameless.filter(isCalledSo);",
    replace: "return [];",
  },
  {
    breaks: "F",
    name: "an id is looked for among other names, too",
    find: "if (this.ownIds.has(id)) return [];",
    replace: "",
  },
  {
    name: "a record without its id goes by its other name",
    find: "return this.hasOwnIds || (this.kind.ownId !== undefined && this.ownIds.size > 0);",
    replace: "return false;",
  },
  {
    breaks: "O",
    name: "a newer record changes the id by which a machine is known",
    find: "...newerCost(earlier, newer), outputs, id: earlier.id };",
    replace: "...newerCost(earlier, newer), outputs };",
  },
  {
    breaks: "F",
    name: "something is ended by a name that is the id of another one",
    find: "return view ? namesOf(view).filter((name) => found(name)?.id === view.id) : [id];",
    replace: "return view ? namesOf(view) : [id];",
  },
  {
    name: "a change whose look at the result fails is forgotten",
    find: "marked, false), [unfinishedKey]: true };\n      throw new PartialStateError(messageOf(error), id, outputs, { cause: error });",
    replace: "marked, false), [unfinishedKey]: true };\n      throw outputs && error;",
  },
  {
    breaks: "D",
    name: "what a killed run may have made is made again",
    find: "await refuseInterrupted(context, interrupted, before);",
    replace: "",
  },
  {
    name: "recover takes it that a killed run was killed just now",
    find: "const create = unresolvedIn(context, earliestStart(search, definition, managed));",
    replace: "const create = unresolvedIn(context, runtime.clock.now());",
  },
  {
    name: "what a list has always shown otherwise than it was asked for is drift",
    find: "...(isSeen ? { [whereKey]: where, ...asRented(context, view, before) } : {})",
    replace: "...(isSeen ? { [whereKey]: where } : {})",
  },
  {
    name: "a machine that is taken over has the label that the service shows for an input",
    find: "{ ...known, ...visible(view.observedInputs), ...asked }",
    replace: "{ ...known, ...asked, ...visible(view.observedInputs) }",
  },
  {
    breaks: "W",
    name: "what a create that made nothing was to replace is deleted all the same",
    find: "const kept = withoutDelete(withoutEntries(resourcesOf(state), removed), restored);",
    replace: "const kept = restored && withoutEntries(resourcesOf(state), removed);",
  },
  {
    breaks: "O",
    name: "recover forgets the machine that is being replaced",
    find: "return inOrder([...resources.map((resource) => (resource === placement.current ? old : resource)), entry]);",
    replace:
      "return inOrder([...resources.filter((resource) => resource !== placement.current && resource !== old), entry]);",
  },

  // Volumes, attachments, fleets.
  {
    breaks: "O",
    name: "an inline volume outlives its rental",
    find: "await endVolume(context, sought, volume, keeps);",
    replace: "",
  },
  {
    breaks: "F",
    name: "an inline volume is found by its label only",
    find: "const isHeld = await heldByOthers(operation, sought.rentalId); const free =",
    replace:
      "if (sought.label) return open.find(({ label }) => label === sought.label); const isHeld: any = null; const free =",
  },
  {
    breaks: "F",
    name: "an attached volume is taken for the inline one by its size",
    find: 'return volume.label !== undefined && volume.label !== "" && mayBeMadeOf(label, volume.label);',
    replace: "return true;",
  },
  {
    breaks: "W",
    name: "an inline volume is taken although another resource has it",
    find: "isHeld(volume) || holderElsewhere(volume) !== undefined || isNamed(volume) || !runtime.memory.isFree(type, volume.id) || runtime.memory.adoptedInVainBy(type, volume.id) !== undefined || inline.has(volume.id) ||",
    replace: "",
  },
  {
    breaks: "F",
    name: "the id of an inline volume is trusted for ever",
    find: "const standing = await standingOf(operation, sought, volume);",
    replace: 'const standing: any = { kind: "ours" };',
  },
  {
    breaks: "F",
    name: "what looks like an inline volume is deleted",
    find: 'if (found === "unproven") return refuseCandidates(operation, sought);',
    replace:
      'if (found === "unproven") { const [one] = await candidatesIn(operation, sought, await volumesOf(operation).fresh()); return one && endVolume(operation, sought, one, keep); }',
  },
  {
    breaks: "O",
    name: "a rental whose volume is not seen is lost",
    find: "// Whatever keeps it from being seen: the rental exists, and its id must not be lost for it. return made;",
    replace: 'throw new Error("its volume was not seen");',
  },
  {
    breaks: "L",
    name: "a marketplace instance of this run costs nothing",
    find: " ?? pledges.priceOf(keys);",
    replace: ";",
  },
  {
    breaks: "L",
    name: "what no list shows costs nothing",
    find: "if (isGoing(runtime, entry)) return [];",
    replace: "if (isMissing) return [];",
  },
  {
    breaks: "L",
    name: "what has passed the limit before, and was created later, is not counted",
    find: "|| isBefore(view, than) || pledges.hasPassed(keys);",
    replace: "|| isBefore(view, than);",
  },
  {
    breaks: "L",
    name: "a volume that is created with a rental is not counted",
    find: "return own + besides;",
    replace: "return own;",
  },
  {
    breaks: "L",
    name: "a volume that was created with a rental costs nothing later",
    find: "const found = besidesOf(runtime, entry);",
    replace: "const found = besidesOf(runtime, { ...entry, outputs: {} });",
  },
  {
    breaks: "L",
    name: "a price that shows only when the machine runs is not looked at",
    find: "if (checksLimits && isShown(view)) view = await withinLimits(context, view, isNew);",
    replace: "",
  },
  {
    breaks: "L",
    name: "the limit of a stack does not hold for a fleet whose prices show late",
    find: "if (reason !== undefined) await endAll(reason, members, end);",
    replace: "",
  },
  {
    breaks: "W",
    name: "what a lost create of an earlier run has made is ended for its price",
    find: "if (!isNew || memory.takenOverBy(context.type, made.id) !== undefined)",
    replace: "if (!isNew)",
  },
  {
    name: "a create that fails half-way keeps nothing of what other lists have told",
    find: "const state = await rememberInTime(context, made.id, outputs(latest));",
    replace: "const state = outputs(latest);",
  },
  {
    breaks: "O",
    name: "what is over budget is ended without its volume",
    find: "await endResource(undoing, made.id, stateOf(context, view, {}, true));",
    replace:
      "await endResource({ ...context, definition: { ...context.definition, end: undefined } }, made.id, stateOf(context, view, {}, true));",
  },
  {
    breaks: "W",
    name: "keepVolume counts as it was, not as it is",
    find: 'return runtime.memory.noted(urn, note) ?? (state["keepVolume"] === true || isKeptByAnother(runtime, state));',
    replace: 'return state["keepVolume"] === true;',
  },
  {
    name: "a kept volume is not named when its rental is gone",
    find: "await sayKept(context, sought, volume); return false;",
    replace: "return false;",
  },
  {
    breaks: "W",
    name: "a detach undoes what another resource has attached",
    find: "memory.noteDeletion(pair, key); return holders <= 1;",
    replace: "return true;",
  },
  {
    breaks: "W",
    name: "what was just attached is detached by the one that had it",
    find: "if (memory.isClaimed(pair, key)) return false;",
    replace: "",
  },
  {
    breaks: "W",
    name: "that a volume was detached is not seen",
    find: "rentalIds: rentalIds === undefined ? undefined : own",
    replace: "rentalIds: undefined",
  },
  {
    breaks: "W",
    name: "a volume that the service does not attach counts as attached",
    find: "if (!left || left.length === 0) return;",
    replace: "return;",
  },
  {
    breaks: "F",
    name: "an attachment detaches what has the id of its volume or rental by now",
    find: "return volume ? [] : rentalIds.filter((rental) => !rentals.has(rental));",
    replace: "return [...rentalIds];",
  },
  {
    breaks: "F",
    name: "an attachment attaches what has the id of its volume or rental by now",
    find: "const other = volume ?? wanted.map((rental) => rentals.get(rental)).find((one) => one !== undefined);",
    replace: "const other = wanted.length < 0 ? volume ?? rentals.get(0) : undefined;",
  },
  {
    breaks: "F",
    name: "a rental is rented with what has the id of its volume by now",
    find: 'await refuseMentionsOfOthers(attempt, context.definition.mentions?.({ ...inputs }) ?? [], "created");',
    replace: "",
  },
  {
    name: "a volume is attached to what has the id of its rental by now",
    find: 'return refuseMentionsOfOthers(operation, rentalIds.map(mentionOfRental), "attached or detached");',
    replace: "return Promise.resolve();",
  },
  {
    name: "a volume is detached from what has the id of its rental by now",
    find: "return rentalIds.filter((_, index) => whys[index] === undefined);",
    replace: "return [...rentalIds];",
  },
  {
    name: "one list tells whose a mentioned id is",
    find: "return latest && !isShown ? list.fresh().catch(() => latest) : latest;",
    replace: "return latest;",
  },
  {
    name: "a mentioned record that cannot be read is nobody else's",
    find: "snapshot?.isUnreadable(id) ? unreadableView(snapshot, id) : snapshot?.find(id, label)",
    replace: "snapshot?.isUnreadable(id) ? undefined : snapshot?.find(id, label)",
  },
  {
    name: "a detach that the service accepts counts as done",
    find: "if (accepted >= mostTimes) return waitForLists(operation, wanted);",
    replace: "if (accepted >= mostTimes) return;",
  },
  {
    breaks: "O",
    name: "a change of rentals that fails half-way forgets what was attached",
    find: "rentalIds: [...before, ...without(after, before)], [unfinishedKey]: true",
    replace: "rentalIds: [...before]",
  },
  {
    breaks: "F",
    name: "a pair that another stack holds is detached",
    find: "const holder = isOwn(rental) ? undefined : holderOf(rental);",
    replace: "const holder = isOwn(rental) || rental ? undefined : holderOf(rental);",
  },
  {
    breaks: "W",
    name: "what the gate has terminated for its price is not missed by the next up",
    find: "return { ...member, view: undefined, status: terminated, wasReady: false };",
    replace: "return { ...member, view: undefined, status: gone, wasReady: false };",
  },
  {
    breaks: "L",
    name: "the limit of a fleet goes by the price of machines that are being replaced",
    find: "return priced.every((key) =>",
    replace: "return priced.every((key) => key.length > 0 ||",
  },
  {
    breaks: "L",
    name: "members whose gate was never made are never held against a limit",
    find: "return gate === undefined || openIn(gate.outputs).isUnpriced;",
    replace: "return gate !== undefined && openIn(gate.outputs).isUnpriced;",
  },
  {
    breaks: "W",
    name: "the gate of a fleet ends members that ran before",
    find: "const fresh = members.filter(({ id }) => memory.wasMadeHere(operation.member.type, id));",
    replace: "const fresh = members;",
  },
  {
    breaks: "O",
    name: "the second gate of a fleet does not wait",
    find: "await waitForEnds(operation, state);",
    replace: "",
  },
  {
    breaks: "O",
    name: "the second gate forgets what a killed destroy has left",
    find: "const leftovers = await this.search.findIn(snapshot, this.ids);",
    replace: "const leftovers: Leftover[] = [];",
  },
  {
    breaks: "O",
    name: "members hand over although the fleet is only scaled or replaced",
    find: "if (memory.isInProgram(gates.ready) || memory.isInProgram(gates.ended)) return undefined;",
    replace: "memory.noteGateDeleted(gates.ready);",
  },
  {
    breaks: "O",
    name: "members hand over before the service has taken their end",
    find: "const isTaken = isAccepted && watched.isUnderWay;",
    replace: "const isTaken = true;",
  },
  {
    name: "members hand over to a gate that no state has",
    find: "if (!second || readOrigin(second.outputs[originKey]).urn !== gates.ended) return undefined;",
    replace: "",
  },
  {
    name: "members hand over to a gate that a targeted run leaves as it is",
    find: 'return (await runtime.engine.scope()) === "whole" ? gates.ended : undefined;',
    replace: "return gates.ended;",
  },
  {
    name: "members that a refresh ends hand over",
    find: "const gates = isDelete ? gatesOf(urn) : undefined;",
    replace: "const gates = gatesOf(urn);",
  },
  {
    name: "the second gate names what bills only when its time is up",
    find: "if (billing.length === 0) return error;",
    replace: "if (billing.length >= 0) return error;",
  },
  {
    breaks: "O",
    name: "a rental is handed over with the volume that was made along",
    find: "if (!sought) return endOrHandOver(context, context.definition, id, state);",
    replace: "return endOrHandOver(context, context.definition, id, state);",
  },
  {
    breaks: "W",
    name: "a failed adoption does not keep the machine from being ended",
    find: "  await refuseAdopted(context, names);\n",
    replace: "",
  },
  {
    name: "a volume that the program names goes with its rental where its adoption failed",
    find: "    runtime.memory.adoptedInVainBy(type, volume.id) !== undefined ||\n",
    replace: "",
  },
  {
    breaks: "D",
    name: "a killed create is not known to the other front",
    find: "urn === undefined || isSameUrn(create.urn, urn)",
    replace: "urn === undefined || create.urn === urn",
  },
  {
    name: "what another provider has attached meanwhile is detached",
    find: "...present.filter((entry) => !isOwn(entry))]",
    replace: "...first.filter((entry) => !isOwn(entry))]",
  },
  {
    name: "a create in doubt of an earlier run costs nothing",
    find: "if (isCountedElsewhere(operation, entry)) return [];",
    replace: "return [];",
  },
  {
    name: "a preview ends what has expired",
    find: "if (await runtime.engine.refreshesAtOnce()) return true;",
    replace: "return true;",
  },
  {
    name: "two providers that delete one machine go by how it was seconds ago",
    find: "seen?.some(isTheirs) ? await withTheirsNow({ runtime, stack }, seen) : seen",
    replace: "seen",
  },
  {
    name: "what another provider has taken over meanwhile is ended",
    find: "const runtime = seeingOthers(alone);",
    replace: "const runtime = alone;",
  },
  {
    name: "of two providers that delete one machine each leaves it to the other",
    find: "return isAnothers === true && isBeingDeleted === true;",
    replace: "return false;",
  },
  {
    name: "default providers of another kind or version count as the own one",
    find: "return version === undefined || said === undefined || said === version",
    replace: "return true || said === version",
  },
  {
    breaks: "O",
    name: "a refresh of the gate takes one list for the truth",
    find: "  if (!isAbsent(member) || isUnowned) return member;",
    replace: "  return member;",
  },
  {
    name: "a refresh of the gate takes over what another account lists",
    find: '  if (view) return isForeign(view) || (isDoubtful && !entry) ? "unchanged" : member;',
    replace: "  if (view) return member;",
  },
  {
    breaks: "O",
    name: "the gate ends members without what was created along",
    find: "  if (!entry) return endAndWait(operation, member, id);",
    replace: "  return endAndWait(operation, member, id);",
  },
  {
    name: "a refused detach holds up the end of its rental",
    find: "const end = await findEnd();",
    replace: "const end = (await findEnd()) && undefined;",
  },
  {
    breaks: "O",
    name: "a volume that the service does not detach keeps its rental billing",
    find: "if (fate?.mayBeEarly) await endBeforeVolume(context, id, fate);",
    replace: "",
  },
  {
    breaks: "W",
    name: "a rental is ended before its volume although something protected keeps it",
    find: "const isEnd = !isPartial && !isHeld && areAll(",
    replace: "const isEnd = !isPartial && areAll(",
  },
  {
    breaks: "W",
    name: "a rental is ended before its volume although the program may have it",
    find: "mayBeEarly: isEnd && endsAll && isPlain,",
    replace: "mayBeEarly: isEnd && isPlain,",
  },
  {
    name: "a rental is ended before its volume although something else needs it first",
    find: "await waitForDependents(operation, id, fate);",
    replace: "",
  },
  {
    breaks: "F",
    name: "what the program never agreed with is terminated when its entry goes",
    find: "if (state[importedKey] === true) {",
    replace: "if (state[importedKey] === id) {",
  },
  {
    name: "the mark of an import stays on what the program agrees with and ignores all changes of",
    find: "const given = { ...written, [originKey]",
    replace: "const given = { ...news, [originKey]",
  },
  {
    name: "a rental that is being replaced does not count as leaving",
    find: "endsAll || entry.isReplaced === true || isLeft(entry)",
    replace: "endsAll || isLeft(entry)",
  },
  {
    name: "a rental that ended by itself keeps its attachment",
    find: "    if (ended.length > 0) {\n      engine.warn(",
    replace: "    if (ended.length > rentals.length) {\n      engine.warn(",
  },
  {
    name: "an attach that was answered and then cancelled is in no state",
    find: "    if (!mayBeAttached) throw error;",
    replace: "    throw error;",
  },
  {
    name: "an attach that was refused claims its pairs",
    find: "if (error instanceof PairRefusedError ? !error.isPartly : !wasReached) throw error;",
    replace: "",
  },
  {
    name: "what was attached before the rest was refused is in no state",
    find: "{ isPartly: left.length < wanted.rentalIds.length }",
    replace: "{}",
  },
  {
    breaks: "W",
    name: "a pair that one list of a refresh lacked is forgotten",
    find: ".map(Number) .filter((rental) => !attached.includes(rental));",
    replace: ".map(Number) .filter((rental) => attached.length < 0 && rental > 0);",
  },
  {
    breaks: "D",
    name: "a list of both kinds of rental shows each machine as either",
    find: "const own = found.items.filter((item) => !list.isOther?.(item));",
    replace: "const own = found.items;",
  },
  {
    name: "what is listed as deleted runs",
    find: '"Terminated", "Deleted", "Destroyed"',
    replace: '"Terminated", "Destroyed"',
  },
  {
    breaks: "D",
    name: "nothing was made where its label stands in an unreadable record",
    find: "(one) => hasWhole(one.label, label) && !(one.id !== undefined && isHeld(one.id)),",
    replace: '(one) => one.label === "",',
  },
];
