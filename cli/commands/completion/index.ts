import { Argument, Command } from "commander";
import { withChoices } from "../../options";

const shells = ["bash", "zsh", "fish"] as const;
type Shell = (typeof shells)[number];

export function completionCommand(): Command {
  return new Command("completion")
    .description("print a completion script for your shell")
    .addArgument(withChoices(new Argument("<shell>", "your shell"), shells))
    .addHelpText(
      "after",
      `
  bash  source <(gpufleet completion bash)            # in ~/.bashrc
  zsh   source <(gpufleet completion zsh)             # in ~/.zshrc, after compinit
  fish  gpufleet completion fish > ~/.config/fish/completions/gpufleet.fish`,
    )
    .action(async (shell: Shell, _options: unknown, command: Command) => {
      const { completionScript } = await import("./script");
      const { write } = await import("../../terminal");
      write(completionScript(shell, command.parent ?? command));
    });
}
