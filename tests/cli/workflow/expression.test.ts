import { evaluate, interpolate, isMet } from "./expression";

const contexts = {
  github: { event_name: "push", event: { labels: [{ name: "One" }, { name: "two" }, {}] } },
  vars: {},
};

describe("An expression of a workflow", () => {
  test.each<[string, unknown]>([
    ["github.event_name == 'PUSH'", true],
    ["github.event_name != 'push'", false],
    ["vars.NOTHING || 'dev'", "dev"],
    ["vars.NOTHING && 'dev'", null],
    ["vars.NOTHING == ''", true],
    ["!vars.NOTHING", true],
    ["github.event.gone.deeper.still", null],
    ["contains(github.event.labels.*.name, 'one')", true],
    ["contains(github.event.labels.*.name, 'on')", false],
    ["contains(github.gone.labels.*.name, 'one')", false],
    ["contains('it''s', 'T''S')", true],
    ["github['event_name']", "push"],
    ["true && (false || 2 == '2')", true],
    ["1 == 2 || 'a' == 'b'", false],
    ["null == 0", true],
  ])("%s is %j", (expression, value) => {
    expect(evaluate(expression, contexts)).toEqual(value);
  });

  test("keeps its type where it stands by itself, and is text among text", () => {
    const braces = (text: string) => `$\{{ ${text} }}`;
    const [event, nothing] = [braces("github.event_name"), braces("vars.NOTHING")];
    expect(interpolate(braces("!vars.NOTHING"), contexts)).toBe(true);
    expect(interpolate(`a-${event}-${nothing}`, contexts)).toBe("a-push-");
    expect(interpolate(`${event}-${braces("vars.A || 'b'")}`, contexts)).toBe("push-b");
  });

  test("without a function for it wants everything before to have succeeded", () => {
    expect(isMet(undefined, contexts, false)).toBe(false);
    expect(isMet("github.event_name == 'push'", contexts, false)).toBe(false);
    expect(isMet("always() && github.event_name == 'push'", contexts, false)).toBe(true);
    expect(isMet("failure()", contexts, true)).toBe(false);
    expect(isMet("success()", contexts, false)).toBe(false);
  });

  test.each([
    ["secrets.KEY", "there is no context secrets here"],
    ["fromJSON('1')", "there is no function fromJSON here"],
    ["'open", "cannot read \"'open\" in 'open"],
    ["1 2", "unexpected 2"],
  ])("%s is an error", (expression, message) => {
    expect(() => evaluate(expression, contexts)).toThrow(message);
  });
});
