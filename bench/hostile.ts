// A thousand attempts at twelve kinds of hostile receivers within a hundred seconds: their outcome, their cost, and the
// effect on healthy channels (docs/decisions/0064).
import { join } from 'node:path';
import type { HostileKind } from '../tests/support/receivers/hostile-receivers.ts';
import type { Received } from './peers/receiver.ts';
import { largest, percentile, type Bench, type BenchOptions, type Findings } from './support/report.ts';
import { type Peer, startPeer } from './support/peer.ts';
import { apiChecks, openBenchStore, readRows, seedAccount, seedChannels } from './support/seed.ts';
import { create, pause, type Service, startService } from './support/service.ts';

const healthyChannels = 20;
/** Checks that alternate every ten seconds: 50 alerts per second. */
const healthyChecks = 500;
/** Sequential alerts for hostile receivers, each to one channel of every kind. */
const rounds = 84;
const quickRounds = 12;
const roundEveryMs = 1200;
/** Channels of each kind, used in rotation. */
const perKind = 42;
const deadlineMs = 30_000;
/** Six attempts of half a minute with pauses, and as long again for channels with several of them. */
const givenUpMs = 600_000;
/** Period of memory measurements. */
const settleMs = 20_000;

export const hostileBench: Bench = {
  about: 'a thousand attempts at twelve kinds of hostile receivers, and the effect on healthy channels',
  run: (options) => hostileRun(options),
};

/** A channel of a hostile receiver, and the expected outcome of its attempts. */
interface Hostile {
  readonly channelId: number;
  readonly kind: string;
  readonly what: string;
  readonly expected: string | null;
}

async function hostileRun({ folder, isQuick, say }: BenchOptions): Promise<Findings> {
  const dataDir = join(folder, 'hostile');
  const peers = { target: startPeer('target'), receiver: startPeer('receiver'), hostile: startPeer('hostile') };
  const target = await peers.target.ask<string>('listen');
  const service = await startHealthy(dataDir, target, peers);
  const kinds = await peers.hostile.ask<readonly HostileKind[]>('start');
  const channels = await addHostile(service, kinds);
  const alert = alertsTo(service, target, channels);
  const count = isQuick ? quickRounds : rounds;
  say(`${healthyChannels} healthy channels at 50 alerts a second, ${channels.length} hostile ones`);
  // Warm-up of every process: code, memory, and the first alert of each check.
  await pause(11_000);
  const warmed = isQuick ? 4 : perKind;
  for (let round = 0; round < warmed; round++) await alert(round);
  await untilEnded(dataDir, channels, warmed * kinds.length, say);
  await untilGivenUp(dataDir, channels, say);
  const memory = watchMemory(service);
  const atFirst = await memory.settled();
  const unloaded = await latencies(peers.receiver, () => pause(count * roundEveryMs));
  const before = await memory.settled();
  say(`${count * kinds.length} attempts at hostile receivers`);
  const loaded = await latencies(peers.receiver, async () => {
    for (let round = warmed; round < warmed + count; round++) await Promise.all([alert(round), pause(roundEveryMs)]);
  });
  await untilEnded(dataDir, channels, (warmed + count) * kinds.length, say);
  const meanwhile = await memory.settled();
  await untilGivenUp(dataDir, channels, say);
  const after = await memory.settled();
  const max = memory.end();
  const ended = firstAttempts(dataDir, channels);
  const output = service.output();
  await service.stop();
  await peers.hostile.ask('close');
  await Promise.all(Object.values(peers).map((peer) => peer.stop()));
  const wanted = (warmed + count) * kinds.length;
  return findings({
    channels,
    wanted,
    ended,
    unloaded,
    loaded,
    memory: { atFirst, before, meanwhile, after, max },
    output,
  });
}

interface Peers {
  readonly target: Peer;
  readonly receiver: Peer;
}

