import { createRig } from "./rig";
import { Stack } from "./stack";

const rental = { type: "BareMetalRental", inputs: { networkType: "infiniband", gpuCount: 8 } };
test("speed", async () => {
  let [a, b, c, d] = [0, 0, 0, 0];
  for (let i = 0; i < 60; i++) {
    let t = performance.now();
    const rig = createRig();
    const stack = new Stack(rig);
    a += performance.now() - t;
    t = performance.now();
    await stack.up({ train: rental, b: rental, c: rental });
    b += performance.now() - t;
    t = performance.now();
    await rig.run(rig.client.getOpenApi());
    c += performance.now() - t;
    t = performance.now();
    await stack.destroy();
    d += performance.now() - t;
    if (i === 59) console.log(rig.emulator.requests());
  }
  console.log(a / 60, b / 60, c / 60, d / 60);
});
