// Processes a batch of pings with the rows read for them, shared by all engines.
import { type Heartbeat, type ReceivedSignal, takePing } from '#domain/checks/heartbeat.ts';
import { newIdAt } from '#lib/id.ts';
import { flag, idBytes, latin1 } from '../../base/codec.ts';
import { pingSignalCodes, pingStateCodes } from '../../base/codes.ts';
import type { HeartbeatsTable, PingsTable, WaitingPingsTable } from '../../base/tables/heartbeat-tables.ts';
import { heartbeatOf, keyColumns, missedRow } from '../../schedules/heartbeat-rows.ts';

/** A received ping. */
export interface ReceivedPing extends ReceivedSignal {
  /** UUID. */
  readonly token: string;
  readonly method: string;
  readonly source: string | null;
  readonly userAgent: string | null;
  readonly body: string | null;
}

/** Outcome of a ping; only `kept` is durable. */
export type PingAnswer = { readonly outcome: 'kept'; readonly isJudged: boolean } | { readonly outcome: 'unknown' };

/** Outcome of a batch. */
export interface ReceivedBatch {
  readonly answers: readonly PingAnswer[];
  readonly pings: readonly PingsTable[];
  readonly waiting: readonly WaitingPingsTable[];
  /** New state of the rows. */
  readonly heartbeats: readonly Heartbeat[];
}

/** Characters of a body's first line that are stored with a result. */
const maxNote = 200;

/** @param rows the heartbeats of the tokens, as far as they exist */
export function receiveBatch(received: readonly ReceivedPing[], rows: readonly HeartbeatsTable[]): ReceivedBatch {
  const present = new Map(
    rows.map((row) => [latin1(row.token), { row, heartbeat: heartbeatOf(row), isTouched: false }]),
  );
  const pings: PingsTable[] = [];
  const waiting: WaitingPingsTable[] = [];
  const answers = received.map((ping): PingAnswer => {
    const known = present.get(latin1(idBytes(ping.token)));
    if (known === undefined) return { outcome: 'unknown' };
    const { at, state, judged, missed, heartbeat } = takePing(known.heartbeat, ping);
    known.isTouched ||= heartbeat !== known.heartbeat;
    known.heartbeat = heartbeat;
    const noted = {
      ...keyColumns(heartbeat),
      id: idBytes(newIdAt(at)),
      signal: pingSignalCodes.encode(ping.signal),
      exit_code: ping.exitCode,
      state: pingStateCodes.encode(state),
      method: ping.method,
      source: ping.source,
      user_agent: ping.userAgent,
    };
    pings.push({ ...noted, body: ping.body });
    if (missed !== null) waiting.push(missedRow(heartbeat, missed));
    if (judged !== null) {
      waiting.push({
        ...noted,
        received_at: at,
        is_failure: flag(judged.isFailure),
        interval_ms: judged.intervalMs,
        took_ms: judged.tookMs,
        note: firstLine(ping.body),
      });
    }
    return { outcome: 'kept', isJudged: judged !== null };
  });
  const heartbeats = [...present.values()].filter(({ isTouched }) => isTouched).map(({ heartbeat }) => heartbeat);
  return { answers, pings, waiting, heartbeats };
}

function firstLine(body: string | null): string | null {
  const line = body?.trimStart().split('\n', 1)[0]?.trim() ?? '';
  return line === '' ? null : line.slice(0, maxNote);
}
