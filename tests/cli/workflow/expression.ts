/**
 * GitHub's expressions, as far as the workflows use them: contexts, `.*`, the operators, and a few functions. What it does not know
 * is an error, so that a workflow cannot say more than the tests understand.
 */

export type Contexts = Readonly<Record<string, unknown>>;

const tokenPattern = /\s*(?:('(?:[^']|'')*')|(-?\d+(?:\.\d+)?)|([A-Za-z_][\w-]*)|(&&|\|\||==|!=|[!().,*[\]]))/y;

interface Token {
  kind: "text" | "number" | "name" | "sign";
  value: string;
}

/** The value of one expression, without `${{ }}` around it. */
export function evaluate(expression: string, contexts: Contexts): unknown {
  const parser = new Parser(tokensOf(expression), contexts);
  const value = parser.either();
  parser.end();
  return value;
}

/** The value of a setting: text with expressions in it, or one expression by itself, which keeps its type. */
export function interpolate(setting: unknown, contexts: Contexts): unknown {
  if (typeof setting !== "string") return setting;
  const [, whole] = /^\$\{\{((?:(?!\}\}).)*)\}\}$/s.exec(setting.trim()) ?? [];
  if (whole !== undefined) return evaluate(whole, contexts);
  return setting.replace(/\$\{\{(.*?)\}\}/gs, (_, one: string) => asText(evaluate(one, contexts)));
}

/** Whether an `if:` lets its job or step run: one without a status function wants everything before it to have succeeded. */
export function isMet(condition: unknown, contexts: Contexts, hasSucceeded: boolean): boolean {
  if (condition === undefined) return hasSucceeded;
  const text = String(condition).replace(/^\s*\$\{\{(.*)\}\}\s*$/s, "$1");
  const asksForStatus = /\b(always|success|failure|cancelled)\(\)/.test(text);
  const isTrue = Boolean(evaluate(text, { ...contexts, [succeeded]: hasSucceeded }));
  return isTrue && (asksForStatus || hasSucceeded);
}

const succeeded = "(succeeded)";

function tokensOf(expression: string): Token[] {
  const tokens: Token[] = [];
  const kinds = ["text", "number", "name", "sign"] as const;
  const pattern = new RegExp(tokenPattern);
  while (pattern.lastIndex < expression.trimEnd().length) {
    const from = pattern.lastIndex;
    const match = pattern.exec(expression);
    if (!match) throw new Error(`cannot read ${JSON.stringify(expression.slice(from))} in ${expression}`);
    const index = match.slice(1).findIndex((part) => part !== undefined);
    tokens.push({ kind: kinds[index] ?? "sign", value: match[index + 1] ?? "" });
  }
  return tokens;
}

/** What `.*` leads to: what follows is asked of each. */
class Each {
  constructor(readonly members: readonly unknown[]) {}
}

class Parser {
  private position = 0;

  constructor(
    private readonly tokens: readonly Token[],
    private readonly contexts: Contexts,
  ) {}

  end(): void {
    const left = this.tokens[this.position];
    if (left) throw new Error(`unexpected ${left.value}`);
  }

  /** `||` gives the first that is true, or the last. */
  either(): unknown {
    let value = this.both();
    while (this.take("||")) {
      const other = this.both();
      value = value ? value : other;
    }
    return value;
  }

  private both(): unknown {
    let value = this.comparison();
    while (this.take("&&")) {
      const other = this.comparison();
      value = value ? other : value;
    }
    return value;
  }

  private comparison(): unknown {
    const value = this.negation();
    if (this.take("==")) return isEqual(value, this.negation());
    if (this.take("!=")) return !isEqual(value, this.negation());
    return value;
  }

  private negation(): unknown {
    return this.take("!") ? !this.negation() : this.path();
  }

  private path(): unknown {
    let value = this.primary();
    while (true) {
      if (this.take(".")) {
        value = this.take("*") ? new Each(membersOf(value)) : property(value, this.name());
      } else if (this.take("[")) {
        value = property(value, asText(this.either()));
        this.need("]");
      } else return value instanceof Each ? value.members : value;
    }
  }

  private primary(): unknown {
    if (this.take("(")) {
      const value = this.either();
      this.need(")");
      return value;
    }
    const token = this.tokens[this.position++];
    switch (token?.kind) {
      case "text":
        return token.value.slice(1, -1).replaceAll("''", "'");
      case "number":
        return Number(token.value);
      case "name":
        return this.named(token.value);
      default:
        throw new Error(`unexpected ${token?.value ?? "end"}`);
    }
  }

  private named(name: string): unknown {
    if (this.take("(")) return this.call(name);
    const constants = new Map<string, unknown>([
      ["true", true],
      ["false", false],
      ["null", null],
    ]);
    if (constants.has(name)) return constants.get(name);
    if (!(name in this.contexts)) throw new Error(`there is no context ${name} here`);
    return this.contexts[name];
  }

  private call(name: string): unknown {
    const args: unknown[] = [];
    while (!this.take(")")) {
      args.push(this.either());
      this.take(",");
    }
    const [first, second] = args;
    switch (name) {
      case "contains":
        return Array.isArray(first)
          ? first.some((member) => isEqual(member, second))
          : asText(first).toLowerCase().includes(asText(second).toLowerCase());
      case "always":
        return true;
      case "success":
        return this.contexts[succeeded];
      case "failure":
        return !this.contexts[succeeded];
      default:
        throw new Error(`there is no function ${name} here`);
    }
  }

  private take(sign: string): boolean {
    const token = this.tokens[this.position];
    if (token?.kind !== "sign" || token.value !== sign) return false;
    this.position++;
    return true;
  }

  private need(sign: string): void {
    if (!this.take(sign)) throw new Error(`${sign} is missing`);
  }

  private name(): string {
    const token = this.tokens[this.position++];
    if (token?.kind !== "name") throw new Error(`a name is missing after "."`);
    return token.value;
  }
}

function membersOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return typeof value === "object" && value !== null ? Object.values(value) : [];
}

/** What is not there is null, however deep. */
function property(value: unknown, name: string): unknown {
  if (value instanceof Each) {
    return new Each(value.members.map((member) => property(member, name)).filter((member) => member !== null));
  }
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return null;
  const found: unknown = Reflect.get(value, name);
  return found ?? null;
}

/** As GitHub compares: text without regard to case, and values of two types as numbers. */
function isEqual(one: unknown, other: unknown): boolean {
  if (typeof one === "string" && typeof other === "string") return one.toLowerCase() === other.toLowerCase();
  if (typeof one === typeof other && one !== null && other !== null) return one === other;
  return asNumber(one) === asNumber(other);
}

function asNumber(value: unknown): number {
  if (value === null || value === "") return 0;
  return typeof value === "object" ? Number.NaN : Number(value);
}

function asText(value: unknown): string {
  return value === null || value === undefined ? "" : String(value);
}
