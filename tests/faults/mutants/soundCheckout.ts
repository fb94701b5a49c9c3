import { ToolError } from "../../../tools/bootstrap/command";
import { Checkout, type LayerResult } from "./checkout";
import type { TestLayer } from "./layers";

/** A checkout without any bug: a test that fails there as well has noticed nothing. Made when it is first needed. */
export class SoundCheckout {
  #built: Promise<Checkout> | undefined;
  readonly #results = new Map<string, Promise<LayerResult>>();

  constructor(private readonly engine: string | undefined) {}

  /** Each file is played once. */
  async demandPassing(layer: TestLayer, files: readonly string[]): Promise<void> {
    for (const file of files) {
      const result = this.#results.get(file) ?? this.#play(layer, file);
      this.#results.set(file, result);
      const { noticed, output } = await result;
      if (noticed) throw new ToolError(`${file} fails without any planted bug:\n${output.slice(-4000)}`);
    }
  }

  async remove(): Promise<void> {
    (await this.#built)?.remove();
  }

  async #play(layer: TestLayer, file: string): Promise<LayerResult> {
    this.#built ??= this.#build();
    return (await this.#built).replay([file], layer);
  }

  async #build(): Promise<Checkout> {
    const checkout = Checkout.create(this.engine);
    await checkout.build();
    return checkout;
  }
}
