// Report of a benchmark with required values and baselines: a table for people, JSON for programs.
import type { Machine } from './machine.ts';
import { machineLine } from './machine.ts';

/** A figure. Bars are required, an aim is desirable. */
export interface Row {
  readonly figure: string;
  readonly value: number;
  readonly unit: string;
  readonly atLeast?: number;
  readonly atMost?: number;
  /** The same work without Tocsin, measured in the same run. */
  readonly limit?: { readonly what: string; readonly value: number };
  /** Minimum of value / limit. */
  readonly ratioAtLeast?: number;
  readonly aim?: string;
}

/** Findings of a benchmark. */
export interface Findings {
  readonly rows: readonly Row[];
  /** Description of the measurement, one sentence each. */
  readonly notes: readonly string[];
  /** Problems other than speed, one sentence each; any of them fails the benchmark. */
  readonly faults: readonly string[];
}

/** The findings of several measurements as one. */
export function joinFindings(found: readonly Findings[]): Findings {
  return {
    rows: found.flatMap(({ rows }) => rows),
    notes: found.flatMap(({ notes }) => notes),
    faults: found.flatMap(({ faults }) => faults),
  };
}

/** A benchmark, with its name on the command line. */
export interface Bench {
  readonly about: string;
  run(options: BenchOptions): Promise<Findings>;
}

/** Names of the engines in figures. */
export const engineNames = ['SQLite', 'PostgreSQL'] as const;
export type EngineName = (typeof engineNames)[number];

/** Command-line options. */
export interface BenchOptions {
  /** Folder for databases on a real disk; deleted afterwards. */
  readonly folder: string;
  /** Shorter runs, to test the benchmark rather than to get figures. */
  readonly isQuick: boolean;
  /** Number of results to write, where applicable; null = as many as required. */
  readonly results: number | null;
  /** The only engine to measure, where applicable; null = both. */
  readonly engine: EngineName | null;
  /** Folder for CPU profiles of the service; null = no profiles. */
  readonly profileFolder: string | null;
  /** Reports progress. */
  readonly say: (what: string) => void;
}

/** value / limit; null without a limit. */
export function ratioOf({ value, limit }: Row): number | null {
  return limit === undefined ? null : value / limit.value;
}

/** Whether a row meets all bars. NaN (not measured) meets none. */
export function isMet(row: Row): boolean {
  const ratio = ratioOf(row);
  return (
    !Number.isNaN(row.value) &&
    (row.atLeast === undefined || row.value >= row.atLeast) &&
    (row.atMost === undefined || row.value <= row.atMost) &&
    (row.ratioAtLeast === undefined || (ratio !== null && ratio >= row.ratioAtLeast))
  );
}

/** Whether the benchmark meets all bars. */
export function isPassed({ rows, faults }: Findings): boolean {
  return faults.length === 0 && rows.every(isMet);
}

/** Formats the table, the notes and the verdict. */
export function asTable(name: string, machine: Machine, findings: Findings): string {
  const head = ['figure', 'value', 'bar', 'baseline in the same run', 'ratio', 'aim', ''];
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

/** Formats the same as JSON. */
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
