/**
 * Mistakes that somebody could make, each planted in a copy of the sources: the harness must notice every one of them.
 * Another bug is an entry here.
 */
export interface PlantedBug {
  name: string;
  /**
   * Source text that occurs exactly once in all of provider, sdk and cli; where it stands does not matter. Any white space stands for
   * any other.
   */
  find: string;
  replace: string;
}

export const plantedBugs: readonly PlantedBug[] = [
  {
    name: "a create whose reply was lost is sent again",
    find: "repeat: definite && !failure.permanent",
    replace: "repeat: !failure.permanent",
  },
  {
    name: "a create that was answered 5xx is sent again",
    find: "if (!call.repeatable) return final(unknownOutcome(call, error, status));",
    replace: "",
  },
  {
    name: "a redirect counts as an answer",
    find: "if (status >= 200 && status < 300) return read(exchange, facts);",
    replace: "if (status >= 200 && status < 400) return read(exchange, facts);",
  },
  {
    name: "a Retry-After beyond the deadline is waited for",
    find: "if (asked >= left) return undefined;",
    replace: "if (asked >= left) return asked;",
  },
  {
    name: "the key is not redacted from the service's answers",
    find: "const redacted = secrets.reduce(redact, visible);",
    replace: "const redacted = visible;",
  },
  {
    name: "errors are shown uncleaned",
    find: "const message = cleanText(messageOf(error), { secrets: runtime().secrets(), max: longestError });",
    replace: "const message = messageOf(error);",
  },
  {
    name: "a partial state loses __provider",
    find: "send({ ...values, ...error.outputs, [providerKey]: values[providerKey] })",
    replace: "send({ ...error.outputs })",
  },
  {
    name: "outputs contain undefined",
    find: "outs: send({ ...inputs, ...outputs }) };",
    replace: "outs: { ...send({ ...inputs, ...outputs }), expiresAtTime: undefined } };",
  },
  {
    name: "a list that cannot be read counts as empty",
    find: "fetch: (client, call) => client.listBareMetalRentals(call),",
    replace: "fetch: (client, call) => client.listBareMetalRentals(call).catch(() => []),",
  },
  {
    name: "labels are compared by their beginning",
    find: "return (this.byLabel.get(label) ?? []).map((item) => this.kind.view(item));",
    replace:
      "return this.items.filter((item) => (this.kind.labelOf(item) ?? '').startsWith(label.slice(0, 1))).map((item) => this.kind.view(item));",
  },
  {
    name: "a pending machine counts as ready",
    find: 'case "pending": return { is: "pending", status: view.status };',
    replace: 'case "pending": return { is: "done", result: view };',
  },
  {
    name: "a wait exceeds its deadline",
    find: "const deadline = wait.deadline ?? work.deadline;",
    replace: "const deadline = (wait.deadline ?? work.deadline) + 3_600_000;",
  },
  {
    name: "a machine missing from one list counts as gone",
    find: 'if (isGone(latest)) return "gone";',
    replace: 'return "gone";',
  },
  {
    name: "a leftover machine is not noticed",
    find: "if (left) throw new RefusedError(refusal(work, left));",
    replace: "",
  },
  {
    name: "an unresolved create is sent again without a search",
    find: "if (settled) return settled;",
    replace: "",
  },
  {
    name: "an unresolved create leaves nothing in the state",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is source code.
    find: "throw new PartialStateError( `${lost.message}",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is source code.
    replace: "throw new RefusedError( `${lost.message}",
  },
  {
    name: "with a chosen label, a machine that was there before is used",
    find: "!before?.find(view.id) &&",
    replace: "",
  },
  {
    name: "a machine that fails is not kept in the state",
    find: "throw new PartialStateError(failure(error, latest), made.id, unfinished, { cause: error });",
    replace: "throw new RefusedError(failure(error, latest));",
  },
  {
    name: "a failed machine is not replaced",
    find: 'return phase === "failed" || phase === "ending" || phase === "ended";',
    replace: 'return phase === "ending" || phase === "ended";',
  },
  {
    name: "the provider goes on renting when the engine is gone",
    find: "if (!(await work.runtime.engine.alive())) throw new EngineGoneError();",
    replace: "",
  },
  {
    name: "a delete is done as soon as it is sent",
    find: 'if (sent.outcome === "gone") return;',
    replace: 'if (sent.outcome !== "unavailable") return;',
  },
  {
    name: "a delete ends a machine that a replacement uses",
    find: "if (runtime.memory.takenOverBy(definition.type, id) !== undefined) return;",
    replace: "",
  },
  {
    name: "an unresolved create is forgotten when it is deleted",
    find: "if (found[0]) await definition.end(work, found[0].id, state);",
    replace: "",
  },
  {
    name: "every label of a resource is the same",
    find: "alphabet[Math.floor(random() * alphabet.length)]",
    replace: "alphabet[0]",
  },
  {
    name: "an inline volume outlives its rental",
    find: "if (volume) await deleteInlineVolume(work, volume, state);",
    replace: "",
  },
  {
    name: "recover forgets the machine that is being replaced",
    find: "return inOrder([...resources.map((resource) => (resource === placement.of ? old : resource)), entry]);",
    replace:
      "return inOrder([...resources.filter((resource) => resource !== placement.current && resource !== old), entry]);",
  },
];
