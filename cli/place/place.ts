/** Where a stack is worked on, as the command line of `pulumi` takes it. */
export interface Place {
  /** A folder of the Pulumi project. */
  cwd: string;
  /** The stack's name; the selected one if left out. */
  stack?: string | undefined;
}

/** Which stacks a command is to work on. */
export interface StackChoice {
  cwd: string;
  /** Names, in which `*` stands for any characters. None: the selected stack. */
  names: readonly string[];
  /** Every stack of the project. */
  all: boolean;
}