async function startHealthy(dataDir: string, targetAddress: string, { target, receiver }: Peers): Promise<Service> {
  const receiverAddress = await receiver.ask<string>('listen');
  await target.ask('alternate');
  const accountId = await seedAccount(dataDir);
  const store = openBenchStore(dataDir);
  await seedChannels(store, accountId, receiverAddress, healthyChannels);
  const checks = apiChecks(accountId, healthyChecks, targetAddress, (index) => ({ name: `check ${index}` }));
  const added = checks.map((check, index) =>
    store.checks.add({
      check,
      subscriptions: [{ alertChannelId: (index % healthyChannels) + 1, activated: true }],
      isAutoAssigned: false,
    }),
  );
  await Promise.all(added);
  await store.close();
  return startService({ dataDir });
}

/** Channels of each kind, sorted by kind. */
async function addHostile(service: Service, kinds: readonly HostileKind[]): Promise<readonly Hostile[]> {
  const channels: Hostile[] = [];
  for (const { name: kind, variants } of kinds) {
    for (let index = 0; index < perKind; index++) {
      const variant = variants[index % variants.length];
      if (variant === undefined) throw new Error(`there is no variant of ${kind}`);
      const { url, what, expected } = variant;
      // Checks are due once a day, possibly during the measurement; a pass notifies no channel.
      const channel = { type: 'WEBHOOK', config: { name: `${kind}: ${what}`, url }, sendRecovery: false };
      const { id } = await create(service, '/v1/alert-channels', channel);
      channels.push({ channelId: Number(id), kind, what, expected });
    }
  }
  return channels;
}

/** Returns a function that raises the alert of a round: a check fails for the first time, and one channel of each kind is notified. */
function alertsTo(service: Service, address: string, channels: readonly Hostile[]) {
  return async (round: number): Promise<void> => {
    const notified = channels.filter((_, index) => index % perKind === round % perKind);
    const check = await create(service, '/v1/checks/api', {
      name: `hostile ${round}`,
      frequency: 1440,
      // The target fails the first request of a new path.
      request: { method: 'GET', url: `${address}/hostile-${round}` },
      alertChannelSubscriptions: notified.map(({ channelId }) => ({ alertChannelId: channelId, activated: true })),
    });
    await create(service, `/v1/triggers/checks/${String(check['id'])}`);
  };
}

/** Measures the memory of the service continuously. */
function watchMemory(service: Service) {
  let max = 0;
  let least = Number.POSITIVE_INFINITY;
  const watch = setInterval(() => {
    const now = service.residentMb();
    max = Math.max(max, now);
    least = Math.min(least, now);
  }, 200);
  return {
    /** Minimum of the following period, which excludes uncollected garbage. */
    async settled(): Promise<number> {
      least = Number.POSITIVE_INFINITY;
      await pause(settleMs);
      return least;
    },
    /** Overall maximum. */
    end(): number {
      clearInterval(watch);
      return max;
    },
  };
}

async function latencies(receiver: Peer, work: () => Promise<void>): Promise<readonly number[]> {
  await receiver.ask('reset');
  await work();
  return (await receiver.ask<Received>('received')).latencies;
}

/** A recorded first attempt. */
interface Ended {
  readonly channelId: number;
  readonly durationMs: number;
  readonly errorClass: string | null;
  readonly message: string | null;
}

function firstAttempts(dataDir: string, channels: readonly Hostile[]): Ended[] {
  return readRows(
    dataDir,
    `SELECT d.alert_channel_id AS channelId, a.duration_ms AS durationMs, a.error_class AS errorClass,
       a.error_message AS message
     FROM attempts a JOIN deliveries d ON d.account_id = a.account_id AND d.id = a.delivery_id
     WHERE a.number = 1 AND d.alert_channel_id BETWEEN ? AND ? AND d.alert_id IS NOT NULL`,
    ...idsOf(channels),
  ) as unknown as Ended[];
}

/** The first and the last id: channels are created one after the other. */
function idsOf(channels: readonly Hostile[]): [number, number] {
  return [channels[0]?.channelId ?? 0, channels.at(-1)?.channelId ?? 0];
}

