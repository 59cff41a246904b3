// Durable, signed, logged deliveries end to end, and the latency from a result to its alert at the receiver.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { deliveryStatusCodes } from '#store/base/codes.ts';
import type { Received } from './peers/receiver.ts';
import { median, percentile, type Bench, type BenchOptions, type Findings, type Row } from './support/report.ts';
import { pendingDeliveries, receivedFaults } from './support/pending.ts';
import { type Peer, startPeer } from './support/peer.ts';
import {
  apiChecks,
  databasePath,
  openBenchStore,
  readRows,
  seedAccount,
  seedChannels,
  seedChecks,
} from './support/seed.ts';
import { pause, startService } from './support/service.ts';

const channels = 200;

/** If some receivers hang, every tenth of these does: 20. */
const hangingEach = 10;

export const deliverBench: Bench = {
  about:
    'durable, signed, logged deliveries per second, and the latency from result to receiver; both also beside hanging channels',
  async run(options) {
    const all = await drain(options);
    const healthy = await drainBesideHanging(options);
    const latency = await measureLatency(options, 0);
    const beside = await measureLatency(options, hangingEach);
    const hanging = `with ${channels / hangingEach} of ${channels} channels hanging`;
    const rows: Row[] = [
      ...all.rows,
      { figure: 'alert latency p50', value: latency.p50, unit: 'ms', atMost: 10 },
      { figure: 'alert latency p99', value: latency.p99, unit: 'ms', atMost: 100 },
      { figure: 'alerts during the measurement', value: latency.perSecond, unit: '/s', atLeast: 475 },
      {
        figure: `deliveries of the other channels, ${hanging}`,
        value: healthy.perSecond,
        unit: '/s',
        limit: { what: 'none hanging', value: all.perSecond },
        ratioAtLeast: 0.9,
      },
      {
        figure: `alert latency p99 of the other channels, ${hanging}`,
        value: beside.p99,
        unit: 'ms',
        atMost: 2 * latency.p99,
        limit: { what: 'none hanging', value: latency.p99 },
      },
    ];
    return {
      rows,
      notes: [...all.notes, ...latency.notes, ...healthy.notes],
      faults: [...all.faults, ...healthy.faults, ...beside.faults],
    };
  },
};

type Drained = Findings & { readonly perSecond: number };

/** Time in which the running service delivers a queue of pending deliveries of 200 channels. */
async function drain({ folder, isQuick, profileFolder, say }: BenchOptions): Promise<Drained> {
  const dataDir = join(folder, 'drain');
  const receiver = startPeer('receiver');
  const address = await receiver.ask<string>('listen');
  const { wanted, body } = await fill(dataDir, address, isQuick, say);

  const bareFor = isQuick ? 2000 : 4000;
  const bare = [await bareLoop(receiver, address, body, bareFor, say)];
  await receiver.ask('reset');
  const { perSecond, cpu, got } = await drainQueue(dataDir, receiver, wanted, { profileFolder, say });
  await receiver.ask('reset');
  bare.push(await bareLoop(receiver, address, body, bareFor, say));
  await receiver.stop();

  const rows: Row[] = [
    {
      figure: 'deliveries, end to end',
      value: perSecond,
      unit: '/s',
      atLeast: 6000,
      limit: { what: 'plain signed POST', value: median(bare) },
      ratioAtLeast: 0.15,
      aim: '10,000/s, ratio 0.25',
    },
    { figure: 'CPU of the service', value: cpu * 1000, unit: 's per 1,000 deliveries' },
  ];
  const notes = [
    `${wanted} deliveries, body ${Buffer.byteLength(body)} B, timed from the first request to the last durable log entry;`,
    `${got.verified} signatures verified, every attempt logged; plain loop before and after: ${bare.map(Math.round).join(', ')}/s`,
  ];
  return { perSecond, rows, notes, faults: faultsOf(dataDir, got, wanted) };
}

/** The same queue, but the receiver of every tenth channel hangs: the time until all others are delivered. */
async function drainBesideHanging({ folder, isQuick, say }: BenchOptions): Promise<Drained> {
  const dataDir = join(folder, 'hanging');
  const receiver = startPeer('receiver');
  const address = await receiver.ask<string>('listen');
  const { wanted } = await fill(dataDir, address, isQuick, say);
  await receiver.ask('hangEach', hangingEach);
  const healthy = wanted - wanted / hangingEach;
  const { perSecond, cpu, got } = await drainQueue(dataDir, receiver, healthy, { say, hanging: hangingEach });
  await receiver.stop();
  return {
    perSecond,
    rows: [],
    notes: [
      `beside hanging receivers: ${healthy} deliveries of the other ${channels - channels / hangingEach} channels,`,
      `at ${(cpu * 1000).toFixed(3)} s of CPU of the service per 1,000`,
    ],
    faults: faultsOf(dataDir, got, healthy),
  };
}

