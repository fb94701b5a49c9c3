import { Command } from "commander";

export function pluginCommand(): Command {
  return new Command("plugin")
    .description("install the Pulumi plugin, for programs in other languages, imports and cancellation")
    .addCommand(
      new Command("install")
        .description("put the plugin of this version where Pulumi looks for it")
        .action(async () => {
          const { installPlugin } = await import("./install");
          const { version, folder } = installPlugin(process.env);
          const { print } = await import("../../terminal");
          print(`Installed the plugin gpufleet ${version} in ${folder}.`);
        }),
    );
}
