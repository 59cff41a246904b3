// Checks that an email channel and a webhook alert, for tests of alert storms.
import assert from 'node:assert/strict';
import type { Digest } from '#domain/alerts/digest.ts';
import type { Outcome } from '#domain/results/result.ts';
import { idBytes } from '#store/base/codec.ts';
import { aChannel } from '../support/store/records.ts';
import { type PathUnderTest, prepared } from './path-under-test.ts';

export const page = { limit: 100, offset: 0 };
export const minuteMs = 60_000;

interface Checks {
  readonly ids: readonly string[];
  readonly people: number;
  readonly machines: number;
}

/** Checks with an email channel and a webhook each of them alerts. */
export async function checksOf(test: PathUnderTest, count: number, threshold: number): Promise<Checks> {
  test.digested.add('EMAIL');
  test.temp.raw
    .prepare('UPDATE accounts SET alert_settings = ? WHERE id = ?')
    .run(JSON.stringify({ digestThreshold: threshold }), idBytes(test.accountId));
  const ids: string[] = [];
  for (let made = 0; made < count; made++)
    ids.push(await test.check({ name: `Check ${String(made).padStart(2, '0')}` }));
  return { ids, people: await subscribed(test, 'EMAIL', ids), machines: await subscribed(test, 'WEBHOOK', ids) };
}

/** A channel that these checks alert. */
export async function subscribed(
  test: PathUnderTest,
  type: string,
  ids: readonly string[],
  grouping = test.digested.has(type),
): Promise<number> {
  const saved = await test.temp.store.alertChannels.add({
    channel: aChannel(test.accountId, { type, grouping }),
    subscriptions: ids.map((checkId) => ({ checkId, groupId: null, activated: true })),
  });
  assert.ok('saved' in saved);
  return saved.saved.channel.id;
}

/** Runs the due checks: those named end with the outcome, the others pass. */
export async function run(test: PathUnderTest, outcome: Outcome, ids?: readonly string[]): Promise<void> {
  await test.schedule();
  const runs = (await test.claim()).toSorted((a, b) => (a.run.checkId < b.run.checkId ? -1 : 1));
  await test.record(
    runs.map((claimed) => test.ended(claimed, ids?.includes(claimed.run.checkId) === false ? 'passed' : outcome)),
    'one',
    prepared,
  );
  test.temp.clock.advance(10_000);
  await assertCarried(test);
}

/** Every alert is sent by itself or in a digest that exists. */
async function assertCarried(test: PathUnderTest): Promise<void> {
  const { rows } = await test.temp.store.deliveries.list(test.accountId, {}, page);
  for (const { delivery } of rows) {
    assert.equal(delivery.status === 'digested', delivery.digestStatus !== undefined);
    assert.equal(delivery.status === 'digested', delivery.digestId !== undefined);
  }
}

export async function countOf(test: PathUnderTest, channel: number): Promise<Record<string, number>> {
  const { rows } = await test.temp.store.deliveries.list(test.accountId, { alertChannelId: channel }, page);
  const statuses = rows.map(({ delivery: { status, isDigest } }) => (isDigest === true ? `${status} digest` : status));
  return Object.fromEntries([...Map.groupBy(statuses, (status) => status)].map(([name, all]) => [name, all.length]));
}

/** Due digests, and what they say: state, number, names. Their attempts succeed. */
export async function sentDigests(test: PathUnderTest) {
  const claimed = await test.claimDeliveries('one', () => 1000);
  const digests: { alerts: number; sections: [string, number, string][] }[] = [];
  for (const one of claimed) {
    const [input] = await test.path.readContents([one.delivery]);
    const request = { method: 'MAIL', url: 'mailto:a@example.org', headers: [], body: 'x' };
    await test.path.saveRendered([{ ...one.delivery, rendered: { request } }], { owner: 'one', now: test.now });
    await test.settle(one, 200);
    const digest: Digest | undefined = input?.digest;
    if (digest === undefined) continue;
    const sections = digest.sections.map(({ state, count, checks }): [string, number, string] => [
      state,
      count,
      checks.map(({ name }) => name.replace('Check ', '')).join(),
    ]);
    digests.push({ alerts: digest.alerts, sections });
  }
  return digests;
}
