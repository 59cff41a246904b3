// A server whose clock is set, seen by several processes, each in its own moment.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readPostgresAddress } from '#lib/net/postgres-address.ts';
import { openPostgresStore } from '#store/postgres-store.ts';
import type { Store } from '#store/store.ts';
import { type PostgresDatabase } from '../support/postgres/postgres.ts';
import { sharedPostgres } from '../support/postgres/shared-postgres.ts';
import { openTempPostgres } from '../support/store/temp-store.ts';
import { settingsOf } from './heartbeat-under-test.ts';
import { PathUnderTest } from './path-under-test.ts';

const server = await sharedPostgres();

const now = Date.UTC(2026, 2, 10, 12);
const clock = { now: () => now };
const secretKey = new Uint8Array(32).fill(7);

function open({ url }: Pick<PostgresDatabase, 'url'>): Promise<Store> {
  return openPostgresStore({ address: readPostgresAddress(url), secretKey, clock });
}

describe('the server’s clock', () => {
  const minuteMs = 60_000;
  const hourMs = 60 * minuteMs;
  const token = '3f0c9c4e-61d4-4a4e-9a3e-0d8f2a7b5c10';

  /** A path with a run that waits, and where its database is. */
  async function openPath(): Promise<{ test: PathUnderTest; url: string }> {
    const temp = await openTempPostgres(server, now);
    const test = await PathUnderTest.open(() => Promise.resolve(temp), now);
    await test.check();
    await test.schedule();
    return { test, url: temp.url };
  }

  it('that is set is followed once, however many processes see it', async () => {
    const { test, url } = await openPath();
    await using _ = test;
    const others = await Promise.all([1, 2, 3].map(() => open({ url })));
    const waiting = (): number => Number(test.one('SELECT available_at FROM runs'));
    const before = waiting();
    const paths = [test.path, ...others.map(({ path }) => path)];
    // Each sees it a little later than the one before, and measures it a little differently.
    await Promise.all(paths.map((path, index) => path.moveWithClock(hourMs + index * 3, now + hourMs + index * 700)));
    assert.ok(Math.abs(waiting() - before - hourMs) < 10, `moved by ${waiting() - before} ms`);
    await Promise.all(paths.map((path, index) => path.moveWithClock(-hourMs - index * 3, now + index * 700)));
    assert.ok(Math.abs(waiting() - before) < 10, 'and back again, which is another setting');
    for (const store of others) await store.close();
  });

  it('that is set back brings back what a process wrote that had not seen it yet', async () => {
    const { test, url } = await openPath();
    await using _ = test;
    await test.add({ checkType: 'HEARTBEAT', settings: settingsOf(token, 10) });
    const late = await open({ url });
    await test.path.moveWithClock(-hourMs, now - hourMs);
    const from = { method: 'GET', source: null, userAgent: null, body: null } as const;
    await late.path.receivePings([{ token, signal: 'ping', exitCode: null, at: now + 700, ...from }]);
    const [claimed] = await test.claim();
    assert.ok(claimed !== undefined);
    await test.record([test.ended(claimed, 'failed', { retry: { at: now + 20_000, location: 'local' } })]);
    await late.path.moveWithClock(-hourMs - 3, now - hourMs + 1000);
    const ahead = `(SELECT count(*) FROM waiting_pings WHERE received_at > ${now - hourMs + minuteMs})
       + (SELECT count(*) FROM runs WHERE due_at > ${now - hourMs + minuteMs} OR available_at > ${now - hourMs + minuteMs})
       + (SELECT count(*) FROM heartbeats WHERE timer_at > ${now - hourMs + minuteMs})`;
    assert.equal(Number(test.one(`SELECT ${ahead}`)), 0);
    await late.close();
  });

  it('is not followed by a process that alone saw it jump', async () => {
    const { test, url } = await openPath();
    await using _ = test;
    const address = readPostgresAddress(url);
    const held = await openPostgresStore({ address, secretKey, clock, wasServerSet: () => false });
    const before = test.one('SELECT available_at FROM runs');
    await held.path.moveWithClock(hourMs, now + hourMs);
    assert.equal(test.one('SELECT available_at FROM runs'), before);
    await held.close();
  });
});
