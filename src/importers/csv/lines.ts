// Reads pasted lines and CSV into checks: what each line becomes, and what is wrong with it.
import Papa from 'papaparse';
import type { CheckForm, LineCheck } from '#checks/form.ts';
import type { FormValue } from '#lib/schema/form.ts';

type Draft = Readonly<Record<string, FormValue>>;

/** What a line becomes. */
export interface Line {
  /** From 1. */
  readonly number: number;
  /** As it was pasted; several lines for a command. */
  readonly source: string;
  readonly name: string;
  readonly target: string;
  /** The label of its type; '' = unknown. */
  readonly type: string;
  /** The body of the new check; null = the line says something wrong. */
  readonly check: Draft | null;
  readonly tags: readonly string[];
  /** Seconds; null = not given. */
  readonly interval: number | null;
  /** What was left out. */
  readonly notes: readonly string[];
  readonly fault: string | null;
}

/** What lines say that do not say it themselves. */
export interface Defaults {
  /** Seconds. */
  readonly interval: number;
  readonly tags: readonly string[];
  readonly groupId: number | null;
}

/** Reads all lines but empty ones and comments (`#`). */
export function readLines(pasted: string, defaults: Defaults, forms: readonly CheckForm[]): Line[] {
  const all = entriesOf(pasted);
  const first = all.find(({ source }) => !isCommand(source))?.source ?? '';
  const delimiter = ['\t', ';'].find((each) => first.includes(each)) ?? ',';
  const cellsOf = (source: string): string[] =>
    (Papa.parse<string[]>(source, { delimiter }).data[0] ?? []).map((cell) => cell.trim());
  const head = columnsOf(cellsOf(first));
  const lines = head === null ? all : all.filter(({ source }) => source !== first);
  return lines.map(({ number, source }) => {
    const parts = isCommand(source)
      ? partsOf(source, '', '', [])
      : head === null
        ? placed(cellsOf(source), forms)
        : headed(cellsOf(source), head);
    return lineOf({ number, source }, parts, defaults, forms);
  });
}

const isCommand = (source: string): boolean => /^curl\s/.test(source);

/** Lines; a command continues after a backslash and inside of quotes. */
function entriesOf(pasted: string): { readonly number: number; readonly source: string }[] {
  const found: { readonly number: number; readonly source: string }[] = [];
  const lines = pasted.split(/\r?\n/);
  for (let index = 0; index < lines.length; index += 1) {
    const number = index + 1;
    let source = (lines[index] ?? '').trim();
    while (isCommand(source) && isUnfinished(source) && index + 1 < lines.length)
      source += `\n${lines[(index += 1)] ?? ''}`;
    if (source !== '' && !source.startsWith('#')) found.push({ number, source });
  }
  return found;
}

function isUnfinished(command: string): boolean {
  const rest = command.replaceAll(/\\[^]|\$'(?:[^'\\]|\\[^])*'|'[^']*'|"(?:[^"\\]|\\[^])*"/g, (part) =>
    /^\\\s/.test(part) ? part : '',
  );
  return /['"]|\\\s*$/.test(rest) || command.endsWith('\\');
}

/** The parts of a line as text. */
interface Parts {
  readonly target: string;
  readonly name: string;
  readonly interval: string;
  readonly tags: readonly string[];
}

function partsOf(target: string, name: string, interval: string, tags: readonly string[]): Parts {
  return { target, name, interval, tags: tags.flatMap((each) => each.split(/[,;|\s]+/)).filter((each) => each !== '') };
}

/** `name, target, interval, tags`; the name may be missing. */
function placed(cells: readonly string[], forms: readonly CheckForm[]): Parts {
  const [first = '', second = ''] = cells;
  const isTarget = (cell: string): boolean => forms.some(({ fromLine }) => fromLine?.(cell) != null);
  if (isTarget(first) && !isTarget(second)) {
    const [, interval = '', ...tags] = cells;
    return partsOf(first, '', interval, tags);
  }
  const [, , interval = '', ...tags] = cells;
  return cells.length === 1 ? partsOf(first, '', '', []) : partsOf(second, first, interval, tags);
}

