// Large bodies of one account do not go before those of another.
import assert from 'node:assert/strict';
import test from 'node:test';
import { createParseTurns } from './parse-turns.ts';

test('accounts take turns, one large body in each turn of the loop', async () => {
  const turn = createParseTurns();
  const order: string[] = [];
  const parse = async (accountId: string): Promise<void> => {
    await turn(accountId, 1_000_000);
    order.push(accountId);
    setImmediate(() => order.push('loop'));
  };
  await Promise.all([parse('loud'), parse('loud'), parse('loud'), parse('quiet')]);
  assert.deepEqual(
    order.filter((name) => name !== 'loop'),
    ['loud', 'quiet', 'loud', 'loud'],
  );
  assert.ok(order.indexOf('loop') < order.lastIndexOf('loud'));
});

test('a small body waits for none', () => {
  assert.equal(createParseTurns()('quiet', 1000), null);
});
