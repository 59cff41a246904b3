// An owner with many waiting items delays other owners by at most one item.
import assert from 'node:assert/strict';
import test from 'node:test';
import { createFairQueue, FairQueue } from './fair-queue.ts';

const rest = (queue: FairQueue<string>): string[] => Array.from({ length: queue.size }, () => queue.next() ?? '');

test('owners take turns, each with its oldest item', () => {
  const queue = new FairQueue<string>();
  for (const item of ['b1', 'b2', 'b3', 'b4']) queue.add('b', item);
  assert.equal(queue.next(), 'b1');
  queue.add('a', 'a1');
  queue.add('c', 'c1');
  queue.add('a', 'a2');
  assert.deepEqual(rest(queue), ['a1', 'b2', 'c1', 'a2', 'b3', 'b4']);
  assert.equal(queue.next(), undefined);
});

test('the owner served last comes after others, even if it was alone before', () => {
  const queue = new FairQueue<string>();
  queue.add('b', 'b1');
  queue.next();
  queue.add('b', 'b2');
  queue.add('a', 'a1');
  queue.remove('b', 'gone');
  assert.deepEqual(rest(queue), ['a1', 'b2']);
});

test('a removed item is not returned', () => {
  const queue = new FairQueue<string>();
  for (const item of ['a1', 'a2', 'a3']) queue.add('a', item);
  queue.remove('a', 'a2');
  queue.remove('b', 'b1');
  assert.deepEqual([queue.size, rest(queue)], [2, ['a1', 'a3']]);
});

test('accounts take turns, one large piece of work in each turn of the loop', async () => {
  const fairQueue = createFairQueue();
  const order: string[] = [];
  const work = async (accountId: string): Promise<void> => {
    await fairQueue(accountId, 1_000_000);
    order.push(accountId);
    setImmediate(() => order.push('loop'));
  };
  await Promise.all([work('loud'), work('loud'), work('loud'), work('quiet')]);
  assert.deepEqual(
    order.filter((name) => name !== 'loop'),
    ['loud', 'quiet', 'loud', 'loud'],
  );
  assert.ok(order.indexOf('loop') < order.lastIndexOf('loud'));
});

test('small work does not wait', () => {
  assert.equal(createFairQueue()('quiet', 1000), null);
});
