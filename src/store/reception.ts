// When pings could be received, and the last time in which they could not (docs/decisions/0091).
import type { DeafSpan } from '#domain/heartbeat.ts';
import type { Database } from './database.ts';

/** What is known of it. Instants are epoch ms. */
export interface Reception {
  /** The last sign of a process that receives pings; null = there never was one. */
  readonly heardAt: number | null;
  readonly deaf: DeafSpan | null;
}

/** What else a process says with its sign. */
export interface Sign {
  /** The last time without anybody, where that was found out to be another one. */
  readonly last?: Pick<Reception, 'deaf'> | undefined;
  /** For how long up to now this process could write no ping, ms; null = it could. Asked when the sign is written. */
  readonly deafMs?: (() => number | null) | undefined;
}

/** Signs of the processes that receive pings. */
export interface Receptions {
  /**
   * Says that pings can be received, durably, where there is a heartbeat; answers with what was known before.
   *
   * @param isReturn this process has just begun: up to now none could be, as far as it knows
   */
  hear(isReturn: boolean, more?: Sign): Promise<Reception>;
}

/** The fact that says so, in the table `installation`. */
export const receptionKey = 'pings-heard';
/** Longer without a sign is a time in which no ping was kept, ms: there is one every second. */
const deafAfterMs = 15_000;

/** Gaps that are less than this apart are one, ms. */
const closeMs = 60_000;

export function createReceptions({ reader, transaction, clock }: Database): Receptions {
  const read = async (database: Database['reader']): Promise<Reception> => {
    const row = await database
      .selectFrom('installation')
      .select('value')
      .where('key', '=', receptionKey)
      .executeTakeFirst();
    return readReception(row?.value ?? null);
  };
  return {
    async hear(isReturn, { last, deafMs } = {}) {
      // Who has no heartbeats is written for by nobody.
      const any = await reader.selectFrom('heartbeats').select('is_active').limit(1).executeTakeFirst();
      if (any === undefined) return read(reader);
      return transaction(async (tx) => {
        const before = await read(tx);
        const now = clock.now();
        const value = receptionText(heard({ ...before, ...last }, now, isReturn, deafMs?.() ?? null));
        await tx
          .insertInto('installation')
          .values({ key: receptionKey, value })
          .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
          .execute();
        return before;
      });
    },
  };
}

function heard({ heardAt, deaf }: Reception, now: number, isReturn: boolean, deafMs: number | null): Reception {
  if (heardAt === null) return { heardAt: now, deaf };
  // A clock that was set back while nothing ran says nothing of how long that was.
  if (heardAt > now + deafAfterMs) return { heardAt: now, deaf: { from: 0, to: now } };
  const isSilence = isReturn ? now > heardAt : now - heardAt > deafAfterMs;
  if (isSilence || deafMs !== null) {
    const begins = Math.min(isSilence ? heardAt : now, now - (deafMs ?? 0));
    // Gaps that follow each other are one: what fell into the first may not have been looked at in between.
    const from = deaf !== null && begins - deaf.to < closeMs ? Math.min(deaf.from, begins) : begins;
    return { heardAt: Math.max(heardAt, now), deaf: { from, to: now } };
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
