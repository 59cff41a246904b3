// The clock jumps by an hour in either direction while 100 checks run every 10 s: no burst, and one outcome per slot.
import assert from 'node:assert/strict';
import { test as it } from '../support/service/each-topology.ts';
import { metricSums } from '../support/service/metric-sums.ts';
import { startReceiver } from '../support/receivers/receiver.ts';
import { type Hit, type ScriptedServer, startScriptedServer } from '../support/targets/scripted-server.ts';
import type { Service } from '../support/service/service.ts';
import { startWithClock } from '../support/service/service-clock.ts';
import { assertEverySlotOnce, type ResultRow, resultRows } from '../support/store/slots.ts';
import { until } from '../support/until.ts';

const hourMs = 3_600_000;
const attempted = 'SELECT 1 FROM deliveries WHERE attempts = 1';
const intervalMs = 10_000;
const checks = 100;
const secret = 'a secret between two';

const results = (on: Service): ResultRow[] => on.rows(resultRows);

async function assertConserved(on: Service): Promise<void> {
  const text = await (await fetch(`${on.address}/metrics`)).text();
  assert.match(text, /^tocsin_conservation_difference 0$/m);
}

/** How late a process may notice on a busy machine; less than a missed slot. */
const maxNoticed = 8000;

/** Asserts that every check ran again within its interval, allowing for late detection, and without a burst. */
async function assertSpread(target: ScriptedServer, since: number, share: number): Promise<void> {
  const of = (hits: readonly Hit[]): Set<string> => new Set(hits.slice(since).map(({ url }) => url));
  await until('every check to run again', () => of(target.all).size >= checks, {
    withinMs: intervalMs + maxNoticed,
    seen: () => `${of(target.all).size} of ${checks} did`,
  });
  const starts = target.all.slice(since).map(({ at }) => at);
  const max = Math.max(...starts.map((from) => starts.filter((at) => at >= from && at < from + 500).length));
  assert.ok(max <= checks * share, `${max} of ${checks} checks started within half a second`);
}

/** How far the clocks of processes on PostgreSQL are ahead; more would delete old rows. */
const aheadMs = [-26 * hourMs, 40 * 24 * hourMs];

/** Log lines. */
function logged({ printed }: Service): Record<string, unknown>[] {
  return printed
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

it('keeps check intervals and delivery delays, and accounts for every slot', async (given) => {
  const { t } = given;
  const { on, clock } = await startWithClock(given, { aheadMs });
  // Several processes notice one after the other and catch up on due work.
  const share = on.addresses.length === 1 ? 0.6 : 0.9;
  const [target, failing] = [await startScriptedServer(t), await startScriptedServer(t)];
  const receiver = await startReceiver(t, secret);
  receiver.answer(({ attempt }) => ({ status: attempt < 3 ? 500 : 200 }));
  failing.answer({ status: 500 });
  const make = async (name: string, url: string): Promise<string> => {
    const body = { name, frequency: 0, frequencyOffset: 10, request: { method: 'GET', url } };
    return String((await on.must('POST', '/v1/checks/api', body))['id']);
  };
  const stateful = await make('stateful', `${target.url}/0`);
  for (let n = 1; n < checks; n++) await make(`check ${n}`, `${target.url}/${n}`);
  const config = { url: receiver.url, webhookSecret: secret };
  await on.must('POST', '/v1/alert-channels', { type: 'WEBHOOK', autoSubscribe: true, config });
  await make('failing', failing.url);
  const recorded = (): Set<string> => new Set(results(on).map(({ check }) => check));
  await until('a first result of every check', () => recorded().size > checks, { withinMs: 2 * intervalMs });
  const first = await receiver.received(({ attempt }) => attempt === 1);
  // A process that has not noticed yet uses the old time, so the retry is early.
  await until('the attempt on record', () => on.rows((raw) => raw.prepare(attempted).all().length > 0));

  const isMissed = ({ message }: ResultRow): boolean => message.includes('clock was set forward');
  let since = target.all.length;
  clock.set(hourMs);
  await assertSpread(target, since, share);
  const second = await receiver.received(({ attempt }) => attempt === 2, 25_000);
  const distance = second.hit.at - first.hit.at;
  assert.ok(distance > 18_000 && distance < 24_000, `the retry came after ${distance} ms`);
  await until('the missed slots of every check', () => results(on).filter(isMissed).length > checks);
  for (const { slots, message } of results(on).filter(({ slots }) => slots > 1)) {
    assert.ok(slots >= 359 && slots <= 361, `${slots} slots: ${message}`);
  }
  assertEverySlotOnce(results(on), intervalMs, checks);
  await assertConserved(on);
  await until('the schedulers to have counted what is on record as missed', async () => {
    const missed = results(on)
      .filter(isMissed)
      .reduce((sum, { slots }) => sum + slots, 0);
    return (await metricSums(on)).get('tocsin_slots_missed_total') === missed;
  });

  const before = new Set(results(on).map(({ id }) => id));
  since = target.all.length;
  target.answer(({ url }) => ({ status: url === '/0' ? 500 : 200 }));
  clock.set(0);
  const setBackAt = Date.now();
  await assertSpread(target, since, share);
  const third = await receiver.received(({ attempt }) => attempt === 3, 25_000);
  const pause = third.hit.at - second.hit.at;
  assert.ok(pause > 18_000 && pause < 24_000, `the retry came after ${pause} ms`);
  await until('the state to move', async () => {
    const status = await on.must('GET', `/v1/check-statuses/${stateful}`);
    return status['hasFailures'] === true;
  });
  const after = results(on).filter(({ id }) => !before.has(id));
  // Work in progress when the clock was set back ended in its later slot.
  assertEverySlotOnce(
    after.filter(({ slotAt }) => slotAt < setBackAt + hourMs / 2),
    intervalMs,
    checks,
  );
  assert.deepEqual(
    after.filter(({ slots }) => slots > 1),
    [],
  );
  await assertConserved(on);
  const lines = logged(on);
  const seconds = lines.filter(({ msg }) => msg === 'clock.set').map(({ byMs }) => Math.round(Number(byMs) / 1000));
  assert.deepEqual(
    seconds.toSorted((a, b) => b - a),
    [3600, -3600].flatMap((seen) => on.addresses.map(() => seen)),
    'each process saw both',
  );
  assert.deepEqual(
    lines.filter(({ level }) => level === 'error'),
    [],
  );
});
