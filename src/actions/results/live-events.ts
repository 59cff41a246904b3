// Live updates: one poller for each account with open streams, shared by all of them.
import type { Store } from '#store/store.ts';
import type { Caller } from '#domain/accounts/api-key.ts';
import {
  boundedChange,
  everythingChanged,
  hasChanges,
  type LiveChange,
  mergeChanges,
} from '#domain/results/live-change.ts';
import { newId } from '#lib/id.ts';
import { requirePermission } from '../accounts/permission.ts';
import { Refusal } from '../refusal.ts';

/** A change as it is sent. The ID is for `last-event-id`. */
export interface LiveEvent {
  readonly id: string;
  readonly change: LiveChange;
}

/** An open stream. */
export interface LiveStream {
  /** Identifies this server process. */
  readonly serverId: string;
  /** ID of the newest event at the time of opening. */
  readonly id: string;
  /** What was missed since the event that the caller names; null = nothing, or none was named. */
  readonly missed: LiveEvent | null;
  /** Closes the stream. May be called again. */
  readonly close: () => void;
}

export interface LiveEventDeps extends Pick<Store, 'accountChanges'> {
  /** Hints that results or deliveries were recorded, so that the next poll comes sooner. */
  readonly hints: readonly ((look: () => void) => () => void)[];
  readonly bounds?: Partial<LiveBounds>;
}

/** Limits of live updates. */
export interface LiveBounds {
  readonly keyStreams: number;
  readonly accountStreams: number;
  readonly streams: number;
  /** Minimum time between polls after a hint, and maximum time without one, ms. */
  readonly minMs: number;
  readonly maxMs: number;
  /** How long the last state of an account is remembered after its last stream, ms. */
  readonly rememberedMs: number;
}

const defaults: LiveBounds = {
  keyStreams: 20,
  accountStreams: 100,
  streams: 1000,
  minMs: 1000,
  maxMs: 1500,
  rememberedMs: 30_000,
};
/** Number of changes of an account that a reconnecting client can be sent. */
const storedEvents = 60;

export type LiveEventActions = ReturnType<typeof createLiveEventActions>;

export function createLiveEventActions({ accountChanges, hints, bounds }: LiveEventDeps) {
  const within = { ...defaults, ...bounds };
  const serverId = newId();
  const accounts = new Map<string, LiveAccount>();
  const ofKeys = new Map<string, number>();
  let streams = 0;
  const admit = (keyId: string, accountId: string): void => {
    const refuse = (max: number, whose: string): never => {
      const message = `Too many event streams: at most ${max} for ${whose}. Close one and try again.`;
      throw new Refusal('too-many', message, { retryAfterSeconds: 10 });
    };
    if ((ofKeys.get(keyId) ?? 0) >= within.keyStreams) refuse(within.keyStreams, 'an API key or session');
    if ((accounts.get(accountId)?.size ?? 0) >= within.accountStreams) refuse(within.accountStreams, 'an account');
    if (streams >= within.streams) refuse(within.streams, 'this server');
  };
  const leave = (keyId: string): void => {
    streams--;
    const left = (ofKeys.get(keyId) ?? 1) - 1;
    if (left > 0) ofKeys.set(keyId, left);
    else ofKeys.delete(keyId);
  };
  return {
    /** Number of open streams. */
    get streams() {
      return streams;
    },
    /**
     * Opens a stream for the caller's account. Refuses (`too-many`) above the limits.
     * @param lastEventId last event that the caller received; null = none
     */
    async open(caller: Caller, lastEventId: string | null, send: (event: LiveEvent) => void): Promise<LiveStream> {
      requirePermission(caller, 'read');
      const { accountId, principal } = caller;
      const keyId = principal.kind === 'user' ? principal.sessionId : principal.id;
      admit(keyId, accountId);
      streams++;
      ofKeys.set(keyId, (ofKeys.get(keyId) ?? 0) + 1);
      const account = accounts.get(accountId) ?? createLiveAccount(accountId, () => accounts.delete(accountId));
      accounts.set(accountId, account);
      let isOpen = true;
      let isReady = false;
      const end = account.join((event) => {
        if (isReady) send(event);
      });
      const close = (): void => {
        if (!isOpen) return;
        isOpen = false;
        end();
        leave(keyId);
      };
      try {
        await account.seen();
        const { id, missed } = account.since(lastEventId);
        isReady = true;
        return { serverId, id, missed, close };
      } catch (error) {
        close();
        throw error;
      }
    },
  };

  function createLiveAccount(accountId: string, onForgotten: () => void): LiveAccount {
    return liveAccount({ reader: accountChanges.open(accountId), hints, within, onForgotten });
  }
}

