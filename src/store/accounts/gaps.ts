// Gaps caused by Tocsin: periods in which nothing ran, and slots without a verdict.
import { findFact, writeFact } from '../base/installation-fact.ts';
import { selectRows } from '../base/rows.ts';
import { idBytes } from '../base/codec.ts';
import type { Database } from '../base/database.ts';
import type { MachineTime } from '#domain/accounts/process.ts';
import { dayMs, dayOf, hourMs } from '#domain/results/roll-up.ts';
import { hourNumber } from '../base/counts.ts';
import { isSettled } from './unsettled.ts';

/** A period in which nothing ran. Times are epoch ms. */
export interface Absence {
  readonly from: number;
  readonly to: number;
  /** Not a downtime: a restore rolled the data back to `from`. */
  readonly isRollback: boolean;
  /** How long Tocsin was stopped by a clock that nobody sets, ms; null = not known, as after a start of the machine. */
  readonly stoppedMs: number | null;
}

/** Fact written by a restore: time of the data and of the restore; epoch ms. */
export const rollbackKey = 'rolled-back';

/** Slots of an account without a verdict, today and yesterday (UTC). */
export interface Gap {
  /** Start of the first of these days, epoch ms. */
  readonly since: number;
  /** Slots that did not run, without those above the execution limit or in maintenance. */
  readonly missed: number;
  /** Runs without a verdict, without those caused by settings. */
  readonly unknown: number;
}

/** A shorter downtime is a restart, ms. */
const absenceMs = 60_000;

/** Whether a start is more than a restart. A clock that seems set back is known only by the real time. */
function isLong(seemingMs: number, stoppedMs: number | null): boolean {
  return seemingMs >= absenceMs || (stoppedMs !== null && Math.max(stoppedMs, -seemingMs) >= absenceMs);
}

/** Real time since the last heartbeat at `from`, ms; null = of another machine, or of an earlier start of it. */
function stoppedFor(stored: string | null, from: number, machine: MachineTime | null): number | null {
  const [at, boot, upMs] = (stored ?? '').split('/');
  if (machine === null || boot !== machine.boot || Number(at) !== from) return null;
  const ms = machine.upMs - Number(upMs);
  return ms >= 0 ? ms : null;
}

export function createGaps({ reader, transaction, clock }: Database) {
  const read = (key: string): Promise<string | null> => findFact(reader, key);
  const write = (key: string, value: string): Promise<void> => transaction((tx) => writeFact(tx, key, value));
  /** Whether the data ends at `from` because of a restore. */
  const isRollback = async (from: number): Promise<boolean> =>
    Number(((await read(rollbackKey)) ?? '').split('/')[0] || Number.NaN) === from;
  return {
    /**
     * Records durably that this installation is running; rejects if the store cannot be written.
     *
     * @param machine the time that nobody sets; null = not known
     */
    async recordHeartbeat(machine: MachineTime | null = null): Promise<void> {
      const now = String(clock.now());
      await write('alive-at', now);
      if (machine !== null) await write('alive-machine', `${now}/${machine.boot}/${machine.upMs}`);
    },
    /**
     * At a start, before the first record: the length of the downtime, stored for `lastAbsence`, and a change of the
     * clock meanwhile; null = both are short.
     */
    async noteStart(machine: MachineTime | null = null): Promise<Absence | null> {
      const [from, to] = [Number((await read('alive-at')) ?? Number.NaN), clock.now()];
      const isRolledBack = await isRollback(from);
      const stoppedMs = isRolledBack ? null : stoppedFor(await read('alive-machine'), from, machine);
      if (!isRolledBack && !isLong(to - from, stoppedMs)) return null;
      await write('absence', [from, to, ...(stoppedMs === null ? [] : [stoppedMs])].join('/'));
      return { from, to, isRollback: isRolledBack, stoppedMs };
    },
    /** The newest downtime that ended less than two days ago. */
    async lastAbsence(): Promise<Absence | null> {
      const [from = 0, to = 0, stoppedMs = null] = ((await read('absence')) ?? '').split('/').map(Number);
      return to > clock.now() - 2 * dayMs ? { from, to, isRollback: await isRollback(from), stoppedMs } : null;
    },
    /** The period whose data the last restore removed; null = none. */
    async rollback(): Promise<Pick<Absence, 'from' | 'to'> | null> {
      const [from, to] = ((await read(rollbackKey)) ?? '').split('/').map(Number);
      return from === undefined || to === undefined ? null : { from, to };
    },
    /** Whether every slot and deadline before a time (epoch ms) has an outcome, in all accounts. */
    isSettled: (before: number) => isSettled(reader, before, clock.now()),
    /** null = none. */
    async ofAccount(accountId: string): Promise<Gap | null> {
      const hours = await selectRows(reader, 'account_counts', { account_id: idBytes(accountId) })
        .select(['hour', 'missed', 'limited', 'unknown', 'misconfigured'])
        .where('hour', '>=', hourNumber(dayOf(clock.now()) - dayMs))
        .orderBy('hour')
        .execute();
      const gaps = hours
        .map(({ hour, missed, limited, unknown, misconfigured }) => ({
          since: dayOf(hour * hourMs),
          missed: missed - limited,
          unknown: unknown - misconfigured,
        }))
        .filter(({ missed, unknown }) => missed + unknown > 0);
      const [first] = gaps;
      if (first === undefined) return null;
      const sum = (what: 'missed' | 'unknown'): number => gaps.reduce((total, gap) => total + gap[what], 0);
      return { since: first.since, missed: sum('missed'), unknown: sum('unknown') };
    },
  };
}
