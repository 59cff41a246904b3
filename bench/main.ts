// npm run bench -- <name>: performance of Tocsin, compared with required values and with the same work done plainly.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { browserBench } from './browser.ts';
import { checkBench } from './check.ts';
import { deployBench } from './deploy.ts';
import { deliverBench } from './deliver.ts';
import { heartbeatBench } from './heartbeat.ts';
import { historyBench } from './history.ts';
import { hostileBench } from './hostile.ts';
import { postgresBench } from './postgres.ts';
import { restBench } from './rest.ts';
import { scheduleBench } from './schedule.ts';
import { statusBench } from './status.ts';
import { countStolen, describeMachine, asJson, asTable, type Bench, engineNames, isPassed } from './support/report.ts';
import { webBench } from './web.ts';

const benches: Readonly<Record<string, Bench>> = {
  deliver: deliverBench,
  deploy: deployBench,
  hostile: hostileBench,
  check: checkBench,
  schedule: scheduleBench,
  rest: restBench,
  status: statusBench,
  heartbeat: heartbeatBench,
  browser: browserBench,
  postgres: postgresBench,
  history: historyBench,
  web: webBench,
};

const usage = `npm run bench -- <name> [--json] [--quick] [--profile] [--results N] [--engine NAME]

${Object.entries(benches)
  .map(([name, { about }]) => `  ${name.padEnd(10)}${about}`)
  .join('\n')}

  --json     prints the report as JSON on stdout and progress on stderr
  --quick    shorter runs, to test the benchmark itself; the figures are not meaningful
  --profile  writes CPU profiles of the service to data/profiles
  --results  number of results for the history benchmark
  --engine   SQLite or PostgreSQL: measures only that engine (history)
`;

await main();

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      json: { type: 'boolean' },
      quick: { type: 'boolean' },
      profile: { type: 'boolean' },
      results: { type: 'string' },
      engine: { type: 'string' },
    },
  });
  const [name = ''] = positionals;
  const bench = benches[name];
  if (bench === undefined || positionals.length > 1) {
    process.stdout.write(usage);
    if (positionals.length === 0) return;
    process.stderr.write(`bench: unknown benchmark ${positionals.join(' ')}\n`);
    process.exit(2);
  }
  const engine = engineNames.find((each) => each === values.engine) ?? null;
  if (engine === null && values.engine !== undefined) {
    process.stderr.write(`bench: unknown engine ${values.engine}; use ${engineNames.join(' or ')}\n`);
    process.exit(2);
  }
  const data = fileURLToPath(new URL('../data', import.meta.url));
  mkdirSync(join(data, 'profiles'), { recursive: true });
  const folder = mkdtempSync(join(data, `bench-${name}-`));
  const startedAt = performance.now();
  try {
    const described = describeMachine(folder);
    const stolen = countStolen();
    const findings = await bench.run({
      folder,
      isQuick: values.quick === true,
      results: values.results === undefined ? null : Number(values.results),
      engine,
      profileFolder: values.profile === true ? join(data, 'profiles') : null,
      say: (what) =>
        process.stderr.write(`${((performance.now() - startedAt) / 1000).toFixed(1).padStart(6)} s  ${what}\n`),
    });
    const machine = { ...described, stolenShare: stolen() };
    const text = values.json === true ? asJson(name, machine, findings) : asTable(name, machine, findings);
    process.stdout.write(`${text}\n`);
    process.exitCode = isPassed(findings) ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
