// `completion`: scripts that complete commands and options in bash, zsh and fish, from the command tree.
import { Argument, type Command } from 'commander';

const shells = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof shells)[number];

/** A command as shells complete it. */
interface Completed {
  /** `checks ls`; empty for the program itself. */
  readonly path: string;
  readonly words: readonly Word[];
}

interface Word {
  readonly text: string;
  readonly about: string;
  /** Whether a value follows, which is completed as a file name unless it has choices. */
  readonly takesValue: boolean;
  readonly choices: readonly string[];
}

/** Defines `completion`. The program must contain all commands. */
export function defineCompletion(command: Command): void {
  command
    .description('Print a script that completes commands and options. Load it in the start file of your shell.')
    .addArgument(new Argument('<shell>').choices(shells))
    .addHelpText(
      'after',
      '\nExamples:\n' +
        '  source <(tocsin completion bash)    # in ~/.bashrc\n' +
        '  source <(tocsin completion zsh)     # in ~/.zshrc, after compinit\n' +
        '  tocsin completion fish | source     # in ~/.config/fish/config.fish',
    )
    .action((shell: Shell, _: unknown, { parent }: Command) => {
      if (parent !== null) process.stdout.write(completionScript(shell, parent));
    });
}

/** The script of a shell for a program with all its commands. */
export function completionScript(shell: Shell, program: Command): string {
  const commands = completedOf(program, []);
  return shell === 'fish' ? fishScript(commands) : shellScript(shell, commands);
}

function completedOf(command: Command, path: readonly string[]): readonly Completed[] {
  const help = command.createHelp();
  const children = help.visibleCommands(command);
  const words = [
    ...children.map((child) => wordOf(child.name(), help.subcommandDescription(child))),
    ...help.visibleOptions(command).flatMap((option) =>
      [option.short, option.long].flatMap((text) =>
        text == null
          ? []
          : [
              {
                ...wordOf(text, option.description),
                takesValue: option.required || option.optional,
                choices: option.argChoices ?? [],
              },
            ],
      ),
    ),
  ];
  return [
    { path: path.join(' '), words },
    ...children.flatMap((child) => (child.name() === 'help' ? [] : completedOf(child, [...path, child.name()]))),
  ];
}

function wordOf(text: string, about: string): Word {
  return { text, about, takesValue: false, choices: [] };
}

/** For bash, and for zsh by its emulation of bash's completion. */
function shellScript(shell: 'bash' | 'zsh', commands: readonly Completed[]): string {
  const cases = commands.map(
    ({ path, words }) => `    '${path}') words='${words.map(({ text }) => text).join(' ')}' ;;`,
  );
  const paths = commands.map(({ path }) => `'${path}'`).join('|');
  const values = commands.flatMap(({ path, words }) =>
    words
      .filter(({ takesValue }) => takesValue)
      .map(({ text, choices }) => {
        const found = choices.length === 0 ? '-f' : `-W '${choices.join(' ')}'`;
        return `    '${path} ${text}') COMPREPLY=($(compgen ${found} -- "$last")); return ;;`;
      }),
  );
  return `${shell === 'zsh' ? 'autoload -Uz bashcompinit && bashcompinit\n' : ''}_tocsin() {
  local path='' word words='' next last="\${COMP_WORDS[COMP_CWORD]}"
  COMPREPLY=()
  for word in "\${COMP_WORDS[@]:1:$((COMP_CWORD - 1))}"; do
    next="\${path:+$path }$word"
    case "$next" in
    ${paths}) path=$next ;;
    esac
  done
  case "$path \${COMP_WORDS[COMP_CWORD-1]}" in
${values.join('\n')}
  esac
  case "$path" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$last"))
}
complete -o default -F _tocsin tocsin
`;
}

function fishScript(commands: readonly Completed[]): string {
  const lines = commands.flatMap(({ path, words }) =>
    words.map(({ text, about, takesValue, choices }) => {
      const name = text.startsWith('--')
        ? `-l ${text.slice(2)}`
        : text.startsWith('-')
          ? `-s ${text.slice(1)}`
          : `-f -a ${text}`;
      return `complete -c tocsin -n '__tocsin_at "${path}"' ${name}${choices.length > 0 ? ` -x -a '${choices.join(' ')}'` : takesValue ? ' -rF' : ''} -d '${fishQuoted(about)}'`;
    }),
  );
  const paths = commands.flatMap(({ path }) => (path === '' ? [] : [`'${path}'`])).join(' ');
  return `function __tocsin_at
  set -l path
  for word in (commandline -opc)[2..-1]
    set -l next (string trim "$path $word")
    contains -- "$next" ${paths}; and set path $next
  end
  test "$path" = "$argv[1]"
end
${lines.join('\n')}
`;
}

function fishQuoted(text: string): string {
  return text.replaceAll(/[\\']/g, '\\$&');
}
