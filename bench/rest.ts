// The API compared with a plain server that sends the same bytes, and a long list page by page.
import { besideBareServer } from './support/beside-bare-server.ts';
import { percentile, type Bench, type Findings, type Row } from './support/report.ts';
import { startPeer } from './support/peer.ts';
import { apiChecks, seedAccount, seedChecks } from './support/seed.ts';
import { type Service, startService } from './support/service.ts';

const checks = 10_000;
const perPage = 100;
const paths = ['/v1/runtimes', '/v1/accounts'] as const;

export const restBench: Bench = {
  about: 'requests per second compared with a plain server with the same bytes; a list of 10,000 checks by pages',
  async run(options) {
    const { folder, isQuick, profileFolder, say } = options;
    const dataDir = `${folder}/rest`;
    const accountId = await seedAccount(dataDir);
    // Once a day, because the list is measured, not the runs.
    const daily = { frequency: 1440, frequencyOffset: null };
    const change = (index: number) => ({ ...daily, name: `check ${index}` });
    await seedChecks(dataDir, apiChecks(accountId, checks, 'http://127.0.0.1:9', change));
    const [bare, load] = [startPeer('bare-server'), startPeer('load')];
    const bareAddress = await bare.ask<string>('listen');
    const service = await startService({ dataDir, profileFolder });
    const rows: Row[] = [];
    const faults: string[] = [];
    for (const path of paths) {
      say(`GET ${path}, interleaved with the plain server`);
      const answer = await service.call('GET', path);
      const sample = { status: answer.status, headers: answer.headers, body: JSON.stringify(answer.body) };
      const peers = { service, bare, bareAddress, load };
      const compared = await besideBareServer({ path, sample, ratioAtLeast: 0.6, ...peers }, isQuick ? 1000 : 3000);
      rows.push(compared.row);
      if (compared.wrong > 0) faults.push(`${compared.wrong} responses of ${path} were not a 200 with a length`);
    }
    say('pages');
    const pages = await readPages(service, isQuick ? 2 : 5);
    await service.stop();
    await Promise.all([bare.stop(), load.stop()]);
    return { rows: [...rows, ...pages.rows], notes: pages.notes, faults: [...faults, ...pages.faults] };
  },
};

/** Reads the complete list sequentially, page by page, several times. */
async function readPages(service: Service, rounds: number): Promise<Findings> {
  const times: number[] = [];
  const ids = new Set<string>();
  let ranges = 0;
  for (let round = 0; round <= rounds; round++) {
    for (let page = 1; page <= checks / perPage; page++) {
      const startedAt = performance.now();
      const answer = await service.call('GET', `/v1/checks?limit=${perPage}&page=${page}`);
      // The first round warms up both sides.
      if (round > 0) times.push(performance.now() - startedAt);
      for (const { id } of answer.body as { id: string }[]) ids.add(id);
      const first = (page - 1) * perPage;
      if (answer.headers.get('content-range') === `${first}-${first + perPage - 1}/${checks}`) ranges++;
    }
  }
  const p99 = percentile(times, 0.99);
  const p50 = percentile(times, 0.5);
  return {
    rows: [{ figure: `page of ${perPage} of ${checks} checks, p99`, value: p99, unit: 'ms', atMost: 20 }],
    notes: [`${times.length} pages read, p50 ${p50.toFixed(1)} ms, at the client, including JSON parsing`],
    faults: [
      ...(ids.size === checks ? [] : [`the pages contain ${ids.size} different checks instead of ${checks}`]),
      ...(ranges === (rounds + 1) * (checks / perPage) ? [] : [`only ${ranges} content-ranges were right`]),
    ],
  };
}
