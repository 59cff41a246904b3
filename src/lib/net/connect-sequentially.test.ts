// A connection that the other side resets at once has no remote address any more.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectSequentially } from './guarded.ts';
import { listenAndReset, untilReset } from '../../../tests/support/receivers/resetting-receiver.ts';

test('a connection that is reset before its address is read counts as reset, and the next address is tried', async () => {
  const server = await listenAndReset();
  using _waiting = untilReset();
  const result = await new Promise((resolve) => connectSequentially(['127.0.0.1', '::1'], server.port, resolve));
  assert.ok(typeof result === 'object' && result !== null && 'errors' in result);
  const codes = (result.errors as readonly (Error & { code?: string })[]).map(({ code }) => code);
  assert.deepEqual([codes.length, codes[0]], [2, 'ECONNRESET']);
  await server.close();
});
