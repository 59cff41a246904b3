// A thousand attempts at twelve kinds of hostile receivers, all at once: how each ends, what it costs, and what healthy
// channels notice of it (docs/decisions/0064).
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { HostileKind } from '../tests/support/hostile-receivers.ts';
import type { Received } from './peers/receiver.ts';
import { largest, percentile } from './support/numbers.ts';
import { type Peer, startPeer } from './support/peer.ts';
import type { Bench, BenchOptions, Findings } from './support/report.ts';
import { apiCheck, databasePath, openBenchStore, seedAccount, seedChannels } from './support/seed.ts';
import { pause, type Service, startService } from './support/service.ts';

const healthyChannels = 20;
/** Checks that alternate every ten seconds: 50 alerts a second. */
const healthyChecks = 500;
/** All of a channel's are under way at once. */
const perChannel = 4;
const deadlineMs = 30_000;

export const hostileBench: Bench = {
  about: 'a thousand attempts at twelve kinds of hostile receivers, and what healthy channels notice of them',
  run: (options) => hostileRun(options),
};

/** A channel of a hostile receiver, and what an attempt at it must end as. */
interface Hostile {
  readonly channelId: number;
  readonly kind: string;
  readonly what: string;
  readonly expected: string | null;
}

async function hostileRun({ folder, isQuick, say }: BenchOptions): Promise<Findings> {
  const dataDir = join(folder, 'hostile');
  const peers = { target: startPeer('target'), receiver: startPeer('receiver'), hostile: startPeer('hostile') };
  const service = await startHealthy(dataDir, peers);
  const kinds = await peers.hostile.ask<readonly HostileKind[]>('start');
  const perKind = isQuick ? 2 : 21;
  say(`${healthyChannels} healthy channels at 50 alerts a second, ${kinds.length * perKind} hostile ones`);
  const warm = await addHostile(service, kinds, 2);
  const measured = await addHostile(service, kinds, perKind);
  // The first alerts, and the first wave, warm up what every process warms up once.
  await pause(11_000);
  await raiseAlerts(service, peers.target, warm);
  await untilEnded(dataDir, warm.channels, say);
  const quietMs = isQuick ? 10_000 : 30_000;
  const unloaded = await latencies(peers.receiver, () => pause(quietMs));
  const before = service.residentMb();
  let most = before;
  const watch = setInterval(() => (most = Math.max(most, service.residentMb())), 200);
  const loaded = await latencies(peers.receiver, async () => {
    await raiseAlerts(service, peers.target, measured);
    await untilEnded(dataDir, measured.channels, say);
  });
  clearInterval(watch);
  // What is closed by then is given back by the next collection.
  await pause(5000);
  const after = service.residentMb();
  const ended = endedAttempts(dataDir, measured.channels);
  const output = service.output();
  await service.stop();
  await peers.hostile.ask('close');
  await Promise.all(Object.values(peers).map((peer) => peer.stop()));
  return findings({ channels: measured.channels, ended, unloaded, loaded, before, after, most, output });
}

interface Peers {
  readonly target: Peer;
  readonly receiver: Peer;
}

async function startHealthy(dataDir: string, { target, receiver }: Peers): Promise<Service> {
  const targetAddress = await target.ask<string>('listen');
  const receiverAddress = await receiver.ask<string>('listen');
  await target.ask('behave', { kind: 'alternate' });
  const accountId = await seedAccount(dataDir);
  const store = openBenchStore(dataDir);
  await seedChannels(store, accountId, receiverAddress, healthyChannels);
  const added = Array.from({ length: healthyChecks }, (_, index) =>
    store.checks.add({
      check: apiCheck(accountId, `${targetAddress}/${index}`, { name: `check ${index}` }),
      subscriptions: [{ alertChannelId: (index % healthyChannels) + 1, activated: true }],
      isAutoAssigned: false,
    }),
  );
  await Promise.all(added);
  await store.close();
  return startService({ dataDir });
}

/** Hostile channels, and the group of checks whose failures are told to all of them. */
interface Wave {
  readonly groupId: number;
  readonly channels: readonly Hostile[];
}

async function addHostile(service: Service, kinds: readonly HostileKind[], perKind: number): Promise<Wave> {
  const groupId = idOf(await service.call('POST', '/v2/check-groups', { name: 'told to the hostile' }));
  const channels: Hostile[] = [];
  for (const { name, variants } of kinds) {
    for (let index = 0; index < perKind; index++) {
      const variant = variants[index % variants.length];
      if (variant === undefined) continue;
      const { url, what, expected } = variant;
      const channel = { type: 'WEBHOOK', config: { name: `${name}: ${what}`, url }, subscriptions: [{ groupId }] };
      channels.push({
        channelId: idOf(await service.call('POST', '/v1/alert-channels', channel)),
        kind: name,
        what,
        expected,
      });
    }
  }
  return { groupId, channels };
}

