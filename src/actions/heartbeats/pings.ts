// Receives pings by token (decisions: Heartbeat).
import type { PingSignal } from '#domain/checks/heartbeat.ts';
import type { Clock } from '#lib/clock.ts';
import { isUuid } from '#lib/id.ts';
import { notFound, Refusal } from '../refusal.ts';

/** A call of a ping URL. */
export interface PingCall {
  readonly token: string;
  /** The path after the token: start, fail, log or digits; null = nothing. */
  readonly signal: string | null;
  readonly method: string;
  readonly source: string | null;
  readonly userAgent: string | null;
  readonly body: string | null;
}

type Answer = { readonly outcome: 'kept'; readonly isJudged: boolean } | { readonly outcome: 'unknown' };

/** A stored ping. */
interface StoredPing extends Omit<PingCall, 'signal'> {
  readonly signal: Exclude<PingSignal, 'missing'>;
  readonly exitCode: number | null;
  /** Epoch ms. */
  readonly at: number;
}

/** Outcome of a call, for metrics. */
export type PingFate = 'kept' | 'refused' | 'unknown' | 'lost';

export interface PingDeps {
  readonly allowance: PingAllowance;
  /** Stores a ping in a group commit; resolves once it is durable. */
  readonly receive: (ping: StoredPing) => Promise<Answer>;
  readonly clock: Clock;
  /** Wakes the step that evaluates heartbeats. */
  readonly wake: () => void;
  /** Called for every call with a known signal. */
  readonly onAnswered: (signal: PingSignal, fate: PingFate) => void;
}

export type PingActions = ReturnType<typeof createPingActions>;

const signals: ReadonlySet<string> = new Set(['start', 'fail', 'log']);
/** Maximum number of characters stored of a header. */
const maxHeader = 500;

export function createPingActions(deps: PingDeps) {
  const { wake, onAnswered } = deps;
  return {
    /**
     * Resolves once the ping is durable. Refuses `not-found` for an unknown token or signal, and `too-many` above the
     * rate limit.
     */
    async receive(call: PingCall): Promise<void> {
      const contents = parseSignal(call.signal);
      if (contents === null)
        throw new Refusal('not-found', `Unknown signal "${call.signal}": use start, fail, log or an exit code.`);
      if (!isUuid(call.token)) throw notFound('heartbeat', 'with this token');
      const answer = await keep({ ...call, ...contents, token: call.token.toLowerCase() }, deps);
      onAnswered(contents.signal, answer.outcome);
      if (answer.outcome === 'unknown') throw notFound('heartbeat', 'with this token');
      if (answer.isJudged) wake();
    },
  };
}

/** A call with a known signal. */
type PingContents = Omit<PingCall, 'signal'> & Pick<StoredPing, 'signal' | 'exitCode'>;

/** Stores a ping within the rate limit, which is checked before the database is queried and also for unknown tokens. */
async function keep(ping: PingContents, deps: PingDeps): Promise<Answer> {
  const { allowance, receive, clock, onAnswered } = deps;
  const { token, signal, exitCode } = ping;
  const sort = pingSort(signal, exitCode);
  const waitSeconds = allowance.take(token, sort);
  if (waitSeconds > 0) {
    onAnswered(signal, 'refused');
    throw new Refusal('too-many', 'Too many pings to this URL. The ping was not recorded.', {
      retryAfterSeconds: waitSeconds,
    });
  }
  const [source, userAgent] = [shortened(ping.source), shortened(ping.userAgent)];
  try {
    return await receive({ ...ping, source, userAgent, at: clock.now() });
  } catch (error) {
    // Repeating a ping that was not stored must not be refused.
    allowance.giveBack(token, sort);
    onAnswered(signal, 'lost');
    throw error;
  }
}

/** null = unknown signal. */
function parseSignal(text: string | null): Pick<StoredPing, 'signal' | 'exitCode'> | null {
  if (text === null) return { signal: 'ping', exitCode: null };
  if (signals.has(text)) return { signal: text as 'start' | 'fail' | 'log', exitCode: null };
  // Windows exit codes have 32 bits, signed or unsigned.
  const code = /^-?\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  return code >= -(2 ** 31) && code < 2 ** 32 ? { signal: 'exit', exitCode: code } : null;
}

function shortened(text: string | null): string | null {
  return text === null || text === '' ? null : text.slice(0, maxHeader);
}

/** Kinds of pings. Each has its own limit. */
export type PingSort = 'well' | 'failed' | 'start' | 'log';

/** Counts calls by token (a UUID) and kind. */
interface PingAllowance {
  /** Takes one call. Returns 0, or the number of seconds to wait if the limit is reached. */
  readonly take: (token: string, sort: PingSort) => number;
  /** Returns a call to the allowance if its ping could not be stored. */
  readonly giveBack: (token: string, sort: PingSort) => void;
}

const windowMs = 60_000;
/** Maximum number of entries in each of two maps. Entries dropped early start with a full allowance. */
const maxRemembered = 100_000;

/**
 * Token bucket for each token and kind: `limit` calls at once, then one every `60 s / limit`. Unknown tokens are
 * limited like known ones.
 * @param limit 0 = off
 * @param steadyNow monotonic clock, ms
 */
export function createPingAllowance(limit: number, steadyNow: () => number = () => performance.now()): PingAllowance {
  if (limit === 0) return { take: () => 0, giveBack: () => undefined };
  const paceMs = windowMs / limit;
  // When each bucket is full again, ms. Unused buckets are full: swapping two maps drops them without iterating.
  let recent = new Map<string, number>();
  let older = new Map<string, number>();
  let rotatesAt = 0;
  return {
    take(token, sort) {
      const now = steadyNow();
      if (now >= rotatesAt || recent.size >= maxRemembered) {
        older = now >= rotatesAt + windowMs ? new Map() : recent;
        recent = new Map();
        rotatesAt = now + windowMs;
      }
      const key = keyOf(token, sort);
      const wholeAt = Math.max(now, recent.get(key) ?? older.get(key) ?? now);
      const waitMs = wholeAt + paceMs - now - windowMs;
      // Tolerates the rounding error of repeated addition.
      if (waitMs > roundingMs) return Math.max(1, Math.ceil(waitMs / 1000));
      recent.set(key, wholeAt + paceMs);
      return 0;
    },
    giveBack(token, sort) {
      const key = keyOf(token, sort);
      const wholeAt = recent.get(key) ?? older.get(key);
      if (wholeAt !== undefined) recent.set(key, wholeAt - paceMs);
    },
  };
}

const roundingMs = 0.001;

const sorts: readonly PingSort[] = ['well', 'failed', 'start', 'log'];

/** Copies the text: a substring of the URL would keep the whole URL in memory. */
function keyOf(token: string, sort: PingSort): string {
  const bytes = Buffer.allocUnsafe(17);
  bytes.write(token.replaceAll('-', ''), 'hex');
  bytes[16] = sorts.indexOf(sort);
  return bytes.toString('latin1');
}

/** @param exitCode code of an `exit` signal */
export function pingSort(signal: Exclude<PingSignal, 'missing'>, exitCode: number | null): PingSort {
  if (signal === 'start' || signal === 'log') return signal;
  return signal === 'fail' || (exitCode ?? 0) !== 0 ? 'failed' : 'well';
}
