// Receiving pings: whoever has the token says that a job goes well, or how it goes (decisions: Heartbeat).
import type { PingSignal } from '#domain/heartbeat.ts';
import type { Clock } from '#lib/clock.ts';
import { isUuid } from '#lib/id.ts';
import type { HeldCalls } from './held-calls.ts';
import { type PingAllowance, pingSort } from './ping-allowance.ts';
import { notFound, Refusal } from './refusal.ts';

/** A call of a ping URL. */
export interface PingCall {
  readonly token: string;
  /** What follows the token in the address: start, fail, log, digits; null = nothing. */
  readonly signal: string | null;
  readonly method: string;
  readonly source: string | null;
  readonly userAgent: string | null;
  readonly body: string | null;
  /** Aborts when the client goes away; asked for only by a call that is held. */
  readonly gone: () => AbortSignal;
}

type Answer =
  | { readonly outcome: 'kept'; readonly isJudged: boolean }
  | { readonly outcome: 'unknown' }
  | { readonly outcome: 'moving'; readonly accountId: string };

/** A ping as it is kept. */
interface KeptPing extends Omit<PingCall, 'signal' | 'gone'> {
  readonly signal: Exclude<PingSignal, 'missing'>;
  readonly exitCode: number | null;
  /** Epoch ms. */
  readonly at: number;
}

/** What became of a call, for whoever counts: `elsewhere` = its account is moving, or has moved. */
export type PingFate = 'kept' | 'refused' | 'unknown' | 'elsewhere' | 'lost';

/** What this action needs. */
export interface PingMeans {
  readonly allowance: PingAllowance;
  /** Keeps a ping together with others; resolves once it is durable. */
  readonly receive: (ping: KeptPing) => Promise<Answer>;
  /** Holds what comes while its account is being moved. */
  readonly heldCalls: HeldCalls;
  readonly clock: Clock;
  /** Wakes the step that judges. */
  readonly wake: () => void;
  /** Told of each call that names a signal that there is. */
  readonly onAnswered: (signal: PingSignal, fate: PingFate) => void;
}

export interface PingActions {
  /**
   * Resolves once the ping is durable; while its account is being moved it waits. Refuses with `not-found` a token or a
   * signal that there is not, with `too-many` what is beyond the allowance of its token, with `moved` and `unavailable` what
   * cannot be kept here.
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
async function keep({ gone, ...ping }: ToldPing, means: PingMeans): Promise<Exclude<Answer, { outcome: 'moving' }>> {
  const { allowance, heldCalls, receive, clock, onAnswered } = means;
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
    return await heldCalls.take(() => receive({ ...ping, source, userAgent, at: clock.now() }), { gone });
  } catch (error) {
    const isElsewhere = error instanceof Refusal;
    // Whoever repeats what was not kept is not to be refused for it. Who is shown the way asks there from now on, and is
    // counted here as well: a loop asks this database no more than any other does.
    if (!isElsewhere || error.code !== 'moved') allowance.giveBack(token, sort);
    onAnswered(signal, isElsewhere ? 'elsewhere' : 'lost');
    throw error;
  }
}

/** null = there is no such signal. */
function signalOf(text: string | null): Pick<KeptPing, 'signal' | 'exitCode'> | null {
  if (text === null) return { signal: 'ping', exitCode: null };
  if (signals.has(text)) return { signal: text as 'start' | 'fail' | 'log', exitCode: null };
  const code = /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN;
  return code <= 255 ? { signal: 'exit', exitCode: code } : null;
}

function shortened(text: string | null): string | null {
  return text === null || text === '' ? null : text.slice(0, headerMost);
}
