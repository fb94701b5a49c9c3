import { BareMetalRental } from "../../sdk";

describe("A resource that cannot be registered", () => {
  // There is no engine here.
  const register = () => new BareMetalRental("node", { networkType: "infiniband", gpuCount: 8 });

  test("is an error that leads to the line in the program", () => {
    expect(register).toThrow(
      expect.objectContaining({
        message: expect.stringContaining("organization"),
        stack: expect.stringContaining("serviceResource.test.ts"),
      }),
    );
  });

  test("keeps the trace of an error that has one", () => {
    const cause = new Error("from elsewhere");
    const { stack } = cause;
    const args = {
      gpuCount: 8,
      get networkType(): "infiniband" {
        throw cause;
      },
    };
    expect(() => new BareMetalRental("node", args)).toThrow(cause);
    expect(cause.stack).toBe(stack);
  });

  test("leaves stack traces as they were", () => {
    Error.stackTraceLimit = 7;
    expect(register).toThrow();
    expect(Error.stackTraceLimit).toBe(7);
  });
});
