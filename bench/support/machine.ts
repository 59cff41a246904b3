// Describes the machine of a benchmark, which is part of every result.
import { closeSync, fsyncSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { availableParallelism, cpus, release, totalmem, type } from 'node:os';
import { join } from 'node:path';
import { percentile } from './numbers.ts';

/** The machine, and the time of a small durable write. */
export interface Machine {
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
export function machineLine({ cores, processor, memoryGiB, system, node, fsyncMs, stolenShare }: Machine): string {
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
