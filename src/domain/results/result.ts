// What a probe found, and what becomes of it.
import type { Asset } from './asset.ts';
import type { JsonValue } from '../json.ts';
import type { RunSource } from '../checks/run.ts';

/** What a probe says of its target; `unknown` when the observer itself was at fault (design: honest gaps). */
export const verdicts = ['passed', 'degraded', 'failed', 'unknown'] as const;
export type Verdict = (typeof verdicts)[number];

/** What is recorded of a slot: a verdict, or `missed` when it could not be run in its interval. */
export const outcomes = ['passed', 'degraded', 'failed', 'unknown', 'missed'] as const;
export type Outcome = (typeof outcomes)[number];

/** Why an outcome is not `passed`: a closed list, so that it can be counted and filtered. */
export type Reason =
  // of the target
  | 'status'
  | 'assertion'
  | 'slow'
  | 'dns'
  | 'connect'
  | 'tls'
  | 'reset'
  | 'timeout'
  | 'protocol'
  | 'redirect'
  | 'body'
  | 'egress-refused'
  | 'settings'
  // of a script: it threw, or passed a limit
  | 'script'
  | 'deadline'
  | 'memory'
  | 'processes'
  | 'output'
  | 'disk'
  | 'no-ping'
  | 'job-failed'
  // of the observer
  | 'observer-slow'
  | 'observer-network'
  | 'runtime'
  | 'crashed'
  // of a slot that was not run
  | 'overload'
  | 'overlap'
  | 'downtime'
  | 'clock'
  | 'store'
  | 'limit'
  | 'rollback'
  | 'maintenance'
  | 'deactivated';

/** The certificate of a host that expires first, its own or one of its chain, for ALERT_SSL. */
export interface SeenCertificate {
  readonly domain: string;
  /** `intermediate certificate "R3"`; absent = the host's own certificate. */
  readonly role?: string;
  /** SHA-256 fingerprint: tells a renewed certificate from the old one. */
  readonly fingerprint: string;
  /** End of validity, epoch ms. */
  readonly validTo: number;
}

/** What a probe of one attempt found. Made by a check kind, recorded as a result. */
export interface Finding {
  readonly verdict: Verdict;
  readonly reason: Reason | null;
  /** A sentence for a person: what was expected, what came. null when passed. */
  readonly message: string | null;
  /** Epoch ms, from the machine's clock. */
  readonly startedAt: number;
  readonly stoppedAt: number;
  /** ms with decimals; null when there was no answer. */
  readonly responseTimeMs: number | null;
  /** The longest the observing thread was held up meanwhile, ms (design: honest figures). */
  readonly loopDelayMs: number;
  /**
   * How much delay of our own the verdict can bear, ms; absent = it does not rest on time. Read by `honestFinding`, and
   * not recorded.
   */
  readonly timeMarginMs?: number;
  /** When its steps were noted (`performance.now()` of its thread); absent = another program has timed it. */
  readonly steps?: readonly number[];
  /** What is kept of every result: compact, its shape belongs to the check type. */
  readonly details: JsonValue;
  /**
   * Request and response in full, a JSON object whose shape belongs to the check type. Written to text where it was
   * seen: most are only carried to their table, some not even that (decisions: What is kept of a result;
   * docs/decisions/0030).
   */
  readonly exchange: string | null;
  readonly certificate: SeenCertificate | null;
  /** Those of other hosts on the way, which expire later; absent = there are none. */
  readonly otherCertificates?: readonly SeenCertificate[];
  /** Files that the run left, to be kept beside the result; absent = none. */
  readonly assets?: readonly Asset[];
}

/** The finding of one that saw nothing of its target, at an instant (epoch ms): what else there is to say is laid over it. */
export function bareFinding(
  at: number,
  { verdict, reason, message }: Pick<Finding, 'verdict' | 'reason' | 'message'>,
): Finding {
  return {
    verdict,
    reason,
    message,
    startedAt: at,
    stoppedAt: at,
    responseTimeMs: null,
    loopDelayMs: 0,
    details: null,
    exchange: null,
    certificate: null,
  };
}

/** One recorded attempt of a run, or a stretch of slots that were not run. */
export interface Result extends Omit<
  Finding,
  'verdict' | 'timeMarginMs' | 'steps' | 'exchange' | 'certificate' | 'otherCertificates' | 'assets'
> {
  readonly accountId: string;
  readonly checkId: string;
  /** Derived from the run and the attempt; sorts by time. */
  readonly id: string;
  readonly runId: string;
  /** From 1. */
  readonly attempt: number;
  /** The last attempt of its run, whose outcome counts; others are retries (reference: resultType FINAL, ATTEMPT). */
  readonly isFinal: boolean;
  readonly outcome: Outcome;
  readonly location: string;
  readonly source: RunSource;
  readonly slotAt: number | null;
  /** Slots this result stands for: 1, or more for a stretch of missed ones that starts at `slotAt`. */
  readonly slots: number;
}
