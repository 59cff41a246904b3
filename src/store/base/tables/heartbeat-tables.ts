// Tables of heartbeats. Times are epoch milliseconds; ids are 16 bytes.
import type { Flag, IdBytes } from '../codec.ts';

/** One per heartbeat check, activated or not. */
export interface HeartbeatsTable {
  account_id: IdBytes;
  check_id: IdBytes;
  /** Token of the ping URL. */
  token: IdBytes;
  is_active: Flag;
  period_ms: number;
  grace_ms: number;
  /**
   * Time of the next evaluation at the latest; a ping changes it only when it is evaluated, so that most pings write no
   * index.
   */
  due_at: number;
  timer_at: number | null;
  pinged_at: number | null;
  started_at: number | null;
  result_at: number | null;
  is_passing: Flag;
  is_excused: Flag;
}

interface NotifiedColumns {
  account_id: IdBytes;
  check_id: IdBytes;
  /** Sorts by time; ID of the result, if the ping produced one. */
  id: IdBytes;
  signal: number;
  exit_code: number | null;
  state: number;
  method: string;
  source: string | null;
  user_agent: string | null;
}

/** Every ping, and every missing one. */
export interface PingsTable extends NotifiedColumns {
  body: string | null;
}

/**
 * Pings to be evaluated: the queue of the step `judge-heartbeats`. With the signal `missing`, a missed deadline found
 * by a later ping: `took_ms` from the timer's start to it, `exit_code` 1 = the previous one was excused.
 */
export interface WaitingPingsTable extends NotifiedColumns {
  received_at: number;
  is_failure: Flag;
  /** Period that the result covers. */
  interval_ms: number | null;
  /** From the reported start to this end. */
  took_ms: number | null;
  /** First line of the body. */
  note: string | null;
}

export interface HeartbeatTables {
  heartbeats: HeartbeatsTable;
  pings: PingsTable;
  waiting_pings: WaitingPingsTable;
}
