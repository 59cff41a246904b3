// Beside the path: templates of stored channels are judged again by this version, and compiled before an alert needs them
// (docs/decisions/0060).
import type { JsonObject } from '#domain/json.ts';

/** Which channel. */
export interface ChannelPlace {
  readonly accountId: string;
  readonly id: number;
}

/** A stored channel. */
export interface KeptChannel extends ChannelPlace {
  readonly type: string;
  readonly config: JsonObject;
  /** Epoch ms. */
  readonly writtenAt: number;
}

/** What is wrong with a channel's configuration. */
export interface ConfigFault {
  readonly path: string;
  readonly message: string;
  readonly line?: number;
  readonly column?: number;
}

/** What it is joined with. */
export interface KeepTemplatesOptions {
  readonly store: {
    after(place: ChannelPlace | null, limit: number): Promise<KeptChannel[]>;
    writtenSince(at: number, limit: number): Promise<KeptChannel[]>;
  };
  /** Compiles the templates and says what is wrong with the channel; empty = nothing. */
  readonly judge: (type: string, config: JsonObject) => readonly ConfigFault[];
  /** Told of each channel that cannot be used as it is stored. */
  readonly onBroken: (channel: ChannelPlace & { readonly name: string; readonly fault: ConfigFault }) => void;
  /** Whether channels are written by other processes, too. */
  readonly isShared: boolean;
  /** Epoch ms. */
  readonly now: () => number;
  /** A clock that only goes on, ms. */
  readonly elapsedMs: () => number;
}

/** Keeps templates ready. */
export interface KeepTemplates {
  /** A slice of the work. Answers in how many ms the next is wanted. */
  turn(): Promise<number>;
  /** Channels that were found broken, of one account; those mended since may be among them. */
  broken(accountId: string): readonly FoundBroken[];
}

/** A channel that was found broken. */
export interface FoundBroken {
  readonly id: number;
  /** Epoch ms: when. */
  readonly foundAt: number;
}

const perSlice = 20;
/** ms that a slice may hold the loop, and that it then leaves to others. */
const sliceMs = 5;
const restMs = 20;
const idleMs = 60_000;
/** How far back what was written is looked at again, ms, and how many channels at once. */
const overlapMs = 10_000;
const lookMost = 500;
/** Channels that are remembered as broken and told of; a log with more of them says nothing more. */
const brokenMost = 1000;

export function createKeepTemplates(options: KeepTemplatesOptions): KeepTemplates {
  const { store, isShared } = options;
  const broken = new Map<string, Map<number, number>>();
  let found = 0;
  let last: ChannelPlace | null = null;
  let isThrough = false;
  let newestAt = 0;
  /** Those that were not reached within the last slice. */
  let waiting: KeptChannel[] = [];

  const judge = ({ accountId, id, type, config }: KeptChannel): void => {
    const [fault] = options.judge(type, config);
    const ofAccount = broken.get(accountId);
    if (fault === undefined) {
      if (ofAccount?.delete(id) === true) found--;
    } else if (ofAccount?.has(id) !== true && found < brokenMost) {
      found++;
      broken.set(accountId, (ofAccount ?? new Map<number, number>()).set(id, options.now()));
      const name = typeof config['name'] === 'string' ? config['name'] : '';
      options.onBroken({ accountId, id, name: name || `alert channel ${id}`, fault });
    }
  };
  const read = async (): Promise<KeptChannel[]> => {
    // Some may have been written by then and become visible only later: they are few, and compiled already.
    if (isThrough) return isShared ? store.writtenSince(newestAt - overlapMs, lookMost) : [];
    const rows = await store.after(last, perSlice);
    isThrough = rows.length < perSlice;
    last = rows.at(-1) ?? last;
    return rows;
  };
  return {
    async turn() {
      if (waiting.length === 0) waiting = await read();
      const startedAt = options.elapsedMs();
      while (waiting.length > 0 && options.elapsedMs() - startedAt < sliceMs) {
        const channel = waiting.shift() as KeptChannel;
        judge(channel);
        newestAt = Math.max(newestAt, channel.writtenAt);
      }
      return waiting.length > 0 || !isThrough ? restMs : idleMs;
    },
    broken: (accountId) => [...(broken.get(accountId) ?? [])].map(([id, foundAt]) => ({ id, foundAt })),
  };
}
