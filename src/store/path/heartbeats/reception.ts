// Records when pings could be received, and the gaps in between (docs/decisions/0091).
import type { TimeSpan } from '#domain/checks/calendar.ts';
import type { ReceptionGap } from '#domain/checks/heartbeat.ts';
import { findFact, writeFact } from '../../base/installation-fact.ts';
import type { Db } from '../../base/tables/schema.ts';
import type { Database } from '../../base/database.ts';

/** Reception of pings. Times are epoch ms. */
export interface Reception {
  /** The last record of a process that receives pings; null = none. */
  readonly receivingAt: number | null;
  /** The most recent gaps in reception, oldest first, at most 20. */
  readonly gaps: readonly ReceptionGap[];
}

/** Additional data of a record. */
export interface Sign {
  /** Corrected gaps, if a process found them to be different. */
  readonly last?: Pick<Reception, 'gaps'> | undefined;
  /**
   * How long until now this process could not store pings, ms; null = it could. Evaluated when the record is written.
   */
  readonly gapMs?: (() => number | null) | undefined;
}

/** Records of the processes that receive pings. */
export interface Receptions {
  /**
   * Records durably that pings can be received, if there is a heartbeat; returns the previous state.
   * @param isReturn this process has just started: as far as it knows, none could be received before
   */
  note(isReturn: boolean, more?: Sign): Promise<Reception>;
}

/** The fact in the table `installation`. */
export const receptionKey = 'pings-heard';
/** A longer time without a record is a gap, ms: there is one every second. */
const gapAfterMs = 15_000;

/** Gaps less than this apart are merged, ms. */
const closeMs = 60_000;
/** Maximum number of gaps; beyond it, the oldest two are merged. */
const maxGaps = 20;

export function createReceptions({ reader, transaction, clock }: Database): Receptions {
  const read = async (db: Db): Promise<Reception> => readReception(await findFact(db, receptionKey));
  return {
    async note(isReturn, { last, gapMs } = {}) {
      // Not written without heartbeats.
      const any = await reader.selectFrom('heartbeats').select('is_active').limit(1).executeTakeFirst();
      if (any === undefined) return read(reader);
      return transaction(async (tx) => {
        const before = await read(tx);
        const now = clock.now();
        const value = receptionText(afterSign({ ...before, ...last }, now, isReturn, gapMs?.() ?? null));
        await writeFact(tx, receptionKey, value);
        return before;
      });
    },
  };
}

function afterSign({ receivingAt, gaps }: Reception, now: number, isReturn: boolean, gapMs: number | null): Reception {
  if (receivingAt === null) return { receivingAt: now, gaps };
  // If the clock was set back while nothing ran, the length of the gap is unknown.
  if (receivingAt > now + gapAfterMs) return { receivingAt: now, gaps: [{ from: 0, to: now, ms: now }] };
  const isSilence = isReturn ? now > receivingAt : now - receivingAt > gapAfterMs;
  if (isSilence || gapMs !== null) {
    const begins = Math.min(isSilence ? receivingAt : now, now - (gapMs ?? 0));
    return { receivingAt: Math.max(receivingAt, now), gaps: withGap(gaps, { from: begins, to: now }) };
  }
  return { receivingAt: Math.max(receivingAt, now), gaps };
}

/** Merged gaps keep the sum of their lengths, without the time of reception in between. */
function withGap(gaps: readonly ReceptionGap[], { from, to }: TimeSpan): readonly ReceptionGap[] {
  const last = gaps.at(-1);
  if (last !== undefined && from - last.to < closeMs) {
    const ms = last.ms + to - Math.max(from, last.to);
    return [
      ...gaps.slice(0, -1),
      { from: Math.min(last.from, from), to, ms: Math.min(ms, to - Math.min(last.from, from)) },
    ];
  }
  const all = [...gaps, { from, to, ms: to - from }];
  const [first, second, ...others] = all;
  if (all.length <= maxGaps || first === undefined || second === undefined) return all;
  return [{ from: first.from, to: second.to, ms: first.ms + second.ms }, ...others];
}

/** Reads the fact; null = none. The newest gap is first: an older version reads only its ends. */
export function readReception(value: string | null): Reception {
  const [receivingAt, ...ends] = (value ?? '').split('/').map(Number);
  if (value === null || receivingAt === undefined) return { receivingAt: null, gaps: [] };
  const gaps: ReceptionGap[] = [];
  for (let at = 0; at + 1 < ends.length; at += 3) {
    const [from = 0, to = 0, ms] = ends.slice(at, at + 3);
    gaps.unshift({ from, to, ms: ms ?? to - from });
  }
  return { receivingAt, gaps };
}

function receptionText({ receivingAt, gaps }: Reception): string {
  return [receivingAt, ...gaps.toReversed().flatMap(({ from, to, ms }) => [from, to, ms])].join('/');
}

/** The fact after the clock was set by `byMs`. */
export function movedReception(value: string, byMs: number): string {
  const { receivingAt, gaps } = readReception(value);
  const moved = gaps.map(({ from, to, ms }) => ({ from: from + byMs, to: to + byMs, ms }));
  return receptionText({ receivingAt: (receivingAt ?? 0) + byMs, gaps: moved });
}
