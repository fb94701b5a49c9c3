import * as pulumi from "@pulumi/pulumi";
import { type CallOptions, connect, type Service, serviceIn } from "./connection";
import { isMocked } from "./mocks";

/**
 * Calls the service for a function of this name. In a unit test the mocks answer instead, as for the functions of any other
 * provider: their `call` gets the token `gpufleet:index:<name>`, and what it gives is the result, or is made the result by
 * `fromMock` where that is not plain data.
 */
export async function callService<Result>(
  name: string,
  args: object,
  options: CallOptions,
  call: (service: Service) => Promise<Result>,
  fromMock?: (mocked: object) => Result,
): Promise<Result> {
  const given = serviceIn(options);
  if (given) return call(given);
  if (!isMocked()) return withoutOurFrames(async () => call(await connect(options)));
  const { provider, parent } = options;
  const known = Object.entries(args).filter(([, value]) => value !== undefined);
  const mocked = await pulumi.runtime.invoke(`gpufleet:index:${name}`, Object.fromEntries(known), {
    ...(provider && { provider }),
    ...(parent && { parent }),
  });
  return fromMock ? fromMock(mocked) : mocked;
}

/** A program that does not catch the error shows it with its stack: lines of this package and of Node, which help nobody. */
async function withoutOurFrames<Result>(call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof Error) Object.defineProperty(error, "stack", { value: `${error.name}: ${error.message}` });
    throw error;
  }
}
