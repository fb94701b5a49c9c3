import type { Command, Option } from "commander";

/** What can stand after `gpufleet <command>`, read from the commands themselves. */
interface Completed {
  name: string;
  description: string;
  options: readonly Option[];
}

export function completionScript(shell: "bash" | "zsh" | "fish", program: Command): string {
  const commands = program.commands.map((command) => {
    const options = [...command.options, command.createHelp().visibleOptions(command).at(-1)].filter(
      (option) => option !== undefined,
    );
    return { name: command.name(), description: command.description(), options: unique(options) };
  });
  return { bash, zsh, fish }[shell](commands);
}

function unique(options: readonly Option[]): Option[] {
  return [...new Map(options.map((option) => [option.long, option])).values()];
}

const flagsOf = (command: Completed) => command.options.flatMap(({ long }) => (long ? [long] : []));

/** Options that take a file complete files; so does everything after an option with another value. */
function bash(commands: readonly Completed[]): string {
  const cases = commands.map((command) => `    ${command.name}) options="${flagsOf(command).join(" ")}" ;;`);
  const choices = commands.flatMap((command) =>
    command.options.flatMap(({ long, argChoices }) =>
      argChoices
        ? [`    "${command.name} ${long}") COMPREPLY=($(compgen -W "${argChoices.join(" ")}" -- "$word")); return ;;`]
        : [],
    ),
  );
  return `# bash completion of gpufleet
_gpufleet() {
  local word="\${COMP_WORDS[COMP_CWORD]}" command="\${COMP_WORDS[1]}" options=""
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${commands.map(({ name }) => name).join(" ")} --help --version" -- "$word"))
    return
  fi
  case "$command \${COMP_WORDS[COMP_CWORD-1]}" in
${choices.join("\n")}
    "completion completion") COMPREPLY=($(compgen -W "bash zsh fish" -- "$word")); return ;;
  esac
  case "$command" in
${cases.join("\n")}
  esac
  if [[ "$word" == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$word"))
  else
    COMPREPLY=($(compgen -f -- "$word"))
  fi
}
complete -o filenames -F _gpufleet gpufleet
`;
}

function zsh(commands: readonly Completed[]): string {
  const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  const brackets = (text: string) => text.replace(/[[\]:]/g, "\\$&");
  const option = ({ long, description, argChoices, required, optional }: Option) => {
    const value = argChoices ? `:value:(${argChoices.join(" ")})` : required || optional ? ":value:_files" : "";
    return quote(`${long}[${brackets(description)}]${value}`);
  };
  const cases = commands.map(
    ({ name, options }) =>
      `    ${name}) _arguments ${[...options.filter(({ long }) => long).map(option), ...(name === "completion" ? ["'1:shell:(bash zsh fish)'"] : [])].join(" ")} ;;`,
  );
  return `#compdef gpufleet
_gpufleet() {
  local -a commands
  commands=(${commands.map(({ name, description }) => quote(`${name}:${description}`)).join(" ")})
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command="\${words[2]}"
  shift words
  (( CURRENT-- ))
  case "$command" in
${cases.join("\n")}
  esac
}
compdef _gpufleet gpufleet
`;
}

function fish(commands: readonly Completed[]): string {
  const quote = (text: string) => `'${text.replace(/['\\]/g, "\\$&")}'`;
  const lines = commands.flatMap(({ name, description, options }) => [
    `complete -c gpufleet -n __fish_use_subcommand -f -a ${name} -d ${quote(description)}`,
    ...options.flatMap(({ long, description, argChoices, required, optional }) => {
      if (!long) return [];
      const value = argChoices ? ` -x -a ${quote(argChoices.join(" "))}` : required || optional ? " -r" : "";
      return [
        `complete -c gpufleet -n '__fish_seen_subcommand_from ${name}' -l ${long.slice(2)} -d ${quote(description)}${value}`,
      ];
    }),
  ]);
  return [
    "# fish completion of gpufleet",
    ...lines,
    "complete -c gpufleet -n '__fish_seen_subcommand_from completion' -f -a 'bash zsh fish'",
    "",
  ].join("\n");
}
