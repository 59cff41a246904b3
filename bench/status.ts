// Visitors of a status page, compared with a plain server that sends the same bytes.
import { besideBareServer } from './support/beside-bare-server.ts';
import { startFailingPings } from './support/failing-pings.ts';
import { median, type Bench } from './support/report.ts';
import { type Peer, startPeer } from './support/peer.ts';
import { apiChecks, seedAccount, seedChecks } from './support/seed.ts';
import { create, metricOf, pause, type Service, startService } from './support/service.ts';

const [services, checks] = [20, 500];
/** An account with as much as it may have. */
const most = { services: 200, pages: 20 };
const path = '/status/bench/';
/** Visitors that alerts are measured beside. */
const perSecond = 1000;
/** How long the page may take to appear, ms. */
const appearsMs = 30_000;

export const statusBench: Bench = {
  about: 'visitors per second of a status page, compared with a plain server with the same bytes',
  async run({ folder, isQuick, profileFolder, say }) {
    const dataDir = `${folder}/status`;
    const accountId = await seedAccount(dataDir);
    const daily = { frequency: 1440, frequencyOffset: null };
    const change = (index: number) => ({ ...daily, name: `check ${index}`, tags: [tagOf(index)] });
    await seedChecks(dataDir, apiChecks(accountId, checks, 'http://127.0.0.1:9', change));
    const [bare, load] = [startPeer('bare-server'), startPeer('load')];
    const bareAddress = await bare.ask<string>('listen');
    const service = await startService({ dataDir, profileFolder });
    const ids = await addServices(service, 0, services);
    await addPage(service, 'bench', ids);
    say(`GET ${path}, interleaved with the plain server`);
    const answer = await appeared(`${service.address}${path}`);
    const sample = { status: answer.status, headers: answer.headers, body: await answer.text() };
    const peers = { service, bare, bareAddress, load };
    const { row, wrong } = await besideBareServer({ path, sample, ratioAtLeast: 0.5, ...peers }, isQuick ? 1000 : 3000);
    say('alerts alone, and beside 1,000 visitors a second');
    const alerts = await alertsBesideVisitors(service, load, isQuick);
    say(`${most.pages} pages with ${most.services} services of ${checks} checks`);
    const blockedMs = await blockedByLargePages(service, ids, isQuick);
    await service.stop();
    await Promise.all([bare.stop(), load.stop()]);
    return {
      rows: [
        row,
        { figure: 'visitors per second', value: row.value, unit: '/s', atLeast: 1000 },
        { figure: 'alerts slower beside 1,000 visitors a second, p50', value: alerts.slowerMs, unit: 'ms', atMost: 5 },
        {
          figure: `main thread blocked by ${most.pages} pages with ${most.services} services`,
          value: blockedMs,
          unit: 'ms',
          ...(!isQuick && { atMost: 100 }),
        },
      ],
      notes: [
        `${services} services, ${sample.body.length} bytes`,
        `${alerts.count} alerts after a failing ping; alone ${alerts.aloneMs.toFixed(1)} ms`,
      ],
      faults: [
        ...(wrong + alerts.wrong === 0 ? [] : [`${wrong + alerts.wrong} responses were not a 200 with a length`]),
        ...(alerts.count > 0 ? [] : ['no alert arrived']),
      ],
    };
  },
};

const tagOf = (index: number): string => `service-${index % most.services}`;

async function addServices(service: Service, from: number, to: number): Promise<string[]> {
  const ids: string[] = [];
  for (let index = from; index < to; index++) {
    const made = await create(service, '/v1/status-pages/services', { name: `Service ${index}`, tags: [tagOf(index)] });
    ids.push(String(made['id']));
  }
  return ids;
}

async function addPage(service: Service, url: string, ids: readonly string[]): Promise<void> {
  const cards = [ids.slice(0, 100), ids.slice(100)].map((services, index) => ({ name: `Card ${index}`, services }));
  await create(service, '/v1/status-pages', { name: url, url, cards });
}

/** The longest time in which the main thread does nothing else, while all pages are built and taken up, ms. */
async function blockedByLargePages(service: Service, ids: readonly string[], isQuick: boolean): Promise<number> {
  const all = [...ids, ...(await addServices(service, ids.length, most.services))];
  await longestDelayMs(service);
  for (let page = 1; page < most.pages; page++) await addPage(service, `bench-${page}`, all);
  await appeared(`${service.address}/status/bench-${most.pages - 1}/`);
  // Each minute all are built again.
  await pause(isQuick ? 3000 : 65_000);
  return longestDelayMs(service);
}

/** Since it was asked last. */
async function longestDelayMs(service: Service): Promise<number> {
  return (await metricOf(service, 'tocsin_event_loop_delay_seconds{thread="main"}')) * 1000;
}

/** Alternates, because the machine may become slower meanwhile. */
async function alertsBesideVisitors(service: Service, load: Peer, isQuick: boolean) {
  const [alone, beside]: [number[], number[]] = [[], []];
  let wrong = 0;
  for (let round = 0; round < (isQuick ? 1 : 3); round++) {
    alone.push(...(await alertsFor(service, pause(isQuick ? 1500 : 5000))));
    const order = {
      url: `${service.address}${path}`,
      key: '',
      connections: 20,
      perSecond,
      forMs: isQuick ? 1500 : 5000,
    };
    const visits = load.ask<{ readonly wrong: number }>('load', order);
    beside.push(...(await alertsFor(service, visits)));
    wrong += (await visits).wrong;
  }
  const aloneMs = median(alone);
  return { aloneMs, slowerMs: Math.max(0, median(beside) - aloneMs), count: alone.length + beside.length, wrong };
}

async function alertsFor(service: Service, over: Promise<unknown>): Promise<readonly number[]> {
  const alerts = await startFailingPings(service);
  await over;
  return alerts.stop();
}

async function appeared(url: string): Promise<Response> {
  const until = Date.now() + appearsMs;
  for (;;) {
    const answer = await fetch(url, { headers: { 'accept-encoding': 'identity' } });
    if (answer.status === 200) return answer;
    if (Date.now() > until) throw new Error(`${url} answers ${answer.status}`);
    await pause(200);
  }
}
