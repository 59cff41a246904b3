// When pings could be received, and the last time in which they could not (docs/decisions/0091).
import type { DeafSpan } from '#domain/heartbeat.ts';
import type { Database } from './database.ts';

/** What is known of it. Instants are epoch ms. */
export interface Reception {
  /** The last sign of a process that receives pings; null = there never was one. */
  readonly heardAt: number | null;
  readonly deaf: DeafSpan | null;
}

/** Signs of the processes that receive pings. */
export interface Receptions {
  /**
   * Says that pings can be received, durably; answers with what was known before.
   *
   * @param isReturn this process has just begun: up to now none could be, as far as it knows
   * @param last the last time without anybody, where that was found out to be another one
   */
  hear(isReturn: boolean, last?: Pick<Reception, 'deaf'>): Promise<Reception>;
}

/** The fact that says so, in the table `installation`. */
export const receptionKey = 'pings-heard';
/** Longer without a sign is a time in which no ping was kept, ms: there is one every five seconds at least. */
const deafAfterMs = 15_000;

/** Gaps that are less than this apart are one, ms. */
const closeMs = 60_000;

export function createReceptions({ transaction, clock }: Database): Receptions {
  return {
    hear: (isReturn, last) =>
      transaction(async (tx) => {
        const row = await tx
          .selectFrom('installation')
          .select('value')
          .where('key', '=', receptionKey)
          .executeTakeFirst();
        const before = readReception(row?.value ?? null);
        const value = receptionText(heard({ ...before, ...last }, clock.now(), isReturn));
        await tx
          .insertInto('installation')
          .values({ key: receptionKey, value })
          .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
          .execute();
        return before;
      }),
  };
}

function heard({ heardAt, deaf }: Reception, now: number, isReturn: boolean): Reception {
  if (heardAt === null) return { heardAt: now, deaf };
  // A clock that was set back while nothing ran says nothing of how long that was.
  if (heardAt > now + deafAfterMs) return { heardAt: now, deaf: { from: 0, to: now } };
  if (isReturn ? now > heardAt : now - heardAt > deafAfterMs) {
    // Gaps that follow each other are one: what fell into the first may not have been looked at in between.
    const from = deaf !== null && heardAt - deaf.to < closeMs ? deaf.from : heardAt;
    return { heardAt: now, deaf: { from, to: now } };
  }
  return { heardAt: Math.max(heardAt, now), deaf };
}

/** Reads the fact; null = there is none. */
export function readReception(value: string | null): Reception {
  const [heardAt, from, to] = (value ?? '').split('/').map(Number);
  if (value === null || heardAt === undefined) return { heardAt: null, deaf: null };
  return { heardAt, deaf: from === undefined || to === undefined ? null : { from, to } };
}

function receptionText({ heardAt, deaf }: Reception): string {
  return deaf === null ? `${heardAt}` : `${heardAt}/${deaf.from}/${deaf.to}`;
}

/** The fact when the clock was set by `byMs`. */
export function movedReception(value: string, byMs: number): string {
  const { heardAt, deaf } = readReception(value);
  const moved = deaf === null ? null : { from: deaf.from + byMs, to: deaf.to + byMs };
  return receptionText({ heardAt: (heardAt ?? 0) + byMs, deaf: moved });
}
