// The stored part of a body, within its limits.
import assert from 'node:assert/strict';
import test from 'node:test';
import { probeOnce, verdictOf } from '../../../../tests/support/checks/api-probe.ts';
import { startTarget } from '../../../../tests/support/targets/target.ts';
import { BodyStore, createByteBudget, maxBytesOfOne } from './body-store.ts';

const contents = (store: BodyStore): string => Buffer.concat(store.pieces).toString();

test('stores chunks of any size up to the limit', () => {
  const text = Array.from({ length: 5000 }, (_, index) => `line ${index}\n`).join('');
  for (const size of [1, 100, 5000, 70_000]) {
    const store = new BodyStore(40_000);
    for (let from = 0; from < text.length; from += size) store.add(Buffer.from(text.slice(from, from + size)));
    store.end();
    assert.deepEqual([contents(store), store.isPart], [text.slice(0, 40_000), true], `${size}`);
    assert.ok(store.pieces.length <= 12, `${store.pieces.length} pieces`);
  }
  const whole = new BodyStore(100);
  whole.add(Buffer.from('all'));
  whole.end();
  assert.deepEqual([contents(whole), whole.isPart, whole.isRefused], ['all', false, false]);
});

test('limits an account without affecting others, and released memory is available again', () => {
  const bytes = createByteBudget();
  const store = new BodyStore(2 * maxBytesOfOne, { accountId: 'b', bytes });
  const chunk = Buffer.allocUnsafeSlow(1024 * 1024);
  for (let count = 0; count < 40; count++) store.add(chunk);
  assert.deepEqual([store.isRefused, store.pieces.length], [true, 32]);
  assert.equal(bytes.take('b', 1), false);
  assert.ok(bytes.take('c', maxBytesOfOne) && bytes.take('d', maxBytesOfOne));
  // All shared memory is used, except the guaranteed part.
  assert.equal(bytes.take('a', 8 * 1024 * 1024), true);
  assert.equal(bytes.take('a', 1), false);
  store.release();
  assert.equal(bytes.take('b', maxBytesOfOne), false, 'the other accounts hold too much together');
  assert.equal(bytes.take('b', 8 * 1024 * 1024), true);
});

test('without memory for a body the status decides; a good status is unknown', async (t) => {
  const target = await startTarget(t, (request, response) => {
    response.statusCode = Number(request.url?.slice(1));
    response.end(`"${'x'.repeat(100_000)}"`);
  });
  const deps = { bodies: { take: () => false, giveBack: () => {} } };
  const assertions = [{ source: 'JSON_BODY', property: '$', comparison: 'CONTAINS', target: 'y' }];
  const held = await probeOnce({ url: `${target.url}/200`, assertions }, { deps });
  assert.equal(verdictOf(held), 'unknown observer-slow');
  assert.equal(held.message, "the body was not read: this account's checks already use 32 MB for bodies");
  const failed = await probeOnce({ url: `${target.url}/500`, assertions }, { deps });
  assert.equal(verdictOf(failed), 'failed status');
  assert.equal(verdictOf(await probeOnce({ url: `${target.url}/200` }, { deps })), 'passed');
});

test('a body of very many chunks is cut like one that is too large', async (t) => {
  const target = await startTarget(t, (_, response) => {
    const { socket } = response;
    socket?.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
    socket?.write('1\r\nx\r\n'.repeat(100_000));
  });
  const finding = await probeOnce({ url: target.url });
  assert.equal(verdictOf(finding), 'passed');
  const assertions = [{ source: 'TEXT_BODY', comparison: 'CONTAINS', target: 'x' }];
  assert.equal(verdictOf(await probeOnce({ url: target.url, assertions })), 'failed body');
});
