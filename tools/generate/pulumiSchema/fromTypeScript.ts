/** What comes out of a resource, and what goes in and out of a function, as Pulumi's schema has it, from the types of the SDK. */
import { ToolError } from "../../bootstrap/command";
import type { Documented, Member, SdkDocs } from "../sdkDocs";
import { type NamedTypes, titled } from "./namedTypes";
import { anyValue, type ObjectSpec, objectSpec, type PropertySpec, type TypeSpec } from "./spec";
import { isWhole } from "./wholeNumbers";

export class OutputTypes {
  constructor(
    private readonly sdk: SdkDocs,
    private readonly types: NamedTypes,
  ) {}

  /** An interface, with what it inherits. */
  interface(name: string): ObjectSpec {
    const { description, members } = this.sdk.getWhole(name);
    return this.object({ name, description, members });
  }

  object({ members, description }: Documented): ObjectSpec {
    return objectSpec(
      Object.fromEntries(members.map((member) => [member.name, this.property(member)])),
      members.filter(({ optional }) => !optional).map(({ name }) => name),
      description,
    );
  }

  property({ name, type, description }: Member): PropertySpec {
    return { ...this.type(name, type), ...(description && { description }) };
  }

  private type(key: string, text: string): TypeSpec {
    const choices = text.split(" | ").filter((choice) => choice !== "null");
    const values = choices.map((choice) => /^"(.*)"$/.exec(choice)?.[1]).filter((value) => value !== undefined);
    if (values.length > 0 && values.length === choices.length) return this.types.enumeration(titled(key), values);
    const [only, ...others] = choices;
    if (only === undefined || others.length > 0) throw new ToolError(`no Pulumi schema for ${key}: ${text}`);
    if (only.endsWith("[]")) return { type: "array", items: this.type(key, only.slice(0, -2)) };
    return this.plain(key, only);
  }

  private plain(key: string, type: string): TypeSpec {
    switch (type) {
      case "string":
      case "boolean":
        return { type };
      case "number":
        return { type: isWhole(key) ? "integer" : "number" };
      case "object":
      case "Record<string, unknown>":
        return { type: "object", additionalProperties: anyValue };
      default:
        return this.types.object(type, this.interface(type));
    }
  }
}
