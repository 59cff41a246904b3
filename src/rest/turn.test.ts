// What is answered in one turn of the loop leaves together.
import assert from 'node:assert/strict';
import test from 'node:test';
import { createEndOfTurn } from './turn.ts';

test('all that ask in one turn share one end, and the next turn has another', async () => {
  const endOfTurn = createEndOfTurn();
  const first = endOfTurn();
  assert.equal(endOfTurn(), first);
  // Still the same turn: its microtasks are done before anything else is read.
  await Promise.resolve();
  assert.equal(endOfTurn(), first);
  await first;
  const second = endOfTurn();
  assert.notEqual(second, first);
  await second;
});

test('a turn ends after everything that had arrived was read', async () => {
  const endOfTurn = createEndOfTurn();
  const order: string[] = [];
  const answer = async (name: string): Promise<void> => {
    order.push(`${name} read`);
    await endOfTurn();
    order.push(`${name} answered`);
  };
  // Two requests that arrive one after the other, as callbacks of the same turn.
  const answers = await new Promise<Promise<void>[]>((resolve) => {
    let first: Promise<void>;
    setImmediate(() => {
      first = answer('a');
    });
    setImmediate(() => resolve([first, answer('b')]));
  });
  await Promise.all(answers);
  assert.deepEqual(order, ['a read', 'b read', 'a answered', 'b answered']);
});
