// A service of either topology, and the clock that it goes by: its machine's, or that of its database.
import assert from 'node:assert/strict';
import type { Role } from '#config/variables.ts';
import type { Given, Particulars } from './each-topology.ts';
import type { Service } from './service.ts';
import { databaseClock, machineClock, type SetClock } from './turned-clocks.ts';
import { until } from './until.ts';

/** What a case wants of it. */
export interface ClockOptions extends Pick<Particulars, 'roles'> {
  readonly environment?: NodeJS.ProcessEnv;
  /** How far the machine of each process over PostgreSQL is ahead by itself, ms. */
  readonly aheadMs?: (role: Role) => number;
}

/** A service, and the clock that it goes by. */
export interface ClockedService {
  readonly on: Service;
  readonly clock: SetClock;
  /** Sets the clock so far ahead of the real one, ms, and waits until each process has noticed. */
  readonly turn: (aheadMs: number) => Promise<void>;
}

/** Starts a service; it logs when it notices that its clock was set. */
export async function startWithClock(
  { t, startService, topology }: Given,
  { environment = {}, aheadMs = () => 0, roles }: ClockOptions = {},
): Promise<ClockedService> {
  const told = { LOG_LEVEL: 'info', ...environment };
  if (topology === 'one process, SQLite') {
    const clock = machineClock(t, 0);
    return clocked(await startService(t, { ...told, ...clock.environment }), clock);
  }
  let clock: SetClock | null = null;
  const on = await startService(t, told, {
    prepare: (database) => (clock = databaseClock(database)),
    machineOf: (role) => machineClock(t, aheadMs(role)).environment,
    ...(roles !== undefined && { roles }),
  });
  return clocked(on, clock ?? assert.fail('the database has no clock'));
}

function clocked(on: Service, clock: SetClock): ClockedService {
  const noticed = (): number => on.printed.split('"clock.set"').length - 1;
  return {
    on,
    clock,
    async turn(ms) {
      const before = noticed();
      clock.set(ms);
      await until('each process to notice its clock', () => noticed() >= before + on.addresses.length);
    },
  };
}
