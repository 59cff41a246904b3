// The endpoint of the Model Context Protocol: keys, origins, messages, limits, and switching it off.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Composed, startComposed } from '../support/service/composed.ts';
import { send } from './operation-calls.ts';

const cleanups: (() => void | Promise<void>)[] = [];
let on: Composed;

before(async () => {
  on = await startComposed({ after: (work) => void cleanups.push(work) }, { TOCSIN_ROLES: 'api' });
});
after(async () => {
  for (const work of cleanups) await work();
});

describe('the endpoint', () => {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  const post = (headers: Record<string, string>, body: unknown = message) =>
    send(on.port, {
      method: 'POST',
      path: '/mcp',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const own = () => ({ authorization: `Bearer ${on.apiKey}` });

  test('it asks for a key, and is not for pages of other servers', async () => {
    assert.equal((await post({})).status, 401);
    assert.equal((await post({ ...own(), origin: 'https://evil.example' })).status, 403);
    assert.equal((await post({ ...own(), origin: 'null' })).status, 403);
    assert.equal((await post({ ...own(), host: 'evil.example' })).status, 421);
    assert.equal((await post({ ...own(), origin: on.address })).status, 200);
  });

  test('it takes one message of the protocol at a time', async () => {
    assert.equal((await post(own(), [message, message])).status, 400);
    assert.equal((await post(own(), { jsonrpc: '1.0', method: 'x' })).status, 400);
    assert.equal((await post({ ...own(), 'mcp-protocol-version': '1999-01-01' })).status, 400);
    const { status, text } = await post(own(), { jsonrpc: '2.0', method: 'notifications/initialized' });
    assert.deepEqual([status, text], [202, '']);
    const get = await send(on.port, { method: 'GET', path: '/mcp', headers: own() });
    assert.deepEqual([get.status, get.headers['allow']], [405, 'POST']);
    const unknown = JSON.parse((await post(own(), { ...message, method: 'resources/list' })).text) as {
      error: { code: number };
    };
    assert.equal(unknown.error.code, -32_601);
  });
});

test('each message counts as a request of the key', async (t) => {
  const limited = await startComposed(t, { TOCSIN_RATE_LIMIT: '3', TOCSIN_ROLES: 'api' });
  const headers = { authorization: `Bearer ${limited.apiKey}`, 'content-type': 'application/json' };
  const params = { name: 'list_failures', arguments: {} };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  const statuses: number[] = [];
  for (let count = 0; count < 4; count++) {
    const answer = await send(limited.port, { method: 'POST', path: '/mcp', headers, body });
    statuses.push(answer.status);
    if (answer.status === 429) assert.match(String(answer.headers['retry-after']), /^\d+$/);
  }
  assert.deepEqual(statuses, [200, 200, 200, 429]);
});

test('it is off with TOCSIN_MCP=off', async (t) => {
  const off = await startComposed(t, { TOCSIN_MCP: 'off', TOCSIN_ROLES: 'api' });
  const headers = { authorization: `Bearer ${off.apiKey}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  const { status, text } = await send(off.port, { method: 'POST', path: '/mcp', headers, body });
  assert.equal(status, 404);
  assert.match(text, /TOCSIN_MCP=on/);
});
