// Visitors of a status page, compared with a plain server that sends the same bytes.
import { besideBareServer } from './support/beside-bare-server.ts';
import { startPeer } from './support/peer.ts';
import type { Bench } from './support/report.ts';
import { apiCheck, seedAccount, seedChecks } from './support/seed.ts';
import { startService } from './support/service.ts';

const [services, checksOfService] = [20, 5];
const path = '/status/bench/';
/** How long the page may take to appear, ms. */
const appearsMs = 30_000;

export const statusBench: Bench = {
  about: 'visitors per second of a status page, compared with a plain server with the same bytes',
  async run({ folder, isQuick, profileFolder, say }) {
    const dataDir = `${folder}/status`;
    const accountId = await seedAccount(dataDir);
    const tagOf = (index: number): string => `service-${index % services}`;
    await seedChecks(
      dataDir,
      Array.from({ length: services * checksOfService }, (_, index) =>
        apiCheck(accountId, `http://127.0.0.1:9/${index}`, {
          name: `check ${index}`,
          tags: [tagOf(index)],
          frequency: 1440,
          frequencyOffset: null,
        }),
      ),
    );
    const [bare, load] = [startPeer('bare-server'), startPeer('load')];
    const bareAddress = await bare.ask<string>('listen');
    const service = await startService({ dataDir, profileFolder });
    const ids: string[] = [];
    for (let index = 0; index < services; index++) {
      const { body } = await service.call('POST', '/v1/status-pages/services', {
        name: `Service ${index}`,
        tags: [tagOf(index)],
      });
      ids.push((body as { readonly id: string }).id);
    }
    const cards = [{ name: 'All', services: ids }];
    await service.call('POST', '/v1/status-pages', { name: 'Bench', url: 'bench', cards });
    say(`GET ${path}, interleaved with the plain server`);
    const answer = await appeared(`${service.address}${path}`);
    const sample = { status: answer.status, headers: answer.headers, body: await answer.text() };
    const peers = { service, bare, bareAddress, load };
    const { row, wrong } = await besideBareServer({ path, sample, ratioAtLeast: 0.5, ...peers }, isQuick ? 1000 : 3000);
    await service.stop();
    await Promise.all([bare.stop(), load.stop()]);
    return {
      rows: [row, { figure: 'visitors per second', value: row.value, unit: '/s', atLeast: 1000 }],
      notes: [`${services} services, ${sample.body.length} bytes`],
      faults: wrong === 0 ? [] : [`${wrong} responses were not a 200 with a length`],
    };
  },
};

async function appeared(url: string): Promise<Response> {
  const until = Date.now() + appearsMs;
  for (;;) {
    const answer = await fetch(url, { headers: { 'accept-encoding': 'identity' } });
    if (answer.status === 200) return answer;
    if (Date.now() > until) throw new Error(`${url} answers ${answer.status}`);
    await new Promise((resolve) => void setTimeout(resolve, 200));
  }
}
