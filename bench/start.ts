// Cost of a start until the process is ready: time, CPU, memory, and modules loaded by its main thread.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startPostgres } from '../tests/support/postgres/postgres.ts';
import { median } from './support/numbers.ts';
import type { Bench, BenchOptions, Row } from './support/report.ts';
import { pause, startService } from './support/service.ts';

const counter = new URL('peers/count-modules.mjs', import.meta.url);

export const startBench: Bench = {
  about: 'time, CPU, memory and modules of a start until ready: all roles on SQLite, a scheduler on PostgreSQL',
  async run(options) {
    const server = await startPostgres();
    try {
      const { url } = await server.newDatabase();
      const bare = bareStart();
      return {
        rows: [
          ...(await measure('every role, SQLite', {}, options, bare)),
          ...(await measure('scheduler, PostgreSQL', { DATABASE_URL: url, TOCSIN_ROLES: 'scheduler' }, options, bare)),
        ],
        notes: ['Starts on an existing database with the compile cache of earlier starts; medians.'],
        faults: [],
      };
    } finally {
      await server.stop();
    }
  },
};

async function measure(
  what: string,
  environment: Readonly<Record<string, string>>,
  { folder, isQuick, say }: BenchOptions,
  bare: number,
): Promise<Row[]> {
  const dataDir = join(folder, what.replaceAll(/\W+/g, '-'));
  // The first starts create the database and the compile cache, which is written after some seconds.
  for (let warmed = 0; warmed < 2; warmed++) {
    const service = await startService({ dataDir, environment });
    await pause(6000);
    await service.stop();
  }
  const found = { readyMs: [] as number[], cpu: [] as number[], memory: [] as number[] };
  for (let round = 0; round < (isQuick ? 3 : 11); round++) {
    const service = await startService({ dataDir, environment });
    found.readyMs.push(service.readyAfterMs);
    found.cpu.push(service.cpuSeconds());
    found.memory.push(service.residentMb());
    await service.stop();
  }
  say(`${what}: CPU ${found.cpu.map((seconds) => seconds.toFixed(2)).join(', ')} s`);
  return [
    { figure: `${what}: ready after`, value: median(found.readyMs), unit: 'ms' },
    {
      figure: `${what}: CPU until then`,
      value: median(found.cpu),
      unit: 's',
      limit: { what: 'Node.js alone', value: bare },
    },
    { figure: `${what}: memory`, value: median(found.memory), unit: 'MB RSS' },
    { figure: `${what}: modules of its main thread`, value: await countModules(dataDir, environment), unit: '' },
  ];
}

async function countModules(dataDir: string, environment: Readonly<Record<string, string>>): Promise<number> {
  const counts = join(dataDir, 'modules.txt');
  const counting = { NODE_OPTIONS: `--import=${counter.href}`, BENCH_MODULES: counts };
  const service = await startService({ dataDir, environment: { ...environment, ...counting } });
  await service.stop();
  return readFileSync(counts, 'utf8')
    .trim()
    .split('\n')
    .reduce((sum, line) => sum + Number(line), 0);
}

/** CPU seconds of an idle Node.js process. */
function bareStart(): number {
  const times = Array.from({ length: 5 }, () => {
    const program = `const { userCPUTime, systemCPUTime } = process.resourceUsage(); console.log(userCPUTime + systemCPUTime)`;
    return Number(spawnSync(process.execPath, ['-e', program], { encoding: 'utf8' }).stdout) / 1e6;
  });
  return median(times);
}
