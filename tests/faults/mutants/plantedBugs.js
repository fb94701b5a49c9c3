/**
 * Mistakes that somebody could make, each planted in a copy of the sources: the harness in tests/faults must notice every
 * one of them. `find` must occur in `file` exactly once; a test holds that.
 *
 * @typedef {object} PlantedBug
 * @property {string} name
 * @property {string} file
 * @property {string} find
 * @property {string} replace
 */

/** @type {readonly PlantedBug[]} */
const plantedBugs = [
  {
    name: "a create whose reply was lost is sent again",
    file: "provider/client/failure.ts",
    find: "repeat: definite && !failure.permanent",
    replace: "repeat: !failure.permanent",
  },
  {
    name: "a create that was answered 5xx is sent again",
    file: "provider/client/failure.ts",
    find: "if (!call.repeatable) return final(unknownOutcome(call, error, status));",
    replace: "",
  },
  {
    name: "a redirect counts as an answer",
    file: "provider/client/http.ts",
    find: "if (status >= 200 && status < 300) return read(exchange, facts);",
    replace: "if (status >= 200 && status < 400) return read(exchange, facts);",
  },
  {
    name: "a Retry-After beyond the deadline is waited for",
    file: "provider/client/repeat.ts",
    find: "if (asked >= left) return undefined;",
    replace: "if (asked >= left) return asked;",
  },
  {
    name: "the key is not taken out of what the service says",
    file: "provider/client/cleanText.ts",
    find: "const redacted = secrets.reduce(redact, visible);",
    replace: "const redacted = visible;",
  },
  {
    name: "errors are shown as they come",
    file: "provider/hosted.ts",
    find: "const message = cleanText(messageOf(error), { secrets: runtime().secrets(), max: longestError });",
    replace: "const message = messageOf(error);",
  },
  {
    name: "a partial state loses __provider",
    file: "provider/hosted.ts",
    find: "send({ ...values, ...error.outputs, [providerKey]: values[providerKey] })",
    replace: "send({ ...error.outputs })",
  },
  {
    name: "outputs hold undefined",
    file: "provider/hosted.ts",
    find: "outs: send({ ...inputs, ...outputs }) };",
    replace: "outs: { ...send({ ...inputs, ...outputs }), expiresAtTime: undefined } };",
  },
  {
    name: "a list that cannot be read counts as empty",
    file: "provider/records/bareMetalRentals.ts",
    find: "fetch: (client, call) => client.listBareMetalRentals(call),",
    replace: "fetch: (client, call) => client.listBareMetalRentals(call).catch(() => []),",
  },
  {
    name: "labels are compared by their beginning",
    file: "provider/lifecycle/sharedList.ts",
    find: "return (this.byLabel.get(label) ?? []).map((item) => this.kind.view(item));",
    replace:
      "return this.items.filter((item) => (this.kind.labelOf(item) ?? '').startsWith(label.slice(0, 1))).map((item) => this.kind.view(item));",
  },
  {
    name: "what is pending counts as ready",
    file: "provider/lifecycle/ready.ts",
    find: 'return { is: "pending", status: view.status };',
    replace: 'return { is: "done", result: view };',
  },
  {
    name: "a wait overstays its deadline",
    file: "provider/lifecycle/wait.ts",
    find: "const deadline = wait.deadline ?? work.deadline;",
    replace: "const deadline = (wait.deadline ?? work.deadline) + 3_600_000;",
  },
  {
    name: "what a list lacks is gone at once",
    file: "provider/lifecycle/missing.ts",
    find: 'if (isGone(latest)) return "gone";',
    replace: 'return "gone";',
  },
  {
    name: "a machine left over is not noticed",
    file: "provider/lifecycle/own.ts",
    find: "if (left) throw new RefusedError(refusal(work, left));",
    replace: "",
  },
  {
    name: "a create in doubt is made again without a look",
    file: "provider/lifecycle/own.ts",
    find: "if (settled) return settled;",
    replace: "",
  },
  {
    name: "a create in doubt leaves nothing in the state",
    file: "provider/lifecycle/own.ts",
    find: "throw new PartialStateError(",
    replace: "throw new RefusedError(",
  },
  {
    name: "with a chosen label, what was there before is taken",
    file: "provider/lifecycle/own.ts",
    find: "!before?.find(view.id) &&",
    replace: "",
  },
  {
    name: "a machine that fails is not kept in the state",
    file: "provider/lifecycle/create.ts",
    find: "throw new PartialStateError(failure(error, latest), made.id, unfinished, { cause: error });",
    replace: "throw new RefusedError(failure(error, latest));",
  },
  {
    name: "a failed machine is not replaced",
    file: "provider/lifecycle/view.ts",
    find: 'return phase === "failed" || phase === "ending" || phase === "ended";',
    replace: 'return phase === "ending" || phase === "ended";',
  },
  {
    name: "the provider goes on renting when the engine is gone",
    file: "provider/lifecycle/work.ts",
    find: "if (!(await work.runtime.engine.alive())) throw new EngineGoneError();",
    replace: "",
  },
  {
    name: "a delete is done as soon as it is sent",
    file: "provider/lifecycle/end.ts",
    find: 'if (sent.outcome === "gone") return;',
    replace: 'if (sent.outcome !== "unavailable") return;',
  },
  {
    name: "a delete ends what a replacement has taken over",
    file: "provider/lifecycle/delete.ts",
    find: "if (runtime.memory.takenOverBy(definition.type, id) !== undefined) return;",
    replace: "",
  },
  {
    name: "a create in doubt is forgotten when it is deleted",
    file: "provider/lifecycle/delete.ts",
    find: "if (found[0]) await definition.end(work, found[0].id, state);",
    replace: "",
  },
  {
    name: "every label of a resource is the same",
    file: "provider/lifecycle/label.ts",
    find: "alphabet[Math.floor(random() * alphabet.length)]",
    replace: "alphabet[0]",
  },
  {
    name: "a volume that came with a rental outlives it",
    file: "provider/resources/bareMetalRental.ts",
    find: "if (volume) await deleteInlineVolume(work, volume, state);",
    replace: "",
  },
  {
    name: "recover forgets the machine that is being replaced",
    file: "cli/recovery/place.ts",
    find: "return inOrder([...resources.map((resource) => (resource === placement.of ? old : resource)), entry]);",
    replace:
      "return inOrder([...resources.filter((resource) => resource !== placement.of && resource !== old), entry]);",
  },
];

module.exports = { plantedBugs };
