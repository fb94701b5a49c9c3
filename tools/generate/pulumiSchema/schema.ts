/**
 * Writes schema.json, which tells every language of Pulumi what the plugin has: from the schemas of the resources and the doc
 * comments of the SDK.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { type Handler, inPlaceOf } from "../../../provider/lifecycle";
import { dynamicPrefix } from "../../../provider/shared/typeToken";
import { root } from "../../bootstrap/paths";
import type { DocumentedFunction, SdkDocs } from "../sdkDocs";
import { writeFleet } from "./component";
import { OutputTypes } from "./fromTypeScript";
import { InputTypes } from "./fromZod";
import { NamedTypes, packageName, token } from "./namedTypes";
import type { FunctionSpec, ObjectSpec, PropertySpec, ResourceSpec } from "./spec";

const manifest = z.object({ version: z.string(), description: z.string(), license: z.string() });

export function writeSchema(resources: readonly Handler[], sdk: SdkDocs): string {
  const { version, description, license } = manifest.parse(
    JSON.parse(readFileSync(join(root, "package.json"), "utf8")),
  );
  const types = new NamedTypes();
  const inputTypes = new InputTypes(types, resources);
  const outputTypes = new OutputTypes(sdk, types);
  const inputs = new Map(resources.map((handler) => [handler.type, inputTypes.inputsOf(handler)]));
  const inputsOf = (type: string) => inputs.get(type) ?? { type: "object", properties: {} };
  const custom = resources.map((handler) => [
    token(handler.type),
    writeResource(handler, inputsOf(handler.type), outputTypes, sdk),
  ]);
  const rentals = { BareMetalRental: inputsOf("BareMetalRental"), VmRental: inputsOf("VmRental") };
  const settings = writeSettings(outputTypes);
  const functions = sdk
    .functions("functions")
    .map((found) => [token(found.name), writeFunction(found, outputTypes, sdk)]);
  const schema = {
    name: packageName,
    displayName: "GPU fleet",
    version,
    description,
    keywords: ["pulumi", "gpufleet", "category/infrastructure", "kind/native"],
    license,
    meta: { moduleFormat: "(.*)" },
    language: {
      // What programs import, and so what `pulumi import` writes.
      nodejs: { packageName: "pulumi-gpufleet/native", respectSchemaVersion: true },
      python: {
        packageName: "pulumi_gpufleet",
        requires: { pulumi: ">=3.139.0,<4.0.0" },
        respectSchemaVersion: true,
        pyproject: { enabled: true },
      },
      go: { importBasePath: "pulumi-gpufleet/sdk/go/gpufleet", respectSchemaVersion: true },
      csharp: { respectSchemaVersion: true },
    },
    config: { variables: settings },
    provider: {
      description: sdk.get("Provider").description,
      inputProperties: settings,
    },
    resources: {
      ...Object.fromEntries(custom),
      [token("GpuFleet")]: writeFleet(sdk, types, outputTypes, rentals),
    },
    functions: Object.fromEntries(functions),
  };
  return `${JSON.stringify({ ...schema, types: types.all() }, null, 2)}\n`;
}

/** The settings of a provider. None has a default from the environment: a key from there must not get into the state. */
function writeSettings(outputTypes: OutputTypes): Record<string, PropertySpec> {
  const { properties } = outputTypes.interface("ProviderArgs");
  return Object.fromEntries(
    Object.entries(properties).map(([key, property]) => [
      key,
      key === "apiKey" ? { ...property, secret: true } : property,
    ]),
  );
}

function writeResource(
  { type, definition }: Handler,
  inputs: ObjectSpec,
  outputTypes: OutputTypes,
  sdk: SdkDocs,
): ResourceSpec {
  if (!definition) throw new Error(`${type} is not for programs to make`);
  const inPlace = inPlaceOf(definition);
  const documented = sdk.get(type);
  const outputs = outputTypes.object(documented);
  const echoed = Object.entries(inputs.properties).map(([key, { default: _, ...property }]) => [key, property]);
  const { required: requiredInputs = [] } = inputs;
  const properties: Record<string, PropertySpec> = { ...Object.fromEntries(echoed), ...outputs.properties };
  return {
    description: documented.description,
    inputProperties: withReplacement(inputs.properties, inputs, inPlace),
    requiredInputs,
    properties: withReplacement(properties, inputs, inPlace),
    required: [...new Set([...requiredInputs, ...(outputs.required ?? [])])],
    aliases: [{ type: `${dynamicPrefix}${type}` }],
  };
}

/**
 * Says what a change of an input does. With `replaceOnChanges` an SDK has the engine replace whatever the provider reports as changed. That is
 * right for what is required: it is never taken from the program for what was imported, because an import without it is refused. Of all
 * else the provider alone says whether it replaces; `willReplaceOnChanges` is for readers.
 */
function withReplacement(
  properties: Record<string, PropertySpec>,
  inputs: ObjectSpec,
  inPlace: readonly string[],
): Record<string, PropertySpec> {
  const effect = (key: string): PropertySpec => {
    if (!(key in inputs.properties) || inPlace.includes(key)) return {};
    return inputs.required?.includes(key) ? { replaceOnChanges: true } : { willReplaceOnChanges: true };
  };
  return Object.fromEntries(
    Object.entries(properties).map(([key, property]) => [key, { ...property, ...effect(key) }]),
  );
}

function writeFunction(
  { description, argument, result }: DocumentedFunction,
  outputTypes: OutputTypes,
  sdk: SdkDocs,
): FunctionSpec {
  const hasArguments = sdk.find(argument) && argument !== "CallOptions";
  return {
    description,
    ...(hasArguments && { inputs: outputTypes.interface(argument) }),
    outputs: outputTypes.interface(result),
  };
}
