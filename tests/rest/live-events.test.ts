// Live updates over real connections: what is sent, to whom, and how streams end.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { idBytes } from '#store/base/codec.ts';
import { countChange, insertRow, putAccount, putCheck } from '../support/store/rows.ts';
import { openServer, type ServerOnStore } from './server-on-store.ts';

interface Sent {
  readonly event: string;
  readonly id: string;
  readonly data: Record<string, unknown>;
}

/** A stream as a client reads it. */
interface Reading {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: () => string;
  /** Resolves with the `count`th event, from 1. */
  readonly event: (count: number) => Promise<Sent>;
  /** Resolves with the first comment, which keeps proxies from closing the connection. */
  readonly comment: Promise<void>;
  readonly ended: Promise<void>;
  readonly leave: () => void;
}

async function openStream(
  on: ServerOnStore,
  {
    key,
    lastEventId,
    method = 'GET',
  }: { readonly key?: string; readonly lastEventId?: string; readonly method?: string } = {},
): Promise<Reading> {
  const address = new URL(on.server.listeningOrigin);
  const headers = { ...on.as(key), ...(lastEventId !== undefined && { 'last-event-id': lastEventId }) };
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    request({ port: address.port, host: address.hostname, path: '/v1/events', method, headers }, resolve)
      .on('error', reject)
      .end();
  });
  let text = '';
  let look = (): void => undefined;
  const comment = Promise.withResolvers<void>();
  answer.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    look();
    if (text.includes('\n:\n\n')) comment.resolve();
  });
  const ended = new Promise<void>((resolve) => void answer.once('close', resolve));
  const events = (): Sent[] =>
    [...text.matchAll(/event: (\w+)\nid: (\S+)\ndata: (.*)\n\n/g)].map(([, event = '', id = '', data = '']) => ({
      event,
      id,
      data: JSON.parse(data) as Record<string, unknown>,
    }));
  return {
    status: answer.statusCode ?? 0,
    headers: answer.headers,
    text: () => text,
    event: (count) =>
      new Promise((resolve) => {
        look = () => {
          const found = events()[count - 1];
          if (found !== undefined) resolve(found);
        };
        look();
      }),
    comment: comment.promise,
    ended,
    leave: () => answer.destroy(),
  };
}

async function openLive(live: Parameters<typeof openServer>[0] = {}) {
  const on = await openServer(live);
  await on.server.listen({ host: '127.0.0.1', port: 0 });
  return on;
}

function putState({ raw }: ServerOnStore, accountId: string, checkId: string): void {
  insertRow(raw, 'check_states', {
    account_id: idBytes(accountId),
    check_id: idBytes(checkId),
    status: 'passing',
    since: 1,
    failed_in_a_row: 0,
    degraded_in_a_row: 0,
    created_at: 1,
    updated_at: 1,
    revision: 1,
  });
}

const quiet = { deliveries: false, alerts: false, checks: false, notices: false };

test('a stream begins with hello, and names what changes in its account within two seconds', async () => {
  await using on = await openLive();
  const checkId = putCheck(on.raw, on.accountId);
  const foreign = putAccount(on.raw);
  const stream = await openStream(on);
  assert.equal(stream.status, 200);
  const { 'content-type': type, 'cache-control': cache, 'x-accel-buffering': buffering, connection } = stream.headers;
  assert.deepEqual(
    [type, cache, buffering, connection],
    ['text/event-stream; charset=utf-8', 'no-store', 'no', 'close'],
  );
  const hello = await stream.event(1);
  assert.equal(hello.event, 'hello');
  assert.deepEqual(Object.keys(hello.data), ['version', 'startedAt', 'id']);
  putState(on, foreign, putCheck(on.raw, foreign));
  putState(on, on.accountId, checkId);
  const putAt = performance.now();
  const { event, data } = await stream.event(2);
  assert.ok(performance.now() - putAt < 20_000);
  assert.deepEqual([event, data], ['change', { states: [checkId], results: [checkId], ...quiet }]);
  assert.equal(stream.text().includes(foreign), false);
});

test('a client that reconnects receives what it missed once, or that everything may have changed', async () => {
  await using on = await openLive();
  const [checkId, other] = [putCheck(on.raw, on.accountId), putCheck(on.raw, on.accountId)];
  const [stays, first] = [await openStream(on), await openStream(on)];
  const hello = await first.event(1);
  first.leave();
  putState(on, on.accountId, checkId);
  await stays.event(2);
  countChange(on.raw, on.accountId);
  putState(on, on.accountId, other);
  const { id } = await stays.event(3);
  const again = await openStream(on, { lastEventId: hello.id });
  assert.equal((await again.event(1)).id, id);
  const missed = await again.event(2);
  const both = [checkId, other];
  assert.deepEqual(missed, {
    event: 'change',
    id,
    data: { states: both, results: both, deliveries: false, alerts: false, checks: true, notices: true },
  });
  const unknown = await openStream(on, { lastEventId: 'of-a-server-before' });
  const all = { deliveries: true, alerts: true, checks: true, notices: true };
  assert.deepEqual((await unknown.event(2)).data, { states: 'all', results: 'all', ...all });
  const current = await openStream(on, { lastEventId: id });
  countChange(on.raw, on.accountId);
  assert.deepEqual((await current.event(2)).data, { states: [], results: [], ...quiet, checks: true, notices: true });
});

