// Which machine a bench ran on: a figure without it says nothing.
import { closeSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { availableParallelism, cpus, release, totalmem, type } from 'node:os';
import { join } from 'node:path';
import { percentile } from './numbers.ts';

/** The machine, and how fast its disk makes a small write durable. */
export interface Machine {
  readonly cores: number;
  readonly processor: string;
  readonly memoryGiB: number;
  readonly system: string;
  readonly node: string;
  /** Median of an append of 4 kB and its fsync, ms. */
  readonly fsyncMs: number;
}

const fsyncs = 200;

/** @param folder where the databases of the bench lie: its disk is the one that counts */
export function describeMachine(folder: string): Machine {
  return {
    cores: availableParallelism(),
    processor: cpus()[0]?.model.trim() ?? 'unknown',
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    system: `${type()} ${release()}`,
    node: process.version,
    fsyncMs: measureFsync(folder),
  };
}

/** The machine in one line. */
export function machineLine({ cores, processor, memoryGiB, system, node, fsyncMs }: Machine): string {
  return `${cores} cores (${processor}), ${memoryGiB} GiB, ${system}, Node ${node}, fsync ${fsyncMs.toFixed(2)} ms`;
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
