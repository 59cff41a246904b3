// Validates templates of stored channels with this version, and compiles them before an alert needs them
// (docs/decisions/0060).
import { channelName } from '#domain/alerts/alert-channel.ts';
import type { JsonObject } from '#domain/json.ts';

/** Identifies a channel. */
export interface ChannelPlace {
  readonly accountId: string;
  readonly id: number;
}

/** A stored channel. */
export interface StoredChannelConfig extends ChannelPlace {
  readonly type: string;
  readonly config: JsonObject;
  /** Epoch ms. */
  readonly writtenAt: number;
}

/** A problem of a channel's configuration. */
export interface ConfigFault {
  readonly path: string;
  readonly message: string;
  readonly line?: number;
  readonly column?: number;
}

export interface KeepTemplatesOptions {
  readonly store: {
    after(place: ChannelPlace | null, limit: number): Promise<StoredChannelConfig[]>;
    writtenSince(at: number, limit: number): Promise<StoredChannelConfig[]>;
  };
  /** Compiles the templates and returns the problems of the channel; empty = none. */
  readonly judge: (channel: Pick<StoredChannelConfig, 'accountId' | 'type' | 'config'>) => readonly ConfigFault[];
  /** Called for each stored channel that cannot be used. */
  readonly onBroken: (channel: ChannelPlace & { readonly name: string; readonly fault: ConfigFault }) => void;
  /** Whether other processes write channels, too. */
  readonly isShared: boolean;
  /** Epoch ms. */
  readonly now: () => number;
  /** Monotonic clock, ms. */
  readonly elapsedMs: () => number;
}

/** Keeps templates compiled. */
export interface KeepTemplates {
  /** Processes a slice. Returns the delay until the next one, ms. */
  tick(): Promise<number>;
  /** Invalid channels of an account; they may have been fixed since. */
  broken(accountId: string): readonly FoundBroken[];
}

/** An invalid channel. */
export interface FoundBroken {
  readonly id: number;
  /** When it was found, epoch ms. */
  readonly foundAt: number;
}

const perSlice = 20;
/** How long a slice may block the event loop, and how long it then pauses, ms. */
const sliceMs = 5;
const restMs = 20;
const idleMs = 60_000;
/** How far back to look for changed channels, ms, and how many to process at a time. */
const overlapMs = 10_000;
const maxScanned = 500;
/** Maximum number of invalid channels to remember and log. */
const maxBroken = 1000;

export function createKeepTemplates(options: KeepTemplatesOptions): KeepTemplates {
  const { store, isShared } = options;
  const broken = new Map<string, Map<number, number>>();
  let found = 0;
  let last: ChannelPlace | null = null;
  let isThrough = false;
  let newestAt = 0;
  /** Channels left over from the last slice. */
  let waiting: StoredChannelConfig[] = [];

  const judge = (channel: StoredChannelConfig): void => {
    const { accountId, id } = channel;
    const [fault] = options.judge(channel);
    const ofAccount = broken.get(accountId);
    if (fault === undefined) {
      if (ofAccount?.delete(id) === true) found--;
    } else if (ofAccount?.has(id) !== true && found < maxBroken) {
      found++;
      broken.set(accountId, (ofAccount ?? new Map<number, number>()).set(id, options.now()));
      options.onBroken({ accountId, id, name: channelName(channel), fault });
    }
  };
  const read = async (): Promise<StoredChannelConfig[]> => {
    // Rows written until then may become visible later. They are few, and already compiled.
    if (isThrough) return isShared ? store.writtenSince(newestAt - overlapMs, maxScanned) : [];
    const rows = await store.after(last, perSlice);
    isThrough = rows.length < perSlice;
    last = rows.at(-1) ?? last;
    return rows;
  };
  return {
    async tick() {
      if (waiting.length === 0) waiting = await read();
      const startedAt = options.elapsedMs();
      while (waiting.length > 0 && options.elapsedMs() - startedAt < sliceMs) {
        const channel = waiting.shift() as StoredChannelConfig;
        judge(channel);
        newestAt = Math.max(newestAt, channel.writtenAt);
      }
      return waiting.length > 0 || !isThrough ? restMs : idleMs;
    },
    broken: (accountId) => [...(broken.get(accountId) ?? [])].map(([id, foundAt]) => ({ id, foundAt })),
  };
}
