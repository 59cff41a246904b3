// Replays of two calls at once over PostgreSQL, where one may be held up between what the other does.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { idBytes } from '#store/base/codec.ts';
import type { Database } from '#store/base/database.ts';
import { replayLost } from '#store/channels/delivery-changes.ts';
import { readPostgresAddress } from '#lib/net/postgres-address.ts';
import { openPostgres } from '#store/engines/postgres/server.ts';
import { putAccount, putChannel, putDelivery } from '../support/store/rows.ts';
import { sharedPostgres } from '../support/postgres/shared-postgres.ts';
import { openTempPostgres } from '../support/store/temp-store.ts';

const server = await sharedPostgres();

it('a call that was held up adds its replays behind those of the call that was quicker', async () => {
  await using toEnd = new AsyncDisposableStack();
  const temp = toEnd.use(await openTempPostgres(server));
  const opened = await openPostgres(readPostgresAddress(temp.url));
  toEnd.defer(() => opened.close());
  const accountId = putAccount(temp.raw);
  putChannel(temp.raw, accountId, 1);
  const start = temp.clock.now();
  const exhausted = Array.from({ length: 150 }, (_, index) =>
    putDelivery(temp.raw, accountId, start + index, { status: 'exhausted' }),
  );
  const [isHeld, mayGoOn, isThrough] = Array.from({ length: 3 }, () => Promise.withResolvers<void>());
  assert.ok(isHeld !== undefined && mayGoOn !== undefined && isThrough !== undefined);
  const replay = (transaction: Database['transaction']) =>
    replayLost({ reader: opened.reader, clock: temp.clock, transaction }, accountId, 1, start);
  const slow = replay(async (work) => {
    isHeld.resolve();
    await mayGoOn.promise;
    return opened.transaction(work);
  });
  await isHeld.promise;
  // The quick one replays the first hundred, the slow one the rest.
  const quick = replay(async (work) => {
    const answer = await opened.transaction(work);
    mayGoOn.resolve();
    await isThrough.promise;
    return answer;
  });
  const ofSlow = await slow;
  isThrough.resolve();
  assert.deepEqual([await quick, ofSlow], [100, 50]);
  const replays = temp.raw.prepare('SELECT replay_of FROM deliveries WHERE replay_of IS NOT NULL ORDER BY id').all();
  assert.deepEqual(
    replays.map((row) => Buffer.from(row['replay_of'] as Uint8Array)),
    exhausted.map((id) => Buffer.from(idBytes(id))),
  );
});