test('more checks than an event holds are named "all"', async () => {
  await using on = await openLive();
  const stream = await openStream(on);
  await stream.event(1);
  on.raw.exec('BEGIN');
  for (let index = 0; index < 801; index++) putState(on, on.accountId, putCheck(on.raw, on.accountId));
  on.raw.exec('COMMIT');
  const { data } = await stream.event(2);
  assert.deepEqual([data['states'], data['results']], ['all', 'all']);
});

test('a stream ends when its key is revoked, and all end when the server stops', async () => {
  await using on = await openLive({ live: { commentEveryMs: 30 } });
  const made = await on.server.inject({
    method: 'POST',
    url: '/v1/api-keys',
    headers: on.as(),
    payload: { name: 'wall', role: 'read-only' },
  });
  const { id, key } = made.json<{ id: string; key: string }>();
  const [revoked, other] = [await openStream(on, { key }), await openStream(on)];
  await revoked.comment;
  assert.match(revoked.text(), /^retry: 2000\nevent: hello\n/);
  await on.server.inject({ method: 'DELETE', url: `/v1/api-keys/${id}`, headers: on.as() });
  await revoked.ended;
  assert.equal((await openStream(on, { key })).status, 401);
  const stoppedAt = performance.now();
  on.stop();
  await Promise.all([other.ended, on.server.close()]);
  assert.ok(performance.now() - stoppedAt < 20_000);
});

test('the streams of an account and of a server are limited', async () => {
  await using on = await openLive({ live: { bounds: { accountStreams: 2, streams: 3 } } });
  const { body } = await on.server.inject({
    method: 'POST',
    url: '/v1/accounts',
    headers: on.as(),
    payload: { name: 'Other' },
  });
  const { id: other } = JSON.parse(body) as { readonly id: string };
  const made = await on.server.inject({
    method: 'POST',
    url: '/v1/api-keys',
    headers: on.as(undefined, other),
    payload: { name: 'wall', role: 'read-only', accountIds: [other] },
  });
  const { key } = made.json<{ key: string }>();
  const refused = async (options: Parameters<typeof openStream>[1] = {}): Promise<string> => {
    const stream = await openStream(on, options);
    await stream.ended;
    assert.equal(stream.status, 429);
    assert.equal(stream.headers['retry-after'], '10');
    return stream.text();
  };
  for (let count = 0; count < 2; count++) assert.equal((await openStream(on)).status, 200);
  assert.match(await refused(), /Too many event streams: at most 2 for an account/);
  assert.equal((await openStream(on, { key })).status, 200, 'another account is not affected');
  assert.match(await refused({ key }), /Too many event streams: at most 3 for this server/);
});

test('streams of a key are limited with a 429, a closed one makes room, and HEAD opens none', async () => {
  await using on = await openLive({ live: { bounds: { keyStreams: 2 } } });
  const head = await openStream(on, { method: 'HEAD' });
  await head.ended;
  assert.deepEqual([head.status, head.headers['content-type']], [200, 'text/event-stream; charset=utf-8']);
  const [one] = [await openStream(on), await openStream(on)];
  const refused = await openStream(on);
  await refused.ended;
  assert.equal(refused.status, 429);
  assert.match(refused.text(), /Too many event streams: at most 2 for an API key or session/);
  one.leave();
  for (;;) {
    const next = await openStream(on);
    if (next.status === 200) break;
    await next.ended;
  }
});

/** Opens a stream and reads nothing of it. */
async function openUnread({ server, key }: ServerOnStore): Promise<Socket> {
  const { port, hostname } = new URL(server.listeningOrigin);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.write(`GET /v1/events HTTP/1.1\r\nhost: tocsin.test\r\nauthorization: Bearer ${key}\r\n\r\n`);
  await once(socket, 'readable');
  return socket;
}

test('a stream whose client does not read is closed instead of queueing events without limit', async () => {
  await using on = await openLive({ live: { bounds: { keyStreams: 1, minMs: 1, maxMs: 1 } } });
  on.raw.exec('BEGIN');
  for (let index = 0; index < 800; index++) putState(on, on.accountId, putCheck(on.raw, on.accountId));
  on.raw.exec('COMMIT');
  const unread = await openUnread(on);
  // The only stream that the key may have: another one is refused until it is closed.
  for (;;) {
    on.raw.exec('UPDATE check_states SET revision = revision + 1');
    const next = await openStream(on);
    if (next.status === 200) break;
    await next.ended;
  }
  unread.destroy();
});