/** Starts the service on a queue, and waits until it is empty. @returns also the CPU time of one delivery, s */
async function drainQueue(
  dataDir: string,
  receiver: Peer,
  wanted: number,
  { profileFolder = null, say, hanging = 0 }: Partial<BenchOptions> & Pick<BenchOptions, 'say'> & { hanging?: number },
) {
  say(hanging > 0 ? 'draining while some receivers hang' : 'draining with the service');
  const service = await startService({ dataDir, profileFolder });
  const before = { count: await receiver.ask<number>('count'), cpu: service.cpuSeconds() };
  await untilSettled(dataDir, 120_000, hanging);
  const settledAt = Date.now();
  const cpu = (service.cpuSeconds() - before.cpu) / (wanted - before.count);
  await pause(200);
  const got = await receiver.ask<Received>('received');
  await (hanging > 0 ? service.kill() : service.stop());
  const perSecond = wanted / ((settledAt - got.firstAt) / 1000);
  say(`${Math.round(perSecond)} a second, ${(cpu * 1000).toFixed(3)} s of CPU per 1,000`);
  return { perSecond, cpu, got };
}

async function fill(dataDir: string, receiver: string, isQuick: boolean, say: BenchOptions['say']) {
  const wanted = isQuick ? 20_000 : 80_000;
  say(`inserting ${wanted} pending deliveries of ${channels} channels`);
  const accountId = await seedAccount(dataDir);
  const store = openBenchStore(dataDir);
  const { body } = await pendingDeliveries(store, { accountId, receiver, channels, count: wanted });
  await store.close();
  return { wanted, body };
}

function faultsOf(dataDir: string, got: Received, wanted: number): string[] {
  const log = logOf(dataDir);
  return [
    ...receivedFaults(got, wanted),
    ...(log.delivered === wanted ? [] : [`${log.delivered} of ${wanted} are recorded as delivered`]),
    ...(log.attempts === wanted ? [] : [`${log.attempts} attempts are logged instead of ${wanted}`]),
  ];
}

async function bareLoop(
  receiver: Peer,
  address: string,
  body: string,
  forMs: number,
  say: BenchOptions['say'],
): Promise<number> {
  say('plain signed POST loop');
  const loop = startPeer('bare-post');
  const order = { receiver: address, body, connections: 64 };
  await loop.ask('post', { ...order, forMs: 500 });
  const perSecond = await loop.ask<number>('post', { ...order, forMs });
  await loop.stop();
  await receiver.ask('reset');
  return perSecond;
}

interface Latency {
  readonly p50: number;
  readonly p99: number;
  readonly perSecond: number;
  readonly notes: readonly string[];
  readonly faults: readonly string[];
}

/**
 * Alerts of results that alternate between failing and passing: 500 per second, each to one channel.
 *
 * @param hanging every nth channel's receiver hangs and is not counted; 0 = none
 */
async function measureLatency({ folder, isQuick, say }: BenchOptions, hanging: number): Promise<Latency> {
  const dataDir = join(folder, `latency-${hanging}`);
  const [target, receiver] = [startPeer('target'), startPeer('receiver')];
  const targetAddress = await target.ask<string>('listen');
  const receiverAddress = await receiver.ask<string>('listen');
  await target.ask('alternate');
  await receiver.ask('hangEach', hanging);
  const accountId = await seedAccount(dataDir);
  const store = openBenchStore(dataDir);
  await seedChannels(store, accountId, receiverAddress, channels);
  await store.close();
  const checks = apiChecks(accountId, 5000, targetAddress, (index) => ({ name: `check ${index}` }));
  await seedChecks(dataDir, checks, (position) => (position % channels) + 1);
  say(`alternating results of 5,000 checks at 10 s: 500 alerts a second${hanging > 0 ? ', some receivers hang' : ''}`);
  const service = await startService({ dataDir });
  await pause(11_000);
  await receiver.ask('reset');
  const forMs = isQuick ? 5000 : 20_000;
  await pause(forMs);
  const { count, latencies } = await receiver.ask<Received>('received');
  await (hanging > 0 ? service.kill() : service.stop());
  await Promise.all([target.stop(), receiver.stop()]);
  const perSecond = (count / forMs) * 1000;
  const healthyShare = hanging > 0 ? 1 - 1 / hanging : 1;
  return {
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
    perSecond,
    notes: [
      `latency of ${count} alerts: from the delivery's creation, just before its result's commit, to the request at the receiver`,
    ],
    faults: perSecond >= 475 * healthyShare ? [] : [`only ${Math.round(perSecond)} alerts a second came`],
  };
}

/** Waits channel by channel, which costs little disk and CPU time. @param but excludes every nth, which hangs */
async function untilSettled(dataDir: string, withinMs: number, but = 0): Promise<void> {
  using database = new DatabaseSync(databasePath(dataDir), { readOnly: true, timeout: 5000 });
  const left = database.prepare(
    `SELECT 1 FROM deliveries WHERE status = 0 AND account_id = (SELECT id FROM accounts) AND alert_channel_id = ? LIMIT 1`,
  );
  const until = performance.now() + withinMs;
  for (let channel = 1; channel <= channels && performance.now() < until;) {
    if ((but > 0 && channel % but === 0) || left.get(channel) === undefined) channel++;
    else await pause(20);
  }
}

function logOf(dataDir: string): { delivered: number; attempts: number } {
  const count = (of: string): number => Number(readRows(dataDir, `SELECT count(*) AS n FROM ${of}`)[0]?.['n']);
  return {
    delivered: count(`deliveries WHERE status = ${deliveryStatusCodes.encode('delivered')}`),
    attempts: count('attempts WHERE status = 200 AND number = 1'),
  };
}
