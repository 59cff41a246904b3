// Messages about test sessions over MQTT: who may read what, and that nobody misses any or reads one twice.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, test } from 'node:test';
import { connectAsync, type IClientOptions, type MqttClient } from 'mqtt';
import { WebSocket } from 'ws';
import { startComposed } from '../support/service/composed.ts';
import { asker } from '../support/service/service.ts';
import { startTarget } from '../support/targets/target.ts';

interface Message {
  readonly topic: string;
  readonly body: {
    readonly testResultId: string;
    readonly resultType?: string;
    readonly result?: { readonly name: string; readonly hasFailures: boolean; readonly isCancelled: boolean };
  };
}

const endings: (() => void | Promise<void>)[] = [];
after(async () => {
  for (const end of endings.toReversed()) await end();
});
let shared: ReturnType<typeof start> | null = null;
const fixture = (): ReturnType<typeof start> => (shared ??= start());

async function start() {
  const t = { after: (end: () => void | Promise<void>): void => void endings.push(end) };
  let gate = Promise.resolve();
  const target = await startTarget(t, (request, response) => {
    void gate.then(() => response.writeHead(request.url === '/broken' ? 500 : 200).end('answer of the shop'));
  });
  /** Lets the target wait with its responses. @returns ends that */
  const holdResponses = (): (() => void) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    gate = promise;
    return resolve;
  };
  const on = await startComposed(t);
  const { must, api } = asker(() => on.address, on.apiKey);
  const add = async (name: string): Promise<string> => {
    const request = { method: 'GET', url: `${target.url}/${name}` };
    return String((await must('POST', '/v1/checks/api', { name, request, frequency: 1440 }))['id']);
  };
  const checks = [await add('good'), await add('broken')];
  const trigger = async (checkRunSuiteId: string) => {
    const body = { name: 'Release', runLocation: 'local', shouldRecord: true, checkRunSuiteId, checkId: checks };
    return must('POST', '/next/test-sessions/trigger', body);
  };
  const connect = async (path = '/mqtt', more: IClientOptions = {}): Promise<MqttClient> => {
    const options = { username: on.accountId, password: on.apiKey, reconnectPeriod: 0, ...more };
    const client = await connectAsync(`ws://127.0.0.1:${on.port}${path}`, options, false);
    t.after(() => void client.end(true));
    return client;
  };
  return { on, must, api, connect, trigger, holdResponses, checks };
}

/** What a client receives; resolves once there are so many. */
function messagesOf(client: MqttClient) {
  const all: Message[] = [];
  let onMessage = (): void => undefined;
  client.on('message', (topic, payload) => {
    all.push({ topic, body: JSON.parse(payload.toString()) as Message['body'] });
    onMessage();
  });
  return async (count: number): Promise<Message[]> => {
    while (all.length < count) await new Promise<void>((resolve) => (onMessage = resolve));
    return [...all];
  };
}

const suiteFilter = (accountId: string, suite: string): string =>
  `account/${accountId}/ad-hoc-check-results/${suite}/+/+/+`;
const kindsOf = (messages: readonly Message[]): Record<string, string[]> => {
  const ofRun: Record<string, string[]> = {};
  for (const { topic } of messages) (ofRun[topic.split('/')[4] ?? ''] ??= []).push(topic.split('/')[6] ?? '');
  return ofRun;
};

test('subscribers receive each message of their suite once, in order: early, late and again', async () => {
  const { on, connect, trigger, checks } = await fixture();
  const early = await connect('/?authenticationScheme=userApiKey');
  const everything = await connect();
  const received = messagesOf(early);
  const ofAll = messagesOf(everything);
  await early.subscribeAsync(suiteFilter(on.accountId, 'suite-1'));
  await everything.subscribeAsync(`account/${on.accountId}/#`);
  const started = await trigger('suite-1');
  const messages = await received(4);
  const ids = Object.values(started['sequenceIds'] as Record<string, string>);
  assert.deepEqual(kindsOf(messages), Object.fromEntries(ids.map((id) => [id, ['run-start', 'result']])));
  const results = messages.flatMap(({ body: { result, resultType } }) =>
    result ? [[result.name, result.hasFailures, resultType]] : [],
  );
  assert.deepEqual(new Set(results.map(String)), new Set(['good,false,FINAL', 'broken,true,FINAL']));
  const late = await connect();
  const again = messagesOf(late);
  await late.subscribeAsync(suiteFilter(on.accountId, 'suite-1'));
  assert.deepEqual(kindsOf(await again(4)), kindsOf(messages));
  await late.unsubscribeAsync(suiteFilter(on.accountId, 'suite-1'));
  await late.subscribeAsync(suiteFilter(on.accountId, 'suite-1'));
  assert.equal((await again(8)).length, 8, 'a new subscription starts from the beginning');
  await trigger('suite-2');
  assert.equal(new Set((await ofAll(8)).map(({ topic }) => topic.split('/')[3])).size, 2);
  assert.equal((await received(4)).length, 4, 'of another suite');
  assert.equal(checks.length, ids.length);
});

