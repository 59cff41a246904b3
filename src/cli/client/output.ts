// What client commands share: their options, and output as JSON or for people.
import type { Command } from 'commander';
import { readClientConfig } from '#config/config.ts';
import { commandName } from '#lib/package-files.ts';
import { safeJson } from '../terminal-text.ts';
import { type Cell, cellText, type Table, tableLines } from './table.ts';
import { randomUUID } from 'node:crypto';

/** Options that every client command takes. */
export interface ServerOptions {
  readonly profile?: string;
  readonly json?: true;
}

/** Adds the options that every client command takes, and examples to its help. @param examples without the command's name */
export function withServer(command: Command, ...examples: readonly string[]): Command {
  const shown = examples.map((example) => `  ${commandName} ${example}`).join('\n');
  return command
    .option('--profile <name>', 'profile of `login`; default: TOCSIN_URL and TOCSIN_API_KEY, or the profile "default"')
    .option('--json', 'print JSON')
    .addHelpText('after', `\nExample${examples.length > 1 ? 's' : ''}:\n${shown}`);
}

/** Prints a value as JSON with `--json`, otherwise as lines for people. Texts in lines must be safe already. */
export function print({ json }: ServerOptions, value: unknown, lines: () => readonly string[]): void {
  const text = json === true ? safeJson(value, 2) : shownLines(lines()).join('\n');
  if (text !== '') process.stdout.write(`${text}\n`);
}

/** In a job of GitHub Actions, names and messages must not be taken as commands. */
function shownLines(lines: readonly string[]): readonly string[] {
  return readClientConfig().isGitHubJob ? guarded(lines) : lines;
}

/** Lines of a table at the width of the terminal. @param empty what is said if it has no rows */
export function listed(table: Table, empty: string): readonly string[] {
  return table.rows.length === 0 ? [empty] : tableLines(table, terminalWidth());
}

/** Lines of facts: names in front, absent ones (null) left out. */
export function facts(entries: readonly (readonly [name: string, value: Cell | null])[]): readonly string[] {
  const shown = entries.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]));
  const width = Math.max(...shown.map(([name]) => name.length));
  return shown.map(([name, value]) => `${name.padEnd(width)}  ${cellText(value)}`.trimEnd());
}

/** Says something to people beside the output. */
export function note(line: string): void {
  process.stderr.write(`${line}\n`);
}

function terminalWidth(): number | null {
  return process.stdout.isTTY ? process.stdout.columns : null;
}

/** A duration in its largest unit: `45 s`, `12 min`, `3 h`, `5 d`. */
export function ageText(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  return seconds < 48 * 3600 ? `${Math.floor(seconds / 3600)} h` : `${Math.floor(seconds / 86_400)} d`;
}

/** How long ago an instant of the API was. @param now epoch ms */
export function ago(instant: string | null, now: number): string {
  return instant === null ? 'never' : `${ageText(now - Date.parse(instant))} ago`;
}

/** Lines that a GitHub Actions runner takes as plain text, even if a check's name or message is a workflow command. */
export function guarded(lines: readonly string[]): readonly string[] {
  if (!lines.some((line) => /^\s*::|##\[/.test(line))) return lines;
  const token = randomUUID();
  return [`::stop-commands::${token}`, ...lines, `::${token}::`];
}
