// Integer codes of words in columns. The order defines the codes: append only, never reorder or remove.
import { type DeliveryStatus, deliveryStatuses } from '#domain/deliveries/delivery.ts';
import { type PingSignal, pingSignals, type PingState, pingStates } from '#domain/checks/heartbeat.ts';
import { type Outcome, outcomes, type Reason } from '#domain/results/result.ts';
import type { RunSource } from '#domain/checks/run.ts';

/** Codes of `results.reason`. */
export const reasons = [
  'status',
  'assertion',
  'slow',
  'dns',
  'connect',
  'tls',
  'reset',
  'timeout',
  'protocol',
  'redirect',
  'body',
  'egress-refused',
  'settings',
  'observer-slow',
  'observer-network',
  'runtime',
  'crashed',
  'overload',
  'downtime',
  'limit',
  'clock',
  'store',
  'script',
  'memory',
  'processes',
  'output',
  'disk',
  'maintenance',
  'no-ping',
  'job-failed',
  'deadline',
  'deactivated',
  'overlap',
  'rollback',
  'resolver',
  'changed',
] as const satisfies readonly Reason[];

/** Codes of `runs.source` and `results.source`. */
export const sources = ['SCHEDULER', 'TRIGGER_API', 'SCHEDULE_NOW'] as const satisfies readonly RunSource[];

/** Fails to compile if a reason or source of the domain has no code. */
export const everyWordHasACode: Reason | RunSource extends (typeof reasons)[number] | (typeof sources)[number]
  ? true
  : never = true;

/** A list of words with their codes. `decode` throws on an unknown code. */
export interface Codes<Word extends string> {
  encode(word: Word): number;
  decode(code: number): Word;
}

function codesOf<Word extends string>(words: readonly Word[], noun: string): Codes<Word> {
  const codes = new Map<Word, number>(words.map((word, code) => [word, code]));
  return {
    encode(word) {
      const code = codes.get(word);
      if (code === undefined) throw new Error(`unknown ${noun} ${word}`);
      return code;
    },
    decode(code) {
      const word = words[code];
      if (word === undefined) throw new Error(`the database has a ${noun} ${code} that this version does not know`);
      return word;
    },
  };
}

/** `results.outcome`, `check_states.last_outcome`. */
export const outcomeCodes: Codes<Outcome> = codesOf(outcomes, 'outcome');
/** `results.reason`. */
export const reasonCodes: Codes<Reason> = codesOf<Reason>(reasons, 'reason');
/** `runs.source`, `results.source`. */
export const sourceCodes: Codes<RunSource> = codesOf<RunSource>(sources, 'source');
/** `deliveries.status`; pending = 0, which the partial index `deliveries_pending` relies on. */
export const deliveryStatusCodes: Codes<DeliveryStatus> = codesOf(deliveryStatuses, 'delivery status');
/** `pings.signal`, `waiting_pings.signal`. */
export const pingSignalCodes: Codes<PingSignal> = codesOf(pingSignals, 'signal of a ping');
/** `pings.state`, `waiting_pings.state`. */
export const pingStateCodes: Codes<PingState> = codesOf(pingStates, 'state of a ping');
