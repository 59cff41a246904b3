// Clients that read slowly, or not at all, over real connections: they are cut off, cost little, and miss nothing.
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { connectAsync, type IClientOptions, type MqttClient } from 'mqtt';
import { WebSocket } from 'ws';
import { createTestMessageActions } from '#actions/sessions/test-messages.ts';
import { plainCheck } from '#domain/checks/check.ts';
import { bareFinding } from '#domain/results/result.ts';
import type { TestRun } from '#domain/sessions/test-session.ts';
import { newId } from '#lib/id.ts';
import { openTempStore } from '../support/store/temp-store.ts';
import { until } from '../support/until.ts';
import { foreignId, keys, ownId, restUnderTest } from './rest-under-test.ts';

const mb = 1_048_576;
const clients = { [ownId]: 'tsn_writer', [foreignId]: 'tsn_foreign' };
/** More than the buffers of a connection hold. */
const [runs, runBytes] = [36, 500_000];

interface Subscriber {
  readonly client: MqttClient;
  /** Received topics, without those of started runs. */
  readonly received: string[];
  /** The connection: paused, it reads nothing. */
  readonly socket: () => WebSocket;
}

/** A server over a real store, in which both accounts have a session of 18 MB. */
async function largeSessions(t: TestContext, more: Partial<Parameters<typeof restUnderTest>[0]> = {}) {
  const temp = openTempStore();
  const { store, clock, raw } = temp;
  for (const accountId of [ownId, foreignId]) {
    const id = Buffer.from(accountId.replaceAll('-', ''), 'hex');
    raw.prepare('INSERT INTO accounts (id, name, created_at) VALUES (?, ?, ?)').run(id, 'Shop', 0);
    await addSession(accountId, temp);
  }
  const messages = createTestMessageActions({
    ...store,
    describeResult: (_type, _result, found) => found ?? {},
    clock,
  });
  const { server } = restUnderTest({
    authenticate: (key) =>
      keys[key] ?? (key === clients[foreignId] ? { keyId: key, role: 'read-only', accountIds: [foreignId] } : null),
    mqtt: { messages, hints: () => () => undefined, onForgotten: () => () => undefined },
    ...more,
  });
  await server.listen({ host: '127.0.0.1', port: 0 });
  t.after(async () => {
    await server.close();
    await temp[Symbol.asyncDispose]();
  });
  const address = server.server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  const connect = async (accountId: keyof typeof clients, mqtt: IClientOptions = {}): Promise<Subscriber> => {
    let socket: WebSocket | null = null;
    const createWebsocket = (url: string, protocols: string[]): WebSocket => (socket = new WebSocket(url, protocols));
    const options = { username: accountId, password: clients[accountId], reconnectPeriod: 0, createWebsocket, ...mqtt };
    const client = await connectAsync(`ws://127.0.0.1:${port}/mqtt`, options, false);
    t.after(() => void client.end(true));
    const received: string[] = [];
    client.on('message', (topic) => {
      if (topic.endsWith('/result')) received.push(topic);
    });
    return { client, received, socket: () => socket ?? assert.fail() };
  };
  const get = async (accountId: keyof typeof clients): Promise<number> => {
    const headers = { authorization: `Bearer ${clients[accountId]}` };
    return (await fetch(`http://127.0.0.1:${port}/v1/runtimes`, { headers })).status;
  };
  const connections = (): Promise<number> =>
    new Promise((resolve) => server.server.getConnections((_error, count) => resolve(count)));
  return { connect, get, connections };
}

