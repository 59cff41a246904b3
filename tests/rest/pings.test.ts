// Ping addresses over HTTP, beyond what is well: called too often, by tokens that are nobody's, and while the account moves.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MoveState } from '#domain/account-move.ts';
import type { PingSignal } from '#domain/heartbeat.ts';
import { idBytes } from '#store/codec.ts';
import { type Composed, startComposed } from '../support/composed.ts';
import { startScriptedServer } from '../support/scripted-server.ts';
import { asker } from '../support/service.ts';
import { until } from '../support/until.ts';

interface PingedService extends Pick<ReturnType<typeof asker>, 'must'> {
  readonly on: Composed;
  readonly checkId: string;
  /** From the root on. */
  readonly path: string;
  /** How many pings are in the database. */
  readonly kept: () => number;
  /** Says of the account that it moves, as the command that moves it does. */
  readonly setMove: (state: MoveState, place: string | null) => unknown;
}

/** A running service with a heartbeat of an hour. */
async function startPinged(t: TestContext): Promise<PingedService> {
  const on = await startComposed(t);
  const { must } = asker(() => on.address, on.apiKey);
  const heartbeat = { period: 1, periodUnit: 'hours', grace: 0, graceUnit: 'hours' };
  const made = await must('POST', '/v1/checks/heartbeat', { name: 'Backup', heartbeat });
  const { pingToken } = made['heartbeat'] as { pingToken: string };
  const kept = (): number => Number(on.raw.prepare('SELECT count(*) AS n FROM pings').get()?.['n']);
  const setMove = (state: MoveState, place: string | null): unknown =>
    on.raw
      .prepare(
        `INSERT OR REPLACE INTO account_moves (account_id, move_id, state, place, note, renewed_at)
         VALUES (?, ?, ?, ?, NULL, ?)`,
      )
      .run(idBytes(on.accountId), idBytes(randomUUID()), state, place, Date.now());
  return { on, must, checkId: String(made['id']), path: `/ping/${pingToken}`, kept, setMove };
}

/** How many pings of a signal were not kept because their account was elsewhere, or on its way. */
async function elsewhereOf(on: Composed, signal: PingSignal): Promise<number> {
  const metrics = await (await fetch(`${on.address}/metrics`)).text();
  return Number(
    new RegExp(`^tocsin_pings_total\\{signal="${signal}",what="elsewhere"\\} (\\d+)$`, 'm').exec(metrics)?.[1],
  );
}

/** The statuses of so many calls at once, counted; each refusal is of the one shape. */
async function called(url: string, times: number): Promise<Map<number, number>> {
  const counts = new Map<number, number>();
  const shapes = new Set<string>();
  await Promise.all(
    Array.from({ length: times }, async () => {
      const answer = await fetch(url);
      counts.set(answer.status, (counts.get(answer.status) ?? 0) + 1);
      const text = await answer.text();
      if (answer.status === 429) shapes.add(`${answer.headers.get('retry-after')} ${text}`);
    }),
  );
  const message = 'Too many pings to this URL. The ping was not recorded.';
  const body = JSON.stringify({ statusCode: 429, error: 'Too Many Requests', message });
  assert.deepEqual([...shapes], [`1 ${body}`]);
  return counts;
}

test('a client in a loop is told to wait, by an address that there is and by one that there is not, and other signals are heard', async (t) => {
  const { on, must, checkId, path, kept } = await startPinged(t);
  const times = 300;
  for (const [url, status] of [
    [on.address + path, 200],
    [`${on.address}/ping/${randomUUID()}`, 404],
  ] as const) {
    const counts = await called(url, times);
    assert.deepEqual(new Set(counts.keys()), new Set([status, 429]));
    const answered = counts.get(status) ?? 0;
    // A minute's worth, and one for each second that the loop took.
    assert.ok(answered >= 60 && answered < times, `${answered} answers with ${status}`);
    if (status === 200) assert.equal(kept(), answered, 'what was refused is not in the database');
  }
  for (const signal of ['start', 'log', 'fail']) {
    const answer = await fetch(`${on.address}${path}/${signal}`, { method: 'HEAD' });
    assert.equal(answer.status, 200, signal);
  }
  await until('the failure to be recorded', async () => {
    const found = (await must('GET', `/v1/check-results/${checkId}`)) as unknown as { outcome: string }[];
    return found.some(({ outcome }) => outcome === 'failed');
  });
  const metrics = await (await fetch(`${on.address}/metrics`)).text();
  const counted = (signal: string, what: string): number =>
    Number(new RegExp(`^tocsin_pings_total\\{signal="${signal}",what="${what}"\\} (\\d+)$`, 'm').exec(metrics)?.[1]);
  assert.equal(counted('ping', 'kept') + 3, kept());
  assert.equal(counted('ping', 'kept') + counted('ping', 'unknown') + counted('ping', 'refused'), 2 * times);
  assert.deepEqual(
    ['start', 'log', 'fail'].map((signal) => counted(signal, 'kept')),
    [1, 1, 1],
  );
});

