// Where an account that moves is answered: what is remembered of it for a second is never that it is still on its way.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AccountMove } from '#domain/account-move.ts';
import { createMovedAccounts } from './moved-accounts.ts';

const place = 'http://elsewhere.test';

test('an account that has left a moment after it was asked for is said to have moved, and not to be gone', async () => {
  let moves: readonly AccountMove[] = [];
  let reads = 0;
  const all = (): Promise<readonly AccountMove[]> => Promise.resolve(moves).finally(() => reads++);
  const { requireHere } = createMovedAccounts({ all }, { now: () => 0 });
  await requireHere('a', true);
  await requireHere('a', true);
  assert.equal(reads, 1, 'who does not move is remembered');
  moves = [{ accountId: 'a', state: 'handing', place: null }];
  const moving = createMovedAccounts({ all }, { now: () => 0 }).requireHere;
  await moving('a', true);
  moves = [{ accountId: 'a', state: 'left', place }];
  await assert.rejects(async () => moving('a', true), /has moved to http:\/\/elsewhere\.test/);
});