const columnNames = {
  name: ['name', 'title', 'check'],
  target: ['target', 'url', 'address', 'host'],
  interval: ['interval', 'every', 'frequency'],
  tags: ['tags', 'tag', 'labels'],
} as const;
type Columns = Readonly<Record<keyof typeof columnNames, number>>;

/** The columns that a first line names; null = it is not a header. */
function columnsOf(cells: readonly string[]): Columns | null {
  const names = cells.map((cell) => cell.toLowerCase());
  const at = (column: keyof typeof columnNames): number =>
    names.findIndex((name) => (columnNames[column] as readonly string[]).includes(name));
  const columns = { name: at('name'), target: at('target'), interval: at('interval'), tags: at('tags') };
  return columns.target === -1 ? null : columns;
}

function headed(cells: readonly string[], { target, name, interval, tags }: Columns): Parts {
  return partsOf(cells[target] ?? '', cells[name] ?? '', cells[interval] ?? '', [cells[tags] ?? '']);
}

function lineOf(
  { number, source }: Pick<Line, 'number' | 'source'>,
  parts: Parts,
  defaults: Defaults,
  forms: readonly CheckForm[],
): Line {
  const { target, interval: written } = parts;
  const [form, found] = readTarget(target, forms);
  const interval = secondsOf(written);
  const tags = [...new Set([...parts.tags, ...defaults.tags])];
  const fault =
    found === null
      ? text.noTarget(target)
      : interval === undefined
        ? text.noInterval(written)
        : form === null || (interval ?? defaults.interval) >= form.shortestInterval
          ? null
          : text.tooOften(form.shortestInterval);
  const name = parts.name === '' ? (found?.name ?? target) : parts.name;
  const check =
    fault === null && form !== null && found !== null
      ? {
          ...form.start,
          ...found.body,
          checkType: form.type,
          name,
          tags,
          groupId: defaults.groupId,
          ...(interval === null && form.start['frequency'] !== undefined
            ? {}
            : frequencyOf(interval ?? defaults.interval)),
        }
      : null;
  return {
    number,
    source,
    name: name.slice(0, 200),
    target: isCommand(source) ? (found?.name ?? '') : target,
    type: form?.label ?? '',
    check,
    tags,
    interval: interval ?? null,
    notes: found?.notes ?? [],
    fault,
  };
}

function readTarget(
  target: string,
  forms: readonly CheckForm[],
): readonly [CheckForm, LineCheck] | readonly [null, null] {
  for (const form of forms) {
    const found = form.fromLine?.(target);
    if (found != null) return [form, found];
  }
  return [null, null];
}

const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** Seconds of `30s`, `5 min` or `1h`; null = nothing is written, undefined = it is no interval. */
function secondsOf(written: string): number | null | undefined {
  if (written === '') return null;
  const [, count, unit = ''] = /^(\d{1,5})\s*(s|m|h|d)(?:ec|in)?[a-z]*$/i.exec(written) ?? [];
  const seconds = Number(count) * (units[unit.toLowerCase()] ?? Number.NaN);
  return Number.isNaN(seconds) || seconds === 0 || (seconds > 60 && seconds % 60 !== 0) ? undefined : seconds;
}

function frequencyOf(seconds: number): Draft {
  return seconds < 60 ? { frequency: 0, frequencyOffset: seconds } : { frequency: seconds / 60 };
}

const text = {
  noTarget: (target: string) =>
    target === ''
      ? 'There is no target'
      : `“${target.slice(0, 100)}” is not a target. Write https://…, tcp://host:port, ping host, dns name, ssl host or a curl command`,
  noInterval: (written: string) => `“${written.slice(0, 40)}” is not an interval. Write 30s, 5m or 1h`,
  tooOften: (seconds: number) => `The shortest interval is ${seconds < 60 ? `${seconds} s` : `${seconds / 60} min`}`,
};
