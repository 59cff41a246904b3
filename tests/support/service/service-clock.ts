// A service of either topology, and the clock that it goes by: its machine's, or that of its database.
import assert from 'node:assert/strict';
import type { Given } from './flow-cases.ts';
import { twoProcesses } from './role-processes.ts';
import type { Service } from './service.ts';
import { databaseClock, machineClock, type SetClock } from './shifted-clocks.ts';
import { until } from '../until.ts';

/** What a case wants of it. */
export interface ClockOptions {
  readonly environment?: NodeJS.ProcessEnv;
  /** How far the machine of each process over PostgreSQL is ahead by itself, ms. */
  readonly aheadMs?: readonly number[];
}

/** A service, and the clock that it goes by. */
export interface ClockedService {
  readonly on: Service;
  readonly clock: SetClock;
  /** Sets the clock so far ahead of the real one, ms, and waits until each process has noticed. */
  readonly advance: (aheadMs: number) => Promise<void>;
}

/** Starts a service; it logs when it notices that its clock was set. */
export async function startWithClock(
  { t, startService, topology }: Given,
  { environment = {}, aheadMs = [] }: ClockOptions = {},
): Promise<ClockedService> {
  const merged = { LOG_LEVEL: 'info', ...environment };
  if (topology === 'one process, SQLite') {
    const clock = machineClock(t, 0);
    return clocked(await startService(t, { ...merged, ...clock.environment }), clock);
  }
  let clock: SetClock | null = null;
  const on = await startService(t, merged, {
    prepare: (database) => (clock = databaseClock(database)),
    processes: twoProcesses.map(({ roles }, index) => {
      return { roles, environment: machineClock(t, aheadMs[index] ?? 0).environment };
    }),
  });
  return clocked(on, clock ?? assert.fail('the database has no clock'));
}

function clocked(on: Service, clock: SetClock): ClockedService {
  const noticed = (): number => on.printed.split('"clock.set"').length - 1;
  return {
    on,
    clock,
    async advance(ms) {
      const before = noticed();
      clock.set(ms);
      await until('each process to notice its clock', () => noticed() >= before + on.addresses.length);
    },
  };
}
