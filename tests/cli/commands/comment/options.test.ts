import { commentCommand } from "../../../../cli/commands/comment";

function pricesOf(...given: string[]): unknown {
  const command = commentCommand()
    .exitOverride()
    .configureOutput({ writeErr: () => undefined });
  command.parseOptions(given.flatMap((price) => ["--price", price]));
  return command.opts()["price"];
}

test("prices add up to one book", () => {
  expect(pricesOf("H100=2.49", "storage=0")).toEqual(
    new Map([
      ["h100", new Map([["default", 2.49]])],
      ["storage", new Map([["default", 0]])],
    ]),
  );
});

test.each(["h100", "h100=", "h100= ", "h100=free", "h100=-1", "h100=Infinity", "=2.49"])(
  "%j is no price, not even one of 0",
  (price) => {
    expect(() => pricesOf(price)).toThrow(
      `option '--price <name=usd>' argument '${price}' is invalid. It must look like h100=2.49.`,
    );
  },
);
