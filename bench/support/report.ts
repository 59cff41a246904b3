// What a bench found, beside its bars and its limit: as a table for people, as JSON for programs.
import type { Machine } from './machine.ts';
import { machineLine } from './machine.ts';

/** One figure. Bars are what must hold; an aim is what we would like. */
export interface Row {
  readonly figure: string;
  readonly value: number;
  readonly unit: string;
  readonly atLeast?: number;
  readonly atMost?: number;
  /** The same work bare, measured in the same run. */
  readonly limit?: { readonly what: string; readonly value: number };
  /** The least that value / limit may be. */
  readonly ratioAtLeast?: number;
  readonly aim?: string;
}

/** All that a bench found. */
export interface Findings {
  readonly rows: readonly Row[];
  /** What was done, a sentence each. */
  readonly notes: readonly string[];
  /** What was wrong apart from speed, a sentence each: any makes the bench fail. */
  readonly faults: readonly string[];
}

/** A bench: one name of the command line. */
export interface Bench {
  readonly about: string;
  run(options: BenchOptions): Promise<Findings>;
}

/** The engines, as figures name them. */
export const engineNames = ['SQLite', 'PostgreSQL'] as const;
export type EngineName = (typeof engineNames)[number];

/** What the command line asks for. */
export interface BenchOptions {
  /** Folder for databases, on a real disk; removed afterwards. */
  readonly folder: string;
  /** Shorter runs: for a look at the way, not for figures to keep. */
  readonly isQuick: boolean;
  /** How many results to write where that is asked for; null = as many as the bar says. */
  readonly results: number | null;
  /** The only engine to measure where each is measured apart; null = both. */
  readonly engine: EngineName | null;
  /** Where to put CPU profiles of the service; null = do not profile. */
  readonly profileFolder: string | null;
  /** Tells how far the bench is. */
  readonly say: (what: string) => void;
}

/** value / limit; null without a limit. */
export function ratioOf({ value, limit }: Row): number | null {
  return limit === undefined ? null : value / limit.value;
}

/** Whether every bar of a row holds. A figure that could not be measured (NaN) holds none. */
export function isMet(row: Row): boolean {
  const ratio = ratioOf(row);
  return (
    !Number.isNaN(row.value) &&
    (row.atLeast === undefined || row.value >= row.atLeast) &&
    (row.atMost === undefined || row.value <= row.atMost) &&
    (row.ratioAtLeast === undefined || (ratio !== null && ratio >= row.ratioAtLeast))
  );
}

/** Whether the bench as a whole holds its bars. */
export function isPassed({ rows, faults }: Findings): boolean {
  return faults.length === 0 && rows.every(isMet);
}

/** The table, the notes and the verdict. */
export function asTable(name: string, machine: Machine, findings: Findings): string {
  const head = ['figure', 'value', 'bar', 'limit in the same run', 'ratio', 'aim', ''];
  const body = findings.rows.map((row) => {
    const ratio = ratioOf(row);
    return [
      row.figure,
      `${shown(row.value)} ${row.unit}`,
      barOf(row),
      row.limit === undefined ? '' : `${row.limit.what} ${shown(row.limit.value)}`,
      ratio === null ? '' : ratio.toFixed(2),
      row.aim ?? '',
      isMet(row) ? 'ok' : 'BELOW THE BAR',
    ];
  });
  const widths = head.map((_, column) => Math.max(...[head, ...body].map((cells) => cells[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return [
    `bench ${name}: ${isPassed(findings) ? 'passed' : 'FAILED'}`,
    `machine: ${machineLine(machine)}`,
    '',
    line(head),
    line(widths.map((width) => '-'.repeat(width))),
    ...body.map(line),
    '',
    ...findings.notes.map((note) => `  ${note}`),
    ...findings.faults.map((fault) => `  FAULT: ${fault}`),
    '',
  ].join('\n');
}

/** The same for programs. */
export function asJson(name: string, machine: Machine, findings: Findings): string {
  const rows = findings.rows.map((row) => ({ ...row, ratio: ratioOf(row), isMet: isMet(row) }));
  const { notes, faults } = findings;
  return JSON.stringify({ bench: name, isPassed: isPassed(findings), machine, rows, notes, faults }, null, 2);
}

function barOf({ atLeast, atMost, ratioAtLeast }: Row): string {
  return [
    ...(atLeast === undefined ? [] : [`≥ ${shown(atLeast)}`]),
    ...(atMost === undefined ? [] : [`≤ ${shown(atMost)}`]),
    ...(ratioAtLeast === undefined ? [] : [`ratio ≥ ${ratioAtLeast}`]),
  ].join(', ');
}

function shown(value: number): string {
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en');
  return String(Number(value.toPrecision(3)));
}
