// Pending deliveries, created by recording failed results of checks in a group with 200 subscribed channels.
import { prepareWith } from '#app/path/deliveries.ts';
import { readConfig } from '#config/config.ts';
import type { DeliveryFacts, EndedAttempt } from '#domain/results/recording.ts';
import type { Finding } from '#domain/results/result.ts';
import { randomValues } from '#domain/deliveries/delivery-variables.ts';
import { systemRandom } from '#lib/random.ts';
import { channelRules } from '#channels/rules.ts';
import { encodeDetails } from '#checks/parts/http/details.ts';
import type { Store } from '#store/store.ts';
import { aGroup } from '../../tests/support/store/records.ts';
import type { Received } from '../peers/receiver.ts';
import { apiCheck, seedChannels } from './seed.ts';

/** Number, channels and URL. */
export interface PendingOrder {
  readonly accountId: string;
  readonly receiver: string;
  readonly channels: number;
  /** A multiple of `channels`. */
  readonly count: number;
}

/** Fills the outbox; returns the body of one of the deliveries. */
export async function pendingDeliveries(store: Store, order: PendingOrder): Promise<{ body: string }> {
  const { accountId, receiver, channels, count } = order;
  await seedChannels(store, accountId, receiver, channels);
  const groupId = await seedGroup(store, accountId, channels);
  for (let index = 0; index < count / channels; index++) {
    const check = apiCheck(accountId, 'http://127.0.0.1:9/', { name: `check ${index}`, groupId, frequency: 1440 });
    await store.checks.add({ check, subscriptions: null, isAutoAssigned: false });
  }
  let body = '';
  const prepare = prepareWith({
    config: readConfig({}),
    acknowledgeLinks: { link: () => 'http://127.0.0.1:3000/acknowledge/0198a000-0000-7000-8000-000000000001' },
    links: { link: () => 'http://127.0.0.1:3000/results/0198a000-0000-7000-8000-000000000001/xxxxxxxxxxxxxxxxxxxxxx' },
  });
  const rules = {
    owner: 'bench',
    now: Date.now(),
    statusOf: () => 500,
    judge: (attempt: EndedAttempt) => attempt,
    render: (facts: DeliveryFacts) => {
      const prepared = prepare(facts);
      const { channel, createdAt } = facts;
      const values = { createdAt, ...randomValues(systemRandom), userAgent: 'Tocsin/bench', timeZone: 'UTC' };
      if (body === '' && 'content' in prepared)
        ({ body } = channelRules.render(channel, prepared.content.variables, values));
      return prepared;
    },
  };
  for (const attempt of await failedAttempts(store, accountId, groupId))
    await store.path.recordAttempts([attempt], rules);
  return { body };
}

/** What is wrong with the requests of `wanted` deliveries at the receiver. */
export function receivedFaults(got: Received, wanted: number): string[] {
  return [
    ...(got.count === wanted ? [] : [`the receiver got ${got.count} requests instead of ${wanted}`]),
    ...(got.duplicates === 0 ? [] : [`${got.duplicates} deliveries arrived twice`]),
    ...(got.refused === 0 && got.verified > 0 ? [] : [`${got.refused} of the sampled signatures are wrong`]),
  ];
}

/** Creates a group with the subscribed channels 1..channels; returns its id. */
async function seedGroup(store: Store, accountId: string, channels: number): Promise<number> {
  const subscriptions = Array.from({ length: channels }, (_, index) => ({
    alertChannelId: index + 1,
    activated: true,
  }));
  const added = await store.checkGroups.add({ group: aGroup(accountId), subscriptions, isAutoAssigned: false });
  if (!('saved' in added)) throw new Error(`group rejected: ${JSON.stringify(added)}`);
  return added.saved.group.id;
}

async function failedAttempts(store: Store, accountId: string, groupId: number): Promise<EndedAttempt[]> {
  const now = Date.now();
  const call = { target: { groupId, checkId: null }, newToken: 'bench', idempotencyKey: null };
  await store.triggers.start({ accountId, ...call, servedLocations: ['local'], now });
  const claim = { location: 'local', owner: 'bench', now, leaseMs: 60_000, max: 100_000 };
  const { runs } = await store.path.claimRuns(claim);
  return runs.flatMap(({ run, context }) =>
    context === null
      ? []
      : [
          {
            run,
            context,
            finding: failure(now),
            outcome: 'failed',
            retry: null,
            rules: { escalation: { type: 'RUN_BASED', runs: 1 }, isMuted: false, reminders: null, parallel: null },
          },
        ],
  );
}

function failure(now: number): Finding {
  return {
    verdict: 'failed',
    reason: 'status',
    message: 'expected a status below 400, got 500 Internal Server Error',
    startedAt: now,
    stoppedAt: now + 12,
    responseTimeMs: 12.3,
    loopDelayMs: 0,
    details: encodeDetails({
      status: 500,
      statusText: 'Internal Server Error',
      address: '127.0.0.1',
      protocol: { http: '1.1', tls: null, cipher: null },
      phases: { wait: 0, dns: 0.1, tcp: 0.4, tls: 0, firstByte: 11, download: 0.8 },
      sizes: { headers: 120, body: 30, decoded: 30 },
      truncated: false,
      redirects: [],
      assertions: [],
    }),
    exchange: null,
    certificate: null,
  };
}
