// Wake-ups with NOTIFY. Sent outside of transactions, because a NOTIFY in a transaction serializes all commits of the
// database (docs/decisions/0032).
import { errorMessage } from '#lib/errors.ts';
import type { Client } from 'pg';
import { newId } from '#lib/id.ts';
import type { Wakes } from '../../base/wakes.ts';
import { connectAlone, type Connections } from './connections.ts';
import type { PostgresAddress } from '#lib/net/postgres-address.ts';

const channel = 'tocsin_wake';
/** Hints are batched for this time, ms. */
const gatherMs = 15;
const firstPauseMs = 200;
const longestPauseMs = 5000;

/** State of the listener, for the operator. */
export type ListeningState = 'listening' | 'polling';

export interface WakeOptions {
  /** A direct connection for listening; null = do not listen. */
  readonly address: PostgresAddress | null;
  /** Called when listening begins, and when it fails, with the reason. */
  readonly onState?: (state: ListeningState, why: string) => void;
}

export function createWakes(connections: Connections, { address, onState = () => {} }: WakeOptions): Wakes {
  const self = newId();
  const sender = createSender(connections, self);
  let listener: Listener | null = null;
  return {
    send: (name) => sender.send(name),
    listen(onWake) {
      if (address === null || listener !== null) return;
      listener = startListener(address, onState, (payload) => {
        if (payload === null) return onWake(null);
        const at = payload.indexOf('/');
        if (payload.slice(0, at) !== self) onWake(payload.slice(at + 1));
      });
    },
    async close() {
      sender.close();
      await listener?.close();
    },
  };
}

function createSender(connections: Connections, self: string) {
  const names = new Set<string>();
  let timer: NodeJS.Timeout | null = null;
  let isSending = false;
  const send = async (): Promise<void> => {
    timer = null;
    isSending = true;
    const payloads = [...names].map((name) => `${self}/${name}`);
    names.clear();
    // Processes that miss a hint poll.
    await connections
      .statement('SELECT pg_notify($1, name) FROM unnest($2::text[]) AS name', [channel, payloads])
      .catch(() => undefined);
    isSending = false;
    plan();
  };
  const plan = (): void => {
    if (names.size > 0 && timer === null && !isSending) timer = setTimeout(send, gatherMs);
  };
  return {
    send(name: string): void {
      names.add(name);
      plan();
    },
    close(): void {
      if (timer !== null) clearTimeout(timer);
      names.clear();
    },
  };
}

interface Listener {
  close(): Promise<void>;
}

function startListener(
  address: PostgresAddress,
  onState: NonNullable<WakeOptions['onState']>,
  onPayload: (payload: string | null) => void,
): Listener {
  let isClosed = false;
  let client: Client | null = null;
  let timer: NodeJS.Timeout | null = null;
  let failedInARow = 0;

  const again = (why: string): void => {
    if (isClosed || timer !== null) return;
    if (failedInARow++ === 0) onState('polling', why);
    const pauseMs = Math.min(firstPauseMs * 2 ** Math.min(failedInARow, 8), longestPauseMs);
    timer = setTimeout(connect, pauseMs * (0.5 + Math.random() / 2));
  };
  const connect = async (): Promise<void> => {
    timer = null;
    let current: Client | null = null;
    const over = (from: Client | null, why: string): void => {
      if (from !== current) return;
      current = null;
      void from?.end().catch(() => undefined);
      again(why);
    };
    const watch = (made: Client): void => {
      client = current = made;
      made.on('error', (error) => over(made, error.message));
      made.on('end', () => over(made, 'the connection was closed'));
      made.on('notification', ({ payload = '' }) => onPayload(payload));
    };
    try {
      const fresh = await connectAlone(address, watch);
      if (await isThroughPooler(fresh)) {
        isClosed = true;
        await fresh.end();
        onState('polling', 'DATABASE_URL points to a pooler: set TOCSIN_LISTEN_URL to the database itself');
        return;
      }
      await fresh.query(`LISTEN ${channel}`);
      failedInARow = 0;
      onState('listening', '');
      onPayload(null);
    } catch (cause) {
      over(current, errorMessage(cause));
    }
  };
  void connect();
  return {
    async close() {
      isClosed = true;
      if (timer !== null) clearTimeout(timer);
      await client?.end().catch(() => undefined);
    },
  };
}

/** Whether an address supports listening. Rejects with the driver's error if it cannot be reached. */
export async function listensDirectly(address: PostgresAddress): Promise<boolean> {
  const client = await connectAlone(address, (made) => made.on('error', () => {}));
  try {
    return !(await isThroughPooler(client));
  } finally {
    await client.end();
  }
}

/**
 * A pooler reports its own process IDs to clients; the server itself reports that of the responding process. Behind a
 * pooler in transaction mode, LISTEN would stay with a connection that serves others.
 */
async function isThroughPooler(client: Client): Promise<boolean> {
  const answer = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return answer.rows[0]?.pid !== (client as unknown as { processID: number | null }).processID;
}
