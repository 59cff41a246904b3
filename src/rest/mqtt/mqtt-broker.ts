// The MQTT broker: clients may read messages about test sessions of their own account, and nothing else.
import type { Duplex } from 'node:stream';
import { Aedes, type AuthenticateError, type Client } from 'aedes';
import {
  messagesAtOnce,
  type TestMessage,
  type TestMessageActions,
  type TestMessageReader,
} from '#actions/sessions/test-messages.ts';
import type { Caller } from '#domain/accounts/api-key.ts';
import { newId } from '#lib/id.ts';
import { payloadOf } from './messages.ts';
import { isSelected, scopeOf, topicOf } from './topics.ts';

/** Bytes of messages that wait for a client. */
interface HeldBytes {
  set(bytes: number): void;
  release(): void;
}

export interface MqttBrokerOptions {
  readonly messages: Pick<TestMessageActions, 'read'>;
  /**
   * The caller of a key that acts on an account; null = refused.
   * @param address of the client that connects; null = it is connected
   */
  readonly authenticate: (accountId: string, key: string, address: string | null) => Promise<Caller | null>;
  /** Hints that something happened in a test session. */
  readonly hints: (wake: () => void) => () => void;
  /** Tells the ID of a key that may have lost access; undefined = any. Returns a function that unsubscribes. */
  readonly onForgotten: (onForgotten: (id?: string) => void) => () => void;
  /** Takes a subscription from the allowance of a key; false = there is none. */
  readonly isAllowed: (keyId: string) => boolean;
  /** Reserves bytes of messages in the budget of the account. Rejects if there are none. */
  readonly reserve: (accountId: string, bytes: number) => HeldBytes | Promise<HeldBytes>;
  /** How long a client may leave messages unread, ms. */
  readonly stallMs: number;
}

/** Connections of an account and of all accounts, and subscriptions of a connection. */
export const mqttLimits = { account: 20, all: 500, subscriptions: 5 } as const;

export interface MqttBroker {
  /** Speaks MQTT on a connection. @param onAuthenticated called once the key is known */
  readonly serve: (connection: Duplex, address: string, onAuthenticated: () => void) => void;
  readonly close: () => void;
}

/** What the messages of a read may hold. */
const readBytes = messagesAtOnce * 1_048_576;
/** Time between two reads after a hint, and without one, ms. */
const [leastMs, mostMs] = [50, 1000];
/** Interval between checks of the key, ms. */
const recheckMs = 10_000;
/** Return codes of the protocol. */
const [unavailable, badCredentials, notAuthorized] = [3, 4, 5] as const;

export async function createMqttBroker(options: MqttBrokerOptions): Promise<MqttBroker> {
  const clients = createClients(options);
  /** Clients that ask for what would outlive their connection. */
  const isKept = new WeakSet<Client>();
  const broker = await Aedes.createBroker({
    connectTimeout: 5000,
    drainTimeout: options.stallMs,
    keepaliveLimit: 600,
    queueLimit: 10,
    concurrency: 10,
    maxTopicLevels: 20,
    preConnect(client, packet, done) {
      // Nothing of a connection outlives it: no session and no last message.
      if (!packet.clean || packet.will !== undefined) isKept.add(client);
      // A name that another client has chosen would close its connection.
      packet.clientId = newId();
      done(null, true);
    },
    authenticate(client, username = '', password = Buffer.alloc(0), reply) {
      const code = isKept.has(client)
        ? Promise.resolve(notAuthorized)
        : clients.admit(client, username.toLowerCase(), password.toString('utf8'));
      void code.then((refused) => (refused === null ? reply(null, true) : reply(refusal(refused), false)));
    },
    authorizePublish: (_client, _packet, reply) => reply(new Error('clients cannot publish')),
    authorizeSubscribe(client, subscription, reply) {
      const granted =
        clients
          .of(client)
          ?.subscribe(subscription.topic)
          .catch(() => false) ?? Promise.resolve(false);
      void granted.then((isGranted) => reply(null, isGranted ? { ...subscription, qos: 0 } : null));
    },
    // Messages are sent to each client on its own.
    authorizeForward: (_client, packet) => (packet.topic.startsWith('account/') ? packet : null),
  });
  const { forget } = clients;
  broker.on('unsubscribe', (topics, client) => topics.forEach((topic) => clients.of(client)?.unsubscribe(topic)));
  broker.on('clientDisconnect', forget);
  broker.on('clientError', forget);
  broker.on('connectionError', forget);
  return {
    serve(connection, address, onAuthenticated) {
      // Errors of a connection end it; nothing else depends on it.
      connection.on('error', () => connection.destroy());
      const client = broker.handle(connection);
      clients.expect(client, { address, onAuthenticated });
      connection.once('close', () => forget(client));
    },
    close() {
      clients.forgetAll();
      broker.close();
    },
  };
}

const refusals = {
  [unavailable]: 'the service is unavailable, or the account has too many connections',
  [badCredentials]: 'the account or the API key is wrong',
  [notAuthorized]: 'persistent sessions and wills are not supported',
} as const;
type RefusalCode = keyof typeof refusals;

function refusal(returnCode: RefusalCode): AuthenticateError {
  return Object.assign(new Error(refusals[returnCode]), { returnCode });
}

interface Connecting {
  readonly address: string;
  readonly onAuthenticated: () => void;
}