test('calls of an account that has moved are shown the way, with all that they say', async (t) => {
  const { on, path, kept, setMove } = await startPinged(t);
  const elsewhere = await startScriptedServer(t);
  const client = new AbortController();
  setMove('handing', null);
  const inVain = fetch(`${on.address}${path}/start`, { signal: client.signal });
  const paused = fetch(`${on.address}${path}/log`, { method: 'POST', body: 'half way', redirect: 'manual' });
  assert.equal(await Promise.race([inVain, paused, sleep(1000, 'no answer')]), 'no answer', 'both wait for the switch');
  client.abort();
  await assert.rejects(inVain, { name: 'AbortError' });
  await until('its going to be noticed', async () => (await elsewhereOf(on, 'start')) === 1);
  setMove('left', elsewhere.url);
  const told = await paused;
  assert.deepEqual([told.status, told.headers.get('location')], [308, `${elsewhere.url}${path}/log`]);
  // That there was no move may be remembered for a second.
  const { api } = asker(() => on.address, on.apiKey);
  await until('the move to be known', async () => (await api('GET', '/v1/variables')).status === 410);
  const [shown, headed] = [
    await fetch(`${on.address}${path}/3`, { method: 'POST', body: 'disk full', redirect: 'manual' }),
    await fetch(`${on.address}${path}`, { method: 'HEAD', redirect: 'manual' }),
  ];
  assert.deepEqual([shown.status, shown.headers.get('location')], [308, `${elsewhere.url}${path}/3`]);
  assert.equal(shown.headers.get('cache-control'), 'no-store');
  const { statusCode, message, attributes } = (await shown.json()) as Record<string, unknown>;
  assert.deepEqual([statusCode, attributes], [308, { movedTo: elsewhere.url }]);
  assert.match(String(message), new RegExp(`has moved to ${elsewhere.url}`));
  assert.deepEqual([headed.status, headed.headers.get('location')], [308, elsewhere.url + path]);

  const followed = await fetch(`${on.address}${path}/3`, { method: 'POST', body: 'disk full' });
  assert.equal(followed.status, 200);
  const [hit] = await elsewhere.hits(1);
  assert.deepEqual([hit?.method, hit?.url, hit?.body.toString()], ['POST', `${path}/3`, 'disk full']);
  assert.equal(kept(), 0, 'nothing is kept where the account is no longer');

  const unknown = await fetch(`${on.address}/ping/${randomUUID()}`, { redirect: 'manual' });
  assert.equal(unknown.status, 404, 'whose a token is that is nobody’s is not known');
  assert.equal(await elsewhereOf(on, 'exit'), 2);
});

test('a ping that waits for a switch does not hold up a process that stops', async (t) => {
  const { on, path, setMove } = await startPinged(t);
  setMove('handing', null);
  const paused = fetch(on.address + path);
  assert.equal(await Promise.race([paused, sleep(500, 'no answer')]), 'no answer');
  const stoppedAt = performance.now();
  // After the service has been stopped.
  t.after(async () => {
    const { status, headers } = await paused;
    assert.deepEqual([status, headers.get('retry-after')], [503, '5']);
    assert.ok(performance.now() - stoppedAt < 15_000, 'it was let go when the process stopped');
  });
});