async function untilEnded(
  dataDir: string,
  channels: readonly Hostile[],
  wanted: number,
  say: BenchOptions['say'],
): Promise<void> {
  const until = performance.now() + 2 * deadlineMs;
  while (firstAttempts(dataDir, channels).length < wanted && performance.now() < until) await pause(500);
  say(`${wanted} have ended`);
}

/** Waits until no delivery to a hostile receiver is pending, so that its memory is released. */
async function untilGivenUp(dataDir: string, channels: readonly Hostile[], say: BenchOptions['say']): Promise<void> {
  const until = performance.now() + givenUpMs;
  while (pending(dataDir, channels) > 0) {
    if (performance.now() > until) throw new Error(`${pending(dataDir, channels)} deliveries are still pending`);
    await pause(1000);
  }
  say('the last retry has ended');
}

function pending(dataDir: string, channels: readonly Hostile[]): number {
  return readRows(
    dataDir,
    'SELECT 1 FROM deliveries WHERE status = 0 AND alert_channel_id BETWEEN ? AND ? AND alert_id IS NOT NULL',
    ...idsOf(channels),
  ).length;
}

interface Seen {
  readonly wanted: number;
  readonly channels: readonly Hostile[];
  readonly ended: readonly Ended[];
  readonly unloaded: readonly number[];
  readonly loaded: readonly number[];
  /** MB: before and after a period with healthy channels only, after the hostile attempts, and the maximum. */
  readonly memory: Readonly<Record<'atFirst' | 'before' | 'meanwhile' | 'after' | 'max', number>>;
  readonly output: string;
}

function findings({ channels, wanted, ended, unloaded, loaded, memory, output }: Seen): Findings {
  const byId = new Map(channels.map((channel) => [channel.channelId, channel]));
  const wrong = ended.flatMap(({ channelId, errorClass, message }) => {
    const channel = byId.get(channelId);
    if (channel === undefined || channel.expected === errorClass) return [];
    return [
      `${channel.kind}, ${channel.what}: ${errorClass ?? 'success'} instead of ${channel.expected ?? 'success'}: ${message}`,
    ];
  });
  const p99 = { unloaded: percentile(unloaded, 0.99), loaded: percentile(loaded, 0.99) };
  return {
    rows: [
      { figure: 'attempts that ended', value: ended.length, unit: '', atLeast: wanted, atMost: wanted },
      {
        figure: 'longest attempt',
        value: largest(ended.map(({ durationMs }) => durationMs)) / 1000,
        unit: 's',
        atMost: 31,
      },
      { figure: 'attempts with a wrong class', value: wrong.length, unit: '', atMost: 0 },
      { figure: 'memory growth with hostile receivers', value: memory.after - memory.before, unit: 'MB', atMost: 20 },
      { figure: 'memory growth without, same duration', value: memory.before - memory.atFirst, unit: 'MB' },
      { figure: 'healthy alerts, p99 / unloaded', value: p99.loaded / p99.unloaded, unit: '', atMost: 2 },
      { figure: 'healthy alerts, p99', value: p99.loaded, unit: 'ms' },
      { figure: 'healthy alerts, p99 unloaded', value: p99.unloaded, unit: 'ms' },
    ],
    notes: [
      `${new Set(channels.map(({ kind }) => kind)).size} kinds in ${new Set(channels.map(({ what }) => what)).size} variants, ${channels.length} channels; only first attempts count, while retries continue;`,
      `healthy: ${unloaded.length} alerts unloaded (p50 ${percentile(unloaded, 0.5).toFixed(1)} ms), ${loaded.length} loaded (p50 ${percentile(loaded, 0.5).toFixed(1)} ms);`,
      `memory of the service: ${memory.before.toFixed(0)} MB before, maximum ${memory.max.toFixed(0)}, ${memory.meanwhile.toFixed(0)} during retries, ${memory.after.toFixed(0)} after, each the minimum of ${settleMs / 1000} s`,
    ],
    faults: [
      ...[...new Set(wrong)].slice(0, 10),
      ...(output.includes('"level":"error"') ? [`the service logged errors: ${output.slice(0, 500)}`] : []),
    ],
  };
}
