// Tables of heartbeats. Times are epoch milliseconds; ids are 16 bytes.
import type { Flag, IdBytes } from '../codec.ts';

/** One for each heartbeat check, activated or not. */
export interface HeartbeatsTable {
  account_id: IdBytes;
  check_id: IdBytes;
  /** What allows to ping it. */
  token: IdBytes;
  is_active: Flag;
  period_ms: number;
  grace_ms: number;
  /** When it is looked at next at the latest; a ping moves it only when it is judged, so that most write no index. */
  due_at: number;
  timer_at: number | null;
  pinged_at: number | null;
  started_at: number | null;
  result_at: number | null;
  is_passing: Flag;
  is_excused: Flag;
}

interface ToldColumns {
  account_id: IdBytes;
  check_id: IdBytes;
  /** Sorts by time; the id of the result, where it made one. */
  id: IdBytes;
  signal: number;
  exit_code: number | null;
  state: number;
  method: string;
  source: string | null;
  user_agent: string | null;
}

/** Every ping, and every time that none came. */
export interface PingsTable extends ToldColumns {
  body: string | null;
}

/**
 * Pings that are to be judged: the queue of the step `judge-heartbeats`. With the signal `missing` it is a deadline that the
 * ping after it found not judged: `took_ms` from the timer's begin to it, `exit_code` 1 = the one before was let pass.
 */
export interface WaitingPingsTable extends ToldColumns {
  received_at: number;
  is_failure: Flag;
  /** How long the result stands for. */
  interval_ms: number | null;
  /** From the start that was told to this end. */
  took_ms: number | null;
  /** The first line of the body. */
  note: string | null;
}

export interface HeartbeatTables {
  heartbeats: HeartbeatsTable;
  pings: PingsTable;
  waiting_pings: WaitingPingsTable;
}
