// When pings could be received, and the times in which they could not (docs/decisions/0091).
import type { TimeSpan } from '#domain/checks/calendar.ts';
import type { DeafSpan } from '#domain/checks/heartbeat.ts';
import type { Database } from '../../base/database.ts';

/** What is known of it. Instants are epoch ms. */
export interface Reception {
  /** The last sign of a process that receives pings; null = there never was one. */
  readonly heardAt: number | null;
  /** The times in which no ping could be received, oldest first: the last ones, and at most 20. */
  readonly deaf: readonly DeafSpan[];
}

/** What else a process says with its sign. */
export interface Sign {
  /** The times without anybody, where they were found out to be others. */
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

/** Gaps that are less than this apart are joined, ms. */
const closeMs = 60_000;
/** Gaps that are remembered; of more, the oldest two are joined. */
const gapsMost = 20;

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
  if (heardAt > now + deafAfterMs) return { heardAt: now, deaf: [{ from: 0, to: now, ms: now }] };
  const isSilence = isReturn ? now > heardAt : now - heardAt > deafAfterMs;
  if (isSilence || deafMs !== null) {
    const begins = Math.min(isSilence ? heardAt : now, now - (deafMs ?? 0));
    return { heardAt: Math.max(heardAt, now), deaf: withGap(deaf, { from: begins, to: now }) };
  }
  return { heardAt: Math.max(heardAt, now), deaf };
}

/** Joined gaps keep the sum of their lengths, without the time in which pings could be received between them. */
function withGap(deaf: readonly DeafSpan[], { from, to }: TimeSpan): readonly DeafSpan[] {
  const last = deaf.at(-1);
  if (last !== undefined && from - last.to < closeMs) {
    const ms = last.ms + to - Math.max(from, last.to);
    return [
      ...deaf.slice(0, -1),
      { from: Math.min(last.from, from), to, ms: Math.min(ms, to - Math.min(last.from, from)) },
    ];
  }
  const all = [...deaf, { from, to, ms: to - from }];
  const [first, second, ...others] = all;
  if (all.length <= gapsMost || first === undefined || second === undefined) return all;
  return [{ from: first.from, to: second.to, ms: first.ms + second.ms }, ...others];
}

/** Reads the fact; null = there is none. The newest gap stands first: an older version reads no more than its ends. */
export function readReception(value: string | null): Reception {
  const [heardAt, ...ends] = (value ?? '').split('/').map(Number);
  if (value === null || heardAt === undefined) return { heardAt: null, deaf: [] };
  const deaf: DeafSpan[] = [];
  for (let at = 0; at + 1 < ends.length; at += 3) {
    const [from = 0, to = 0, ms] = ends.slice(at, at + 3);
    deaf.unshift({ from, to, ms: ms ?? to - from });
  }
  return { heardAt, deaf };
}

function receptionText({ heardAt, deaf }: Reception): string {
  return [heardAt, ...deaf.toReversed().flatMap(({ from, to, ms }) => [from, to, ms])].join('/');
}

/** The fact when the clock was set by `byMs`. */
export function movedReception(value: string, byMs: number): string {
  const { heardAt, deaf } = readReception(value);
  const moved = deaf.map(({ from, to, ms }) => ({ from: from + byMs, to: to + byMs, ms }));
  return receptionText({ heardAt: (heardAt ?? 0) + byMs, deaf: moved });
}
