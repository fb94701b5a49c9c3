import { engineEnvironment } from "../../tools/bootstrap/engine/environment";

const places = { engine: "/engine", home: "/somewhere/home", backend: "/somewhere/state" };

describe("The environment of the engine", () => {
  test("has its own home and state, asks for nothing over the network, and finds the engine first", () => {
    expect(engineEnvironment(places, { PATH: "/usr/bin", LANG: "C" })).toEqual({
      LANG: "C",
      PATH: "/engine:/usr/bin",
      PULUMI_BACKEND_URL: "file:///somewhere/state",
      PULUMI_CONFIG_PASSPHRASE: "local",
      PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
      PULUMI_HOME: "/somewhere/home",
      PULUMI_SKIP_UPDATE_CHECK: "true",
    });
  });

  test("lets through neither the user's Pulumi login nor their GPU account", () => {
    const user = {
      PULUMI_ACCESS_TOKEN: "token",
      PULUMI_STACK: "production",
      GPUFLEET_API_KEY: "key",
      GPUFLEET_V1_BASE_URL: "https://gpu.example",
    };
    const names = Object.keys(engineEnvironment(places, user));
    expect(names.filter((name) => name in user)).toEqual([]);
  });
});