/** The connections of the broker. */
function createClients(options: MqttBrokerOptions) {
  const open = new Map<Client, Session>();
  const connecting = new WeakMap<Client, Connecting>();
  const forget = (client: Client): void => {
    open.get(client)?.end();
    open.delete(client);
  };
  const isFull = (accountId: string): boolean => {
    const own = [...open.values()].filter((session) => session.accountId === accountId);
    return open.size >= mqttLimits.all || own.length >= mqttLimits.account;
  };
  return {
    expect: (client: Client, known: Connecting) => void connecting.set(client, known),
    of: (client: Client): Session | undefined => open.get(client),
    /** Returns why the client is refused; null = it is connected. */
    async admit(client: Client, accountId: string, key: string): Promise<RefusalCode | null> {
      const { address = '', onAuthenticated } = connecting.get(client) ?? {};
      const caller = await options.authenticate(accountId, key, address).catch(() => unavailable);
      if (caller === null) return badCredentials;
      if (caller === unavailable || isFull(caller.accountId)) return unavailable;
      if (client.closed) return badCredentials;
      open.set(client, createSession(client, caller, key, options));
      onAuthenticated?.();
      return null;
    },
    forget,
    forgetAll: () => [...open.keys()].forEach(forget),
  };
}

/** An authenticated connection. */
interface Session {
  readonly accountId: string;
  /** false = refused. */
  subscribe(filter: string): Promise<boolean>;
  unsubscribe(filter: string): void;
  end(): void;
}

function createSession(client: Client, caller: Caller, key: string, options: MqttBrokerOptions): Session {
  const { accountId, principal } = caller;
  const readers = new Map<string, TestMessageReader>();
  const loop = createReadLoop(options.hints, async () => {
    let isMore = false;
    for (const [filter, reader] of readers) {
      if (!(await reader.hasNext())) continue;
      isMore = true;
      // If the account has none, the messages wait for the next read.
      const held = await options.reserve(accountId, readBytes);
      try {
        const messages = (await reader.next()).flatMap((message) => packedIfSelected(message, accountId, filter));
        // A client that is cut off reads the session again when it is back.
        await sendAll(client, messages, held).catch(() => client.close());
      } finally {
        held.release();
      }
    }
    return isMore;
  });
  const recheck = (): void =>
    void options.authenticate(accountId, key, null).then(
      (known) => known === null && client.close(),
      // If the database is unavailable, the next check decides.
      () => undefined,
    );
  const timer = setInterval(recheck, recheckMs);
  timer.unref();
  const unlisten = options.onForgotten((id) => {
    if (id === undefined || id === principal.id) recheck();
  });
  return {
    accountId,
    async subscribe(filter) {
      const scope = scopeOf(filter, accountId);
      if (scope === null || !options.isAllowed(principal.id)) return false;
      const reader = await options.messages.read(caller, scope.suiteId);
      if (readers.size >= mqttLimits.subscriptions && !readers.has(filter)) return false;
      readers.set(filter, reader);
      loop.wake();
      return true;
    },
    unsubscribe: (filter) => void readers.delete(filter),
    end() {
      clearInterval(timer);
      unlisten();
      loop.stop();
      readers.clear();
    },
  };
}

interface PackedMessage {
  readonly topic: string;
  readonly payload: Buffer;
}

/** A message as it is sent; [] = the filter does not select it. */
function packedIfSelected(message: TestMessage, accountId: string, filter: string): PackedMessage[] {
  const { kind, payload } = payloadOf(message);
  const { suiteId, run } = message;
  const topic = topicOf({ accountId, suiteId, sequenceId: run.id, checkRunId: run.checkRunId, kind });
  return isSelected(topic, filter) ? [{ topic, payload: Buffer.from(JSON.stringify(payload)) }] : [];
}

/**
 * Resolves once the connection has taken all messages; `held` shrinks with each. Rejects if the connection ends, as that
 * of a client does that reads nothing.
 */
async function sendAll(client: Client, messages: readonly PackedMessage[], held: HeldBytes): Promise<void> {
  let waiting = messages.reduce((bytes, { payload }) => bytes + payload.length, 0);
  held.set(waiting);
  for (const { topic, payload } of messages) {
    await new Promise<void>((resolve, reject) => {
      const message = { cmd: 'publish', topic, payload, qos: 0, retain: false, dup: false } as const;
      client.publish(message, (error) => (error ? reject(error) : resolve()));
    });
    waiting -= payload.length;
    held.set(waiting);
  }
}

/** Reads while there is more, then after each hint, and once a second. */
function createReadLoop(hints: MqttBrokerOptions['hints'], read: () => Promise<boolean>) {
  let timer: NodeJS.Timeout | undefined;
  let [isReading, isHinted, isStopped] = [false, false, false];
  const readLater = (ms: number): void => {
    clearTimeout(timer);
    if (isStopped) return;
    timer = setTimeout(() => void readNow(), ms);
    timer.unref();
  };
  const readNow = async (): Promise<void> => {
    isReading = true;
    isHinted = false;
    // If the database is unavailable, the next read tries again.
    const isMore = await read().catch(() => false);
    isReading = false;
    readLater(isMore || isHinted ? leastMs : mostMs);
  };
  const wake = (): void => {
    if (!isHinted && !isReading) readLater(leastMs);
    isHinted = true;
  };
  const unlisten = hints(wake);
  return {
    wake,
    stop() {
      isStopped = true;
      clearTimeout(timer);
      unlisten();
    },
  };
}
