// Report of a benchmark with required values and baselines: a table for people, JSON for programs.
import { closeSync, fsyncSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { availableParallelism, cpus, release, totalmem, type } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

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

/** Percentile: the value below which `share` (0..1) of the values lie; NaN if there are none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** The largest value; NaN if there are none. Accepts lists of any length. */
export function largest(values: readonly number[]): number {
  return values.reduce((max, value) => Math.max(max, value), Number.NEGATIVE_INFINITY);
}

/** Median of a few repeated measurements. */
export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** The machine, and the time of a small durable write. */
interface Machine {
  readonly cores: number;
  readonly processor: string;
  readonly memoryGiB: number;
  readonly system: string;
  readonly node: string;
  /** Median time to append and fsync 4 kB, ms. */
  readonly fsyncMs: number;
  /** Share of CPU time that the host gave to other machines during the benchmark (steal), 0 to 1. */
  readonly stolenShare: number;
}

const fsyncs = 200;

/** @param folder of the databases, whose disk is measured */
export function describeMachine(folder: string): Omit<Machine, 'stolenShare'> {
  return {
    cores: availableParallelism(),
    processor: cpus()[0]?.model.trim() ?? 'unknown',
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    system: `${type()} ${release()}`,
    node: process.version,
    fsyncMs: measureFsync(folder),
  };
}

/** CPU ticks since boot: total and stolen. */
interface Ticks {
  readonly all: number;
  readonly stolen: number;
}

function ticks(): Ticks {
  const [first = ''] = readFileSync('/proc/stat', 'utf8').split('\n');
  // user, nice, system, idle, iowait, irq, softirq, steal; the two after them are part of the first two.
  const spent = first.split(/\s+/).slice(1, 9).map(Number);
  return { all: spent.reduce((sum, each) => sum + each, 0), stolen: spent[7] ?? 0 };
}

/**
 * Starts counting. Returns a function that returns the share of stolen CPU time since then, 0 to 1. Figures measured
 * meanwhile are worse by at least that share, and 95th percentiles by more.
 */
export function countStolen(): () => number {
  const before = ticks();
  return () => {
    const now = ticks();
    return (now.stolen - before.stolen) / Math.max(1, now.all - before.all);
  };
}

/** The machine in one line. */
function machineLine({ cores, processor, memoryGiB, system, node, fsyncMs, stolenShare }: Machine): string {
  const stolen = `${(stolenShare * 100).toFixed(0)} % CPU steal`;
  return `${cores} cores (${processor}), ${memoryGiB} GiB, ${system}, Node ${node}, fsync ${fsyncMs.toFixed(2)} ms, ${stolen}`;
}

function measureFsync(folder: string): number {
  const path = join(folder, 'fsync.probe');
  const file = openSync(path, 'w');
  const page = Buffer.alloc(4096, 1);
  const times: number[] = [];
  for (let round = 0; round < fsyncs; round++) {
    const startedAt = performance.now();
    writeSync(file, page);
    fsyncSync(file);
    times.push(performance.now() - startedAt);
  }
  closeSync(file);
  rmSync(path);
  return percentile(times, 0.5);
}

let collect: (() => void) | null = null;

/** Runs a full garbage collection of this thread. */
export function collectGarbage(): void {
  if (collect === null) {
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc') as () => void;
  }
  collect();
}
