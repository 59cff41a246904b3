// Follows the changes of an account over the event stream, across restarts of the server.
import { setTimeout as delay } from 'node:timers/promises';
import type { z } from 'zod';
import { readEventStream } from '#contract/event-stream.ts';
import type { liveChange } from '#contract/results/live-events.ts';
import { CommandError } from '../exits.ts';
import { type Connection, ServerRefusal } from './connect.ts';
import { Unreachable } from './patient-fetch.ts';

/** What changed. */
export type Change = z.output<typeof liveChange>;

/** What a follower does. */
export interface ChangeListener {
  /** The stream begins, again after `onLost`: anything may have changed before. */
  readonly onConnected: () => void;
  readonly onChange: (change: Change) => void;
  /** There is no stream; another attempt follows. */
  readonly onLost: () => void;
}

/** The server writes a comment every 6 s; after this silence the stream is opened again, ms. */
const silenceMs = 20_000;
/** Mean delay before another attempt, ms. */
const retryMs = 1500;

/**
 * Reports changes until the signal aborts.
 * @throws {ServerRefusal} if the server refuses the stream, and CommandError if the key is rejected
 */
export async function followChanges(
  connection: Connection,
  listener: ChangeListener,
  signal: AbortSignal,
): Promise<void> {
  const last = { id: '' };
  while (!signal.aborted) {
    await followOnce(connection, listener, signal, last).catch((error: unknown) => {
      if (signal.aborted) return;
      if (!isTemporary(error)) throw error;
    });
    if (signal.aborted) return;
    listener.onLost();
    await delay(retryMs * (0.5 + Math.random()), undefined, { signal }).catch(() => undefined);
  }
}

/** Whether another attempt may succeed: a stream that broke, a server that is away or restarts. */
function isTemporary(error: unknown): boolean {
  if (error instanceof ServerRefusal) return error.statusCode >= 500 || error.statusCode === 429;
  return error instanceof Unreachable || !(error instanceof CommandError);
}

async function followOnce(
  { client }: Connection,
  { onConnected, onChange }: ChangeListener,
  signal: AbortSignal,
  last: { id: string },
): Promise<void> {
  const attempt = new AbortController();
  let silence = setTimeout(() => attempt.abort(), silenceMs);
  const sign = (): void => {
    clearTimeout(silence);
    silence = setTimeout(() => attempt.abort(), silenceMs);
  };
  try {
    const body = await client.call('streamEvents', {
      signal: AbortSignal.any([signal, attempt.signal]),
      ...(last.id !== '' && { headers: { 'last-event-id': last.id } }),
    });
    const take = ({ id, event, data }: { id: string; event: string; data: string }): void => {
      if (id !== '') last.id = id;
      if (event === 'hello') onConnected();
      else if (event === 'change') onChange(JSON.parse(data) as Change);
    };
    await readEventStream(body, take, sign);
  } finally {
    clearTimeout(silence);
  }
}

/** Whether a list of changed checks contains one of the wanted ones. */
export function concerns(changed: Change['results'], checkIds: ReadonlySet<string>): boolean {
  return changed === 'all' || changed.some((id) => checkIds.has(id));
}
