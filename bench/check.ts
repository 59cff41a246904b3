// Recorded HTTP checks per second, and the cost of one: scheduled, probed, evaluated and recorded by the service.
import { median, type Bench, type BenchOptions } from './support/report.ts';
import { type Peer, startPeer } from './support/peer.ts';
import { openView } from './support/results.ts';
import { apiChecks, seedAccount, seedChecks } from './support/seed.ts';
import { pause, startService } from './support/service.ts';

/** 1.5 times the required rate: more than needed, but not so many that the service only records missed slots. */
const offered = 30_000;
/** Half of the capacity of two cores, so that the cost of a check is that of normal load. */
const comfortable = 12_000;
const warmUpMs = 22_000;

export const checkBench: Bench = {
  about: 'recorded HTTP checks per second, and CPU seconds per 1,000',
  async run(options) {
    const target = startPeer('target');
    const url = await target.ask<string>('listen');
    const bare = [await bareLoop(url, options)];
    const max = await measure(url, `${options.folder}/most`, offered, options);
    bare.push(await bareLoop(url, options));
    const normal = await measure(url, `${options.folder}/normal`, comfortable, { ...options, profileFolder: null });
    await target.stop();
    const bareCpu = { what: 'plain GET, new connections', value: median(bare.map(({ cpuPer1000 }) => cpuPer1000)) };
    return {
      rows: [
        {
          figure: 'recorded checks, maximum',
          value: max.perSecond,
          unit: '/s',
          atLeast: 2000,
          limit: { what: 'plain GET, new connections', value: median(bare.map(({ perSecond }) => perSecond)) },
          ratioAtLeast: 0.25,
        },
        {
          figure: 'CPU then',
          value: max.cpuPer1000,
          unit: 's per 1,000 checks',
          atMost: 0.4,
          limit: bareCpu,
          aim: '0.25',
        },
        {
          figure: `CPU at ${comfortable / 10}/s`,
          value: normal.cpuPer1000,
          unit: 's per 1,000 checks',
          atMost: 0.4,
          limit: bareCpu,
          aim: '0.25',
        },
        { figure: `share recorded at ${comfortable / 10}/s`, value: normal.share * 100, unit: '%', atLeast: 99.9 },
      ],
      notes: [
        `${offered} and ${comfortable} checks at 10 s with three assertions; plain loop: ${bare.map(({ perSecond }) => Math.round(perSecond)).join(', ')}/s`,
        `with ${offered}: ${Math.round(max.missedPerSecond)} slots per second missed or unknown due to overload`,
      ],
      faults: [],
    };
  },
};

async function measure(url: string, dataDir: string, count: number, options: BenchOptions) {
  const { say, isQuick, profileFolder } = options;
  say(`${count} checks at 10 s`);
  const accountId = await seedAccount(dataDir);
  await seedChecks(dataDir, apiChecks(accountId, count, url));
  const service = await startService({ dataDir, profileFolder });
  await pause(isQuick ? warmUpMs / 2 : warmUpMs);
  const forMs = isQuick ? 5000 : 20_000;
  const from = { at: Date.now(), cpu: service.cpuSeconds() };
  await pause(forMs);
  const to = { at: Date.now(), cpu: service.cpuSeconds() };
  await service.stop();
  using view = openView(dataDir);
  const { passed, missed, unknown } = view.startedOutcomes(from.at, to.at);
  const seconds = (to.at - from.at) / 1000;
  return {
    perSecond: passed / seconds,
    missedPerSecond: (missed + unknown) / seconds,
    cpuPer1000: ((to.cpu - from.cpu) / passed) * 1000,
    share: passed / (passed + missed + unknown),
  };
}

interface Bare {
  readonly perSecond: number;
  readonly cpuPer1000: number;
}

async function bareLoop(url: string, { isQuick, say }: BenchOptions): Promise<Bare> {
  say('plain loop of GETs over new connections');
  const loop: Peer = startPeer('bare-get');
  await loop.ask('get', { url, concurrency: 50, forMs: 500 });
  const bare = await loop.ask<Bare>('get', { url, concurrency: 50, forMs: isQuick ? 2000 : 4000 });
  await loop.stop();
  return bare;
}
