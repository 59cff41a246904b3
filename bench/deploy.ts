// Deployments of a thousand checks: their duration, and what other writes and alerts wait for meanwhile.
import { startFailingPings } from './support/failing-pings.ts';
import type { Bench, BenchOptions, Row } from './support/report.ts';
import { seedAccount } from './support/seed.ts';
import { pause, type Service, startService } from './support/service.ts';

const checks = 1000;

export const deployBench: Bench = {
  about: 'deployments of 1,000 checks; waits of other writes and of alerts meanwhile',
  async run({ folder, isQuick, profileFolder, say }: BenchOptions) {
    const dataDir = `${folder}/deploy`;
    await seedAccount(dataDir);
    const service = await startService({ dataDir, profileFolder });
    const alerts = await startFailingPings(service);
    const writes = startWrites(service);
    const rounds = isQuick ? 1 : 3;
    const took = { created: 0, unchanged: 0, changed: 0, removed: 0 };
    for (let round = 0; round < rounds; round++) {
      say(`round ${round + 1} of ${rounds}`);
      for (const [what, frequency, count] of [
        ['created', 10, checks],
        ['unchanged', 10, checks],
        ['changed', 5, checks],
        ['removed', 5, 0],
      ] as const) {
        took[what] = Math.max(took[what], await deploy(service, declared(count, frequency)));
      }
    }
    const [waited, alerted] = [await writes.stop(), await alerts.stop()];
    await service.stop();
    const duration = (figure: string, ms: number, atMost?: number): Row => ({
      figure,
      value: ms / 1000,
      unit: 's',
      ...(atMost !== undefined && { atMost }),
    });
    return {
      rows: [
        duration('1,000 checks created', took.created, 10),
        duration('nothing to do', took.unchanged, 5),
        duration('1,000 checks changed', took.changed, 10),
        duration('1,000 checks removed', took.removed),
        { figure: 'other write, longest', value: Math.max(...waited), unit: 'ms', atMost: 100 },
        { figure: 'alert, longest', value: Math.max(...alerted), unit: 'ms', atMost: 1000 },
      ],
      notes: [
        `${rounds} rounds, the longest of each; ${waited.length} writes of one client, ${alerted.length} alerts after a failing ping`,
      ],
      faults: alerted.length === 0 ? ['no alert arrived'] : [],
    };
  },
};

function declared(count: number, frequency: number): object[] {
  const groups = Array.from({ length: count / 50 }, (_, index) => ({
    type: 'check-group',
    logicalId: `group ${index}`,
    payload: { name: `Group ${index}` },
  }));
  const all = Array.from({ length: count }, (_, index) => ({
    type: 'check',
    logicalId: `check ${index}`,
    payload: {
      checkType: 'API',
      name: `Check ${index}`,
      frequency,
      activated: false,
      tags: ['bench', `team-${index % 20}`],
      groupId: { ref: `group ${Math.floor(index / 50)}` },
      request: {
        method: 'GET',
        url: `https://shop.example/${index}`,
        headers: [{ key: 'accept', value: 'application/json' }],
        assertions: [{ source: 'STATUS_CODE', comparison: 'EQUALS', target: '200' }],
      },
    },
  }));
  return [...groups, ...all];
}

/** Deploys, and returns the time until the end, ms. */
async function deploy(service: Service, resources: readonly object[]): Promise<number> {
  const at = performance.now();
  const begun = await service.call('POST', '/v1/projects/bench/deployments', { resources, prune: true });
  const { id } = begun.body as { id: string };
  for (;;) {
    const seen = await service.call('GET', `/v1/projects/bench/deployments/${id}`);
    const { status, error } = seen.body as { status: string; error: unknown };
    if (status === 'SUCCEEDED') return performance.now() - at;
    if (status !== 'RUNNING') throw new Error(`the deployment ended: ${status} ${JSON.stringify(error)}`);
    await pause(20);
  }
}

/** One client that changes a variable again and again. */
function startWrites(service: Service) {
  const waits: number[] = [];
  const over = new AbortController();
  const ended = (async () => {
    await service.call('POST', '/v1/variables', { key: 'BENCH', value: '0' });
    while (!over.signal.aborted) {
      const at = performance.now();
      await service.call('PUT', '/v1/variables/BENCH', { value: String(waits.length) });
      waits.push(performance.now() - at);
      await pause(5);
    }
  })();
  return {
    async stop(): Promise<readonly number[]> {
      over.abort();
      await ended;
      return waits;
    },
  };
}
