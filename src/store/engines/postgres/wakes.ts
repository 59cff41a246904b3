// Wake-ups by NOTIFY. They are sent apart from the transactions they tell of, because a NOTIFY in a transaction makes all
// commits of the database wait for each other (docs/decisions/0032).
import type { Client } from 'pg';
import { newId } from '#lib/id.ts';
import type { Wakes } from '../../base/wakes.ts';
import { connectAlone, type Connections } from './connections.ts';
import type { PostgresAddress } from '#lib/net/postgres-address.ts';

const channel = 'tocsin_wake';
/** Hints of this long go out together, ms. */
const gatherMs = 15;
const firstPauseMs = 200;
const longestPauseMs = 5000;

/** How the listening goes, for the operator. */
export type ListeningState = 'listening' | 'polling';

export interface WakeOptions {
  /** A direct connection to listen on; null = do not listen. */
  readonly address: PostgresAddress | null;
  /** Told when listening begins, and when it turns out that it cannot, with the reason. */
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
    // Who cannot be told looks by itself.
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
      made.on('end', () => over(made, 'the connection ended'));
      made.on('notification', ({ payload = '' }) => onPayload(payload));
    };
    try {
      const fresh = await connectAlone(address, watch);
      if (await isThroughPooler(fresh)) {
        isClosed = true;
        await fresh.end();
        onState('polling', 'a pooler stands before the database: set TOCSIN_LISTEN_URL to the database itself');
        return;
      }
      await fresh.query(`LISTEN ${channel}`);
      failedInARow = 0;
      onState('listening', '');
      onPayload(null);
    } catch (cause) {
      over(current, cause instanceof Error ? cause.message : String(cause));
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

/** Whether wake-ups can be listened for at an address. Rejects with what the driver says when it cannot be reached. */
export async function listensDirectly(address: PostgresAddress): Promise<boolean> {
  const client = await connectAlone(address, (made) => made.on('error', () => {}));
  try {
    return !(await isThroughPooler(client));
  } finally {
    await client.end();
  }
}

/**
 * A pooler gives its clients numbers of its own; the server itself tells the one of the process that answers. Behind a
 * pooler in transaction mode a LISTEN would stay with a connection that serves others.
 */
async function isThroughPooler(client: Client): Promise<boolean> {
  const answer = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return answer.rows[0]?.pid !== (client as unknown as { processID: number | null }).processID;
}