/** The streams of an account and their poller. */
interface LiveAccount {
  readonly size: number;
  /** Returns a function that leaves. */
  join(send: (event: LiveEvent) => void): () => void;
  /** Resolves once all later changes are noticed. */
  seen(): Promise<void>;
  /** ID of the newest event, and the changes since the given one. */
  since(lastEventId: string | null): { readonly id: string; readonly missed: LiveEvent | null };
}

interface LiveAccountDeps {
  readonly reader: { next(): Promise<LiveChange> };
  readonly hints: LiveEventDeps['hints'];
  readonly within: LiveBounds;
  readonly onForgotten: () => void;
}

function liveAccount({ reader, hints, within, onForgotten }: LiveAccountDeps): LiveAccount {
  const listeners = new Set<(event: LiveEvent) => void>();
  const log = createEventLog();
  const poller = createPoller(hints, within, async () => {
    const change = boundedChange(await reader.next());
    if (!hasChanges(change)) return;
    const event = log.add(change);
    for (const send of listeners) send(event);
  });
  let forgetting: NodeJS.Timeout | undefined;
  return {
    get size() {
      return listeners.size;
    },
    join(send) {
      listeners.add(send);
      clearTimeout(forgetting);
      if (listeners.size === 1) poller.start();
      return () => {
        if (!listeners.delete(send) || listeners.size > 0) return;
        poller.stop();
        forgetting = setTimeout(onForgotten, within.rememberedMs);
        forgetting.unref();
      };
    },
    seen: poller.seen,
    since: log.since,
  };
}

/** The newest changes of an account, for streams that reconnect. */
function createEventLog(): { add(change: LiveChange): LiveEvent; readonly since: LiveAccount['since'] } {
  const run = newId().slice(-12);
  const events: (LiveEvent & { readonly number: number })[] = [];
  let number = 0;
  const idOf = (at: number): string => `${run}-${at}`;
  return {
    add(change) {
      number++;
      const event = { id: idOf(number), number, change };
      events.push(event);
      if (events.length > storedEvents) events.shift();
      return event;
    },
    since(lastEventId) {
      const id = idOf(number);
      if (lastEventId === null || lastEventId === id) return { id, missed: null };
      const [ofRun, at = ''] = lastEventId.split('-');
      const first = events[0]?.number ?? number + 1;
      const isKnown = ofRun === run && /^\d+$/.test(at) && Number(at) <= number && Number(at) >= first - 1;
      if (!isKnown) return { id, missed: { id, change: everythingChanged } };
      const missed = events.filter((event) => event.number > Number(at)).map(({ change }) => change);
      return { id, missed: { id, change: missed.reduce(mergeChanges) } };
    },
  };
}

/** Polls while it is started, sooner after a hint. */
interface Poller {
  start(): void;
  stop(): void;
  /** Resolves after the first poll. */
  readonly seen: () => Promise<void>;
}

function createPoller(hints: LiveEventDeps['hints'], { minMs, maxMs }: LiveBounds, look: () => Promise<void>): Poller {
  let [isStarted, isSeen, lookedAt] = [false, false, 0];
  let looking: Promise<void> | null = null;
  let timer: NodeJS.Timeout | undefined;
  let endHints: (() => void)[] = [];
  const lookNow = (): Promise<void> => {
    lookedAt = performance.now();
    looking ??= look()
      .then(() => void (isSeen = true))
      .finally(() => {
        looking = null;
        if (isStarted) lookAfter(maxMs);
      });
    return looking;
  };
  const lookAfter = (ms: number): void => {
    clearTimeout(timer);
    // If the database is unavailable, the next poll tries again.
    timer = setTimeout(() => void lookNow().catch(() => undefined), Math.max(0, lookedAt + ms - performance.now()));
    timer.unref();
  };
  return {
    start() {
      isStarted = true;
      const onHint = (): void => {
        if (looking === null) lookAfter(minMs);
      };
      endHints = hints.map((listen) => listen(onHint));
      if (isSeen) lookAfter(minMs);
    },
    stop() {
      isStarted = false;
      clearTimeout(timer);
      for (const end of endHints) end();
    },
    seen: async () => {
      if (!isSeen) await lookNow();
    },
  };
}
