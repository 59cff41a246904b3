// A clock that is set by an hour, either way, while 200 checks run every 10 s: no herd, no slot without its one outcome.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type Composed, startComposed } from '../support/composed.ts';
import { startReceiver } from '../support/receiver.ts';
import { type Hit, type ScriptedServer, startScriptedServer } from '../support/scripted-server.ts';
import { until } from '../support/until.ts';

const hourMs = 3_600_000;
const intervalMs = 10_000;
const checks = 200;
const secret = 'a secret between two';

async function api(on: Composed, method: string, path: string, body?: object): Promise<Record<string, unknown>> {
  const answer = await fetch(on.address + path, {
    method,
    headers: { authorization: `Bearer ${on.apiKey}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  assert.ok(answer.ok, `${method} ${path}: ${text}`);
  return JSON.parse(text) as Record<string, unknown>;
}

interface Row {
  readonly id: string;
  readonly check: string;
  readonly slotAt: number;
  readonly slots: number;
  readonly message: string;
}

/** Every result there is; the first 48 bits of its id are its slot. */
function results({ raw }: Composed): Row[] {
  return raw
    .prepare(`SELECT hex(id) AS id, hex(check_id) AS "check", slots, coalesce(message, '') AS message FROM results`)
    .all()
    .map(({ id, check, slots, message }) => ({
      id: String(id),
      check: String(check),
      slotAt: Number.parseInt(String(id).slice(0, 12), 16),
      slots: Number(slots),
      message: String(message),
    }));
}

/** One outcome for each slot of each check, from its first to its last. */
function assertEverySlotOnce(rows: readonly Row[]): void {
  const byCheck = Map.groupBy(rows, ({ check }) => check);
  assert.ok(byCheck.size >= checks);
  for (const own of byCheck.values()) {
    own.sort((a, b) => a.slotAt - b.slotAt);
    for (const [index, { slotAt, slots }] of own.entries()) {
      const next = own[index + 1];
      if (next) assert.equal(next.slotAt, slotAt + slots * intervalMs, 'a slot without an outcome, or with two');
    }
  }
}

async function assertConserved(on: Composed): Promise<void> {
  const text = await (await fetch(`${on.address}/metrics`)).text();
  assert.match(text, /^tocsin_conservation_difference 0$/m);
}

/** Every check was run again within its interval, and never so many at once as a herd would be. */
async function assertSpread(target: ScriptedServer, since: number): Promise<void> {
  const of = (hits: readonly Hit[]): Set<string> => new Set(hits.slice(since).map(({ url }) => url));
  await until('every check to run again', () => of(target.all).size >= checks, {
    withinMs: intervalMs + 3000,
    seen: () => `${of(target.all).size} of ${checks} did`,
  });
  const starts = target.all.slice(since).map(({ at }) => at);
  const most = Math.max(...starts.map((from) => starts.filter((at) => at >= from && at < from + 500).length));
  assert.ok(most <= checks * 0.6, `${most} of ${checks} checks started within half a second`);
}

it('keeps every check in its interval, every delivery at its distance and every slot accounted for', async (t) => {
  let offset = 0;
  // The steady clock is never set.
  const clocks = { clock: { now: () => Date.now() + offset }, steadyNow: () => performance.now() };
  const on = await startComposed(t, {}, clocks);
  const [target, failing] = [await startScriptedServer(t), await startScriptedServer(t)];
  const receiver = await startReceiver(t, secret);
  receiver.answer(({ attempt }) => ({ status: attempt < 3 ? 500 : 200 }));
  failing.answer({ status: 500 });
  const make = async (name: string, url: string): Promise<string> => {
    const body = { name, frequency: 0, frequencyOffset: 10, request: { method: 'GET', url } };
    return String((await api(on, 'POST', '/v1/checks/api', body))['id']);
  };
  const stateful = await make('stateful', `${target.url}/0`);
  for (let n = 1; n < checks; n++) await make(`check ${n}`, `${target.url}/${n}`);
  const config = { url: receiver.url, webhookSecret: secret };
  await api(on, 'POST', '/v1/alert-channels', { type: 'WEBHOOK', autoSubscribe: true, config });
  await make('failing', failing.url);
  const recorded = (): Set<string> => new Set(results(on).map(({ check }) => check));
  await until('a first result of every check', () => recorded().size > checks, { withinMs: 2 * intervalMs });
  const first = await receiver.received(({ attempt }) => attempt === 1);

  const isMissed = ({ message }: Row): boolean => message.includes('clock was set forward');
  let since = target.all.length;
  offset += hourMs;
  await assertSpread(target, since);
  const second = await receiver.received(({ attempt }) => attempt === 2, 25_000);
  const distance = second.hit.at - first.hit.at;
  assert.ok(distance > 18_000 && distance < 24_000, `the retry came after ${distance} ms`);
  await until('the missed slots of every check', () => results(on).filter(isMissed).length > checks);
  for (const { slots, message } of results(on).filter(({ slots }) => slots > 1)) {
    assert.ok(slots >= 359 && slots <= 361, `${slots} slots: ${message}`);
  }
  assertEverySlotOnce(results(on));
  await assertConserved(on);

  const before = new Set(results(on).map(({ id }) => id));
  since = target.all.length;
  target.answer(({ url }) => ({ status: url === '/0' ? 500 : 200 }));
  offset -= hourMs;
  const setBackAt = Date.now();
  await assertSpread(target, since);
  const third = await receiver.received(({ attempt }) => attempt === 3, 25_000);
  const pause = third.hit.at - second.hit.at;
  assert.ok(pause > 18_000 && pause < 24_000, `the retry came after ${pause} ms`);
  await until('the state to move', async () => {
    const status = await api(on, 'GET', `/v1/check-statuses/${stateful}`);
    return status['hasFailures'] === true;
  });
  const after = results(on).filter(({ id }) => !before.has(id));
  // What was under way when the clock was set back ended in its slot of the later hour.
  assertEverySlotOnce(after.filter(({ slotAt }) => slotAt < setBackAt + hourMs / 2));
  assert.deepEqual(
    after.filter(({ slots }) => slots > 1),
    [],
  );
  await assertConserved(on);
  assert.deepEqual(
    on.logged.filter(({ name }) => name === 'clock.set').map(({ fields }) => Math.round(Number(fields['byMs']) / 1000)),
    [3600, -3600],
  );
  assert.deepEqual(
    on.logged.filter(({ level }) => level === 'error'),
    [],
  );
});
