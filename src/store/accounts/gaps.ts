// Gaps of our own: when the whole installation was away, and slots that have no verdict by our own fault.
import { idBytes } from '../base/codec.ts';
import type { Database } from '../base/database.ts';

/** A time in which nothing ran. Instants are epoch ms. */
export interface Absence {
  readonly from: number;
  readonly to: number;
  /** Nothing was away: a restore took the data back to `from`. */
  readonly isRollback: boolean;
}

/** The fact that a restore writes: of which moment the data is, and when it was restored; epoch ms. */
export const rollbackKey = 'rolled-back';

/** Slots of an account without a verdict, today and yesterday (UTC). */
export interface Gap {
  /** When the first of these days began, epoch ms. */
  readonly since: number;
  /** Slots that were not run, those above the execution limit or under maintenance not counted. */
  readonly missed: number;
  /** Runs whose verdict was withheld; those that settings are to blame for are not counted. */
  readonly unknown: number;
}

export interface Gaps {
  /** Writes down that this installation lives, durably; rejects when the store cannot be written. */
  signOfLife(): Promise<void>;
  /** At a start, before the first sign of life: how long it was away, kept for `lastAbsence`; null = not for long. */
  noteStart(): Promise<Absence | null>;
  /** The newest absence that ended less than two days ago. */
  lastAbsence(): Promise<Absence | null>;
  /** The time whose data the last restore took away; null = there was none. */
  rollback(): Promise<Pick<Absence, 'from' | 'to'> | null>;
  /** null = there is none. */
  ofAccount(accountId: string): Promise<Gap | null>;
}

const dayMs = 86_400_000;
/** Shorter than this is a restart, ms. */
const absenceMs = 60_000;

export function createGaps({ reader, transaction, clock }: Database): Gaps {
  const read = async (key: string): Promise<string | null> => {
    const row = await reader.selectFrom('installation').select('value').where('key', '=', key).executeTakeFirst();
    return row?.value ?? null;
  };
  const write = (key: string, value: string): Promise<void> =>
    transaction(async (tx) => {
      await tx
        .insertInto('installation')
        .values({ key, value })
        .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
        .execute();
    });
  /** Whether the data ends at `from` because of a restore. */
  const isRollback = async (from: number): Promise<boolean> =>
    Number(((await read(rollbackKey)) ?? '').split('/')[0] || Number.NaN) === from;
  return {
    signOfLife: () => write('alive-at', String(clock.now())),
    async noteStart() {
      const from = Number((await read('alive-at')) ?? Number.NaN);
      const to = clock.now();
      const isRolledBack = await isRollback(from);
      if (!(to - from >= absenceMs) && !isRolledBack) return null;
      await write('absence', `${from}/${to}`);
      return { from, to, isRollback: isRolledBack };
    },
    async lastAbsence() {
      const [from = 0, to = 0] = ((await read('absence')) ?? '').split('/').map(Number);
      return to > clock.now() - 2 * dayMs ? { from, to, isRollback: await isRollback(from) } : null;
    },
    async rollback() {
      const [from, to] = ((await read(rollbackKey)) ?? '').split('/').map(Number);
      return from === undefined || to === undefined ? null : { from, to };
    },
    async ofAccount(accountId) {
      const days = await reader
        .selectFrom('run_counts')
        .select(['day', 'missed', 'limited', 'unknown', 'misconfigured'])
        .where('account_id', '=', idBytes(accountId))
        .where('day', '>=', Math.floor(clock.now() / dayMs) - 1)
        .orderBy('day')
        .execute();
      const gaps = days
        .map(({ day, missed, limited, unknown, misconfigured }) => ({
          since: day * dayMs,
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
