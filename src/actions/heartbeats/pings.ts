// Receives pings by token (decisions: Heartbeat).
import type { PingSignal } from '#domain/checks/heartbeat.ts';
import type { Clock } from '#lib/clock.ts';
import { isUuid } from '#lib/id.ts';
import { type PingAllowance, pingSort } from './ping-allowance.ts';
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