function idOf({ status, body }: { readonly status: number; readonly body: unknown }): number {
  if (status !== 201) throw new Error(`answered ${status}: ${JSON.stringify(body)}`);
  return (body as { id: number }).id;
}

/** Four checks of the group fail, and each of its channels is told of each. */
async function raiseAlerts(service: Service, target: Peer, { groupId }: Wave): Promise<void> {
  // A path that the target was not asked for before fails the first time.
  const address = await target.ask<string>('address');
  for (let index = 0; index < perChannel; index++) {
    const request = { method: 'GET', url: `${address}/hostile-${groupId}-${index}` };
    const check = { name: `told to the hostile ${index}`, frequency: 1440, groupId, request };
    const { status, body } = await service.call('POST', '/v1/checks/api', check);
    if (status !== 201) throw new Error(`answered ${status}: ${JSON.stringify(body)}`);
  }
  idOf(await service.call('POST', `/v1/triggers/check-groups/${groupId}`));
}

async function latencies(receiver: Peer, work: () => Promise<void>): Promise<readonly number[]> {
  await receiver.ask('reset');
  await work();
  return (await receiver.ask<Received>('received')).latencies;
}

/** A first attempt as it is recorded. */
interface Ended {
  readonly channelId: number;
  readonly durationMs: number;
  readonly errorClass: string | null;
  readonly message: string | null;
}

function endedAttempts(dataDir: string, channels: readonly Hostile[]): Ended[] {
  const database = new DatabaseSync(databasePath(dataDir), { readOnly: true, timeout: 5000 });
  const rows = database
    .prepare(
      `SELECT d.alert_channel_id AS channelId, a.duration_ms AS durationMs, a.error_class AS errorClass,
        a.error_message AS message
      FROM attempts a JOIN deliveries d ON d.account_id = a.account_id AND d.id = a.delivery_id
      WHERE a.number = 1 AND d.alert_channel_id >= ? AND d.alert_channel_id <= ? AND d.alert_id IS NOT NULL`,
    )
    .all(channels[0]?.channelId ?? 0, channels.at(-1)?.channelId ?? 0);
  database.close();
  return rows as unknown as Ended[];
}

async function untilEnded(dataDir: string, channels: readonly Hostile[], say: BenchOptions['say']): Promise<void> {
  const wanted = channels.length * perChannel;
  say(`${wanted} attempts at hostile receivers`);
  const until = performance.now() + 2 * deadlineMs;
  while (endedAttempts(dataDir, channels).length < wanted && performance.now() < until) await pause(500);
}

interface Seen {
  readonly channels: readonly Hostile[];
  readonly ended: readonly Ended[];
  readonly unloaded: readonly number[];
  readonly loaded: readonly number[];
  readonly before: number;
  readonly after: number;
  readonly most: number;
  readonly output: string;
}

function findings({ channels, ended, unloaded, loaded, before, after, most, output }: Seen): Findings {
  const byId = new Map(channels.map((channel) => [channel.channelId, channel]));
  const wrong = ended.flatMap(({ channelId, errorClass, message }) => {
    const channel = byId.get(channelId);
    if (channel === undefined || channel.expected === errorClass) return [];
    return [
      `${channel.kind}, ${channel.what}: ${errorClass ?? 'answered'} instead of ${channel.expected ?? 'answered'}: ${message}`,
    ];
  });
  const p99 = { unloaded: percentile(unloaded, 0.99), loaded: percentile(loaded, 0.99) };
  const wanted = channels.length * perChannel;
  return {
    rows: [
      { figure: 'attempts that ended', value: ended.length, unit: '', atLeast: wanted, atMost: wanted },
      {
        figure: 'longest attempt',
        value: largest(ended.map(({ durationMs }) => durationMs)) / 1000,
        unit: 's',
        atMost: 31,
      },
      { figure: 'attempts of a wrong class', value: wrong.length, unit: '', atMost: 0 },
      { figure: 'memory after them', value: after - before, unit: 'MB', atMost: 20 },
      { figure: 'healthy alerts, p99 / unloaded', value: p99.loaded / p99.unloaded, unit: '', atMost: 2 },
      { figure: 'healthy alerts, p99', value: p99.loaded, unit: 'ms' },
      { figure: 'healthy alerts, p99 unloaded', value: p99.unloaded, unit: 'ms' },
    ],
    notes: [
      `${new Set(channels.map(({ kind }) => kind)).size} kinds, ${wanted} attempts begun at once, of ${channels.length} channels;`,
      `healthy: ${unloaded.length} alerts unloaded (p50 ${percentile(unloaded, 0.5).toFixed(1)} ms), ${loaded.length} meanwhile (p50 ${percentile(loaded, 0.5).toFixed(1)} ms);`,
      `memory of the service: ${before.toFixed(0)} MB before, ${most.toFixed(0)} at most, ${after.toFixed(0)} after`,
    ],
    faults: [
      ...[...new Set(wrong)].slice(0, 10),
      ...(output.includes('"level"') ? [`the service complained: ${output.slice(0, 500)}`] : []),
    ],
  };
}