async function addSession(accountId: string, { store, clock }: ReturnType<typeof openTempStore>): Promise<void> {
  const [id, createdAt, location] = [newId(), clock.now(), 'local'];
  const settings = { request: { url: 'https://shop.example' } };
  const check = { ...plainCheck, accountId, checkType: 'API', name: 'Shop', settings, createdAt: 0 } as const;
  const ofSession = { accountId, sessionId: id, location, createdAt, logicalId: null };
  const queued = Array.from({ length: runs }, (_, position): TestRun => {
    const own = { id: newId(), checkRunId: `run-${position}`, check: { ...check, id: newId() } };
    return { ...ofSession, ...own, position, group: null, variables: [], retryStrategy: null };
  });
  const session = { accountId, id, suiteId: 'suite', name: 'Release', provider: 'API', isRecorded: true } as const;
  await store.testSessions.add({ ...session, location, metadata: {}, createdAt }, queued);
  const exchange = JSON.stringify({ response: { status: 200, body: 'x'.repeat(runBytes) } });
  for (const run of await store.testRuns.claim({ location, owner: 'one', now: createdAt, leaseMs: 60_000 }, runs)) {
    const finding = bareFinding(createdAt, { verdict: 'passed', reason: null, message: null });
    await store.testRuns.end(run, 'one', { ...finding, exchange }, createdAt);
  }
}

const suiteOf = (accountId: string): string => `account/${accountId}/ad-hoc-check-results/suite/+/+/+`;
const accounts = (each: number) => ({ each, all: 128 * mb, spare: 32 * mb });

test('a client that reads nothing is cut off, and when it is back it gets everything, each message once', async (t) => {
  const { connect, connections } = await largeSessions(t, { sending: { stallMs: 300 } });
  const silent = await connect(ownId);
  await silent.client.subscribeAsync(suiteOf(ownId));
  silent.socket().pause();
  await until('the cut', async () => (await connections()) === 0);
  assert.ok(silent.received.length < runs, `${silent.received.length} messages`);
  const again = await connect(ownId);
  await again.client.subscribeAsync(suiteOf(ownId));
  await until('all messages', () => again.received.length >= runs);
  assert.equal(new Set(again.received).size, runs);
  assert.equal(again.received.length, runs);
});

test('a client that reads slowly but steadily is not cut off', async (t) => {
  const { connect } = await largeSessions(t, { sending: { stallMs: 300 } });
  const slow = await connect(ownId);
  slow.client.on('message', () => {
    slow.socket().pause();
    setTimeout(() => slow.socket().resume(), 25);
  });
  await slow.client.subscribeAsync(suiteOf(ownId));
  await until('all messages', () => slow.received.length === runs);
});

test('messages that a client does not read count as bytes of its account, and of no other', async (t) => {
  // A list takes 8 MB until its size is known: with a message that waits, it does not fit.
  const { connect, get } = await largeSessions(t, { sending: { waitMs: 100, accounts: accounts(8.25 * mb) } });
  assert.equal(await get(ownId), 200);
  const silent = await connect(ownId);
  await silent.client.subscribeAsync(suiteOf(ownId));
  silent.socket().pause();
  await until('a refusal', async () => (await get(ownId)) === 429);
  const other = await connect(foreignId);
  await other.client.subscribeAsync(suiteOf(foreignId));
  await until('the messages of the other account', () => other.received.length === runs);
  assert.deepEqual([await get(ownId), await get(foreignId)], [429, 200]);
  silent.client.end(true);
  await until('an answer', async () => (await get(ownId)) === 200);
});

test('an account without bytes for messages gets them late, not never', async (t) => {
  const { connect } = await largeSessions(t, {
    sending: { waitMs: 50, stallMs: 60_000, accounts: accounts(5 * mb) },
  });
  const silent = await connect(ownId);
  await silent.client.subscribeAsync(suiteOf(ownId));
  silent.socket().pause();
  const second = await connect(ownId);
  await second.client.subscribeAsync(suiteOf(ownId));
  silent.client.end(true);
  await until('all messages', () => second.received.length === runs);
  assert.equal(new Set(second.received).size, runs);
});

test('a subscription counts as a request of its key', async (t) => {
  const { connect } = await largeSessions(t, { rateLimit: 3 });
  const { client } = await connect(ownId);
  await client.subscribeAsync(suiteOf(ownId));
  await client.unsubscribeAsync(suiteOf(ownId));
  await client.subscribeAsync(suiteOf(ownId));
  await assert.rejects(client.subscribeAsync(`account/${ownId}/#`));
});
