// Ledgers wait for each other, and a caller who leaves meanwhile costs nothing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Caller } from '#domain/accounts/api-key.ts';
import { createLedgerActions, type LedgerDeps } from './ledger.ts';

const caller: Caller = {
  principal: { kind: 'api-key', id: 'k' },
  role: 'read-only',
  accountId: 'a',
  accountIds: ['a'],
};

test('a caller who leaves before its turn is refused, and nothing is read', async () => {
  let reads = 0;
  const read = (): Promise<never> => {
    reads++;
    return Promise.reject(new Error('it was read'));
  };
  const deps: LedgerDeps = {
    accounts: { list: async () => [] } as never,
    serverTimeZone: 'UTC',
    ledger: {
      countedFrom: () => 0,
      accounts: read,
      runs: read,
      alerts: read,
      deliveries: read,
      removeOld: read,
    },
    checkSubjects: { after: read },
    checkHistory: { checksAtOnce: 10, sums: read } as never,
    retentionDays: 30,
    clock: { now: () => 1_795_000_000_000 },
  };
  const actions = createLedgerActions(deps);
  await assert.rejects(actions.read(caller, { period: 'month' }, AbortSignal.abort()), { code: 'unavailable' });
  assert.equal(reads, 0);
});