test('a client whose connection breaks during a session connects again and has missed nothing', async () => {
  const { on, must, connect, trigger, holdResponses, checks } = await fixture();
  const client = await connect('/', { reconnectPeriod: 100 });
  const received = messagesOf(client);
  await client.subscribeAsync(suiteFilter(on.accountId, 'broken-off'));
  const release = holdResponses();
  const { testSessionId } = await trigger('broken-off');
  await received(checks.length);
  const isBack = new Promise<void>((resolve) => client.once('connect', () => resolve()));
  client.stream.destroy();
  release();
  await must('GET', `/v1/test-sessions/${String(testSessionId)}/completion`);
  await isBack;
  const results = new Set<string>();
  for (let count = checks.length; results.size < checks.length; count++) {
    for (const { topic, body } of await received(count)) if (topic.endsWith('/result')) results.add(body.testResultId);
  }
  client.end(true);
});

test('a client reads nothing of others, publishes nothing, and keeps nothing', async () => {
  const { on, connect } = await fixture();
  const client = await connect();
  for (const filter of ['#', '$SYS/#', 'account/+/#', 'account/7f1f0c1e-5a52-4c4f-9d2c-0d6f9a4f1c12/#']) {
    await assert.rejects(client.subscribeAsync(filter), /Unspecified error|refused|128/i, filter);
  }
  for (let index = 0; index < 5; index++) await client.subscribeAsync(suiteFilter(on.accountId, String(index)));
  await assert.rejects(client.subscribeAsync(suiteFilter(on.accountId, 'sixth')));
  const closed = new Promise<void>((resolve) => client.once('close', resolve));
  client.publish(`account/${on.accountId}/ad-hoc-check-results/suite/a/b/result`, '{}');
  await closed;
  await assert.rejects(connect('/mqtt', { clean: false, clientId: 'kept' }), /Not authorized/);
  const will = { topic: `account/${on.accountId}/x`, payload: Buffer.from('last words') };
  await assert.rejects(connect('/mqtt', { will: { ...will, qos: 0, retain: true } }), /Not authorized/);
});

test('a wrong key, a foreign account and a revoked key are refused', async () => {
  const { on, must, api, connect } = await fixture();
  await assert.rejects(connect('/mqtt', { password: `tsn_${'x'.repeat(43)}` }), /Bad username or password/);
  await assert.rejects(
    connect('/mqtt', { username: '7f1f0c1e-5a52-4c4f-9d2c-0d6f9a4f1c12' }),
    /Bad username or password/,
  );
  const { key, id } = await must('POST', '/v1/api-keys', { name: 'CI', role: 'read-only', accountIds: [on.accountId] });
  const client = await connect('/mqtt', { password: String(key) });
  const closed = new Promise<void>((resolve) => client.once('close', resolve));
  assert.equal((await api('DELETE', `/v1/api-keys/${String(id)}`)).status, 204);
  await closed;
});

test('an account has a bounded number of connections', async () => {
  const { must, connect } = await fixture();
  const { id: username } = await must('POST', '/v1/accounts', { name: 'Other' });
  const { key: password } = await must('POST', '/v1/api-keys', {
    name: 'CI',
    role: 'read-only',
    accountIds: [username],
  });
  const clients: MqttClient[] = [];
  const refused = await (async () => {
    for (;;) {
      try {
        clients.push(await connect('/mqtt', { username: String(username), password: String(password) }));
      } catch (error) {
        return String(error);
      }
    }
  })();
  assert.deepEqual([clients.length, /Server unavailable/.test(refused)], [20, true]);
  await connect();
});

test('a client that sends too much is cut off, and an unfinished packet is not kept', async () => {
  const { on, connect } = await fixture();
  const frame = Buffer.alloc(16_000);
  /** Declares a packet of 256 MB and sends what it can. @returns the bytes */
  const flood = async (socket: { send(bytes: Buffer): void; isOpen(): boolean }): Promise<number> => {
    let bytes = 0;
    socket.send(Buffer.from([0x10, 0xff, 0xff, 0xff, 0x7f]));
    for (; socket.isOpen() && bytes < 50_000_000; bytes += frame.length) {
      socket.send(frame);
      await new Promise(setImmediate);
    }
    return bytes;
  };
  const webSocket = new WebSocket(`ws://127.0.0.1:${on.port}/mqtt`, 'mqtt');
  webSocket.on('error', () => undefined);
  await once(webSocket, 'open');
  const isOpen = (): boolean => webSocket.readyState === WebSocket.OPEN;
  assert.ok((await flood({ send: (bytes) => webSocket.send(bytes), isOpen })) < 50_000_000);
  const client = await connect();
  const { stream } = client;
  stream.on('error', () => undefined);
  const known = { send: (bytes: Buffer) => void stream.write(bytes), isOpen: () => client.connected };
  assert.ok((await flood(known)) < 50_000_000);
  const other = await connect();
  assert.ok(other.connected);
});

test('other paths, protocols and a switched off broker are answered like any request', async () => {
  const { on } = await fixture();
  const statusOf = (address: string, protocol?: string): Promise<number> =>
    new Promise((resolve, reject) => {
      const socket = new WebSocket(address, protocol);
      socket.once('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0));
      socket.once('open', () => reject(new Error('it was accepted')));
      socket.once('error', () => undefined);
    });
  const port = on.port;
  assert.equal(await statusOf(`ws://127.0.0.1:${port}/v1/checks`, 'mqtt'), 401);
  assert.equal(await statusOf(`ws://127.0.0.1:${port}/mqtt`, 'chat'), 404);
  const t = { after: (end: () => void | Promise<void>): void => void endings.push(end) };
  const off = await startComposed(t, { TOCSIN_MQTT: 'off' });
  assert.equal(await statusOf(`ws://127.0.0.1:${off.port}/mqtt`, 'mqtt'), 404);
});
