// Receiving pings: whoever has the token says that a job goes well, or how it goes (decisions: Heartbeat).
import type { PingSignal } from '#domain/checks/heartbeat.ts';
import type { Clock } from '#lib/clock.ts';
import { isUuid } from '#lib/id.ts';
import { type PingAllowance, pingSort } from './ping-allowance.ts';
import { notFound, Refusal } from '../refusal.ts';

/** A call of a ping URL. */
export interface PingCall {
  readonly token: string;
  /** What follows the token in the address: start, fail, log, digits; null = nothing. */
  readonly signal: string | null;
  readonly method: string;
  readonly source: string | null;
  readonly userAgent: string | null;
  readonly body: string | null;
}

type Answer = { readonly outcome: 'kept'; readonly isJudged: boolean } | { readonly outcome: 'unknown' };

/** A ping as it is kept. */
interface KeptPing extends Omit<PingCall, 'signal'> {
  readonly signal: Exclude<PingSignal, 'missing'>;
  readonly exitCode: number | null;
  /** Epoch ms. */
  readonly at: number;
}

/** What became of a call, for the metrics. */
export type PingFate = 'kept' | 'refused' | 'unknown' | 'lost';

/** What this action needs. */
export interface PingMeans {
  readonly allowance: PingAllowance;
  /** Keeps a ping together with others; resolves once it is durable. */
  readonly receive: (ping: KeptPing) => Promise<Answer>;
  readonly clock: Clock;
  /** Wakes the step that judges. */
  readonly wake: () => void;
  /** Told of each call that names a signal that there is. */
  readonly onAnswered: (signal: PingSignal, fate: PingFate) => void;
}

export interface PingActions {
  /**
   * Resolves once the ping is durable. Refuses with `not-found` an unknown token or signal, and with `too-many` what is
   * beyond the allowance of its token.
   */
  receive(call: PingCall): Promise<void>;
}

const signals: ReadonlySet<string> = new Set(['start', 'fail', 'log']);
/** Characters that are kept of a header. */
const headerMost = 500;

export function createPingActions(means: PingMeans): PingActions {
  const { wake, onAnswered } = means;
  return {
    async receive(call) {
      const told = signalOf(call.signal);
      if (told === null)
        throw new Refusal('not-found', `Unknown signal "${call.signal}": use start, fail, log or an exit code.`);
      if (!isUuid(call.token)) throw notFound('heartbeat', 'with this token');
      const answer = await keep({ ...call, ...told, token: call.token.toLowerCase() }, means);
      onAnswered(told.signal, answer.outcome);
      if (answer.outcome === 'unknown') throw notFound('heartbeat', 'with this token');
      if (answer.isJudged) wake();
    },
  };
}

/** A call whose signal is known. */
type ToldPing = Omit<PingCall, 'signal'> & Pick<KeptPing, 'signal' | 'exitCode'>;

/** Keeps a ping within the allowance of its token: asked before the database, and of tokens that nobody has as well. */
async function keep(ping: ToldPing, means: PingMeans): Promise<Answer> {
  const { allowance, receive, clock, onAnswered } = means;
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
    // A repeat of a ping that was not stored must not be refused.
    allowance.giveBack(token, sort);
    onAnswered(signal, 'lost');
    throw error;
  }
}

/** null = there is no such signal. */
function signalOf(text: string | null): Pick<KeptPing, 'signal' | 'exitCode'> | null {
  if (text === null) return { signal: 'ping', exitCode: null };
  if (signals.has(text)) return { signal: text as 'start' | 'fail' | 'log', exitCode: null };
  // Windows has exit codes of 32 bits, shown with a sign or without.
  const code = /^-?\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  return code >= -(2 ** 31) && code < 2 ** 32 ? { signal: 'exit', exitCode: code } : null;
}

function shortened(text: string | null): string | null {
  return text === null || text === '' ? null : text.slice(0, headerMost);
}
