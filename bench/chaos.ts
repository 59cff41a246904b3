// npm run chaos -- kill: what the service promises must hold however often it is killed.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { chaosOfKills } from './chaos/kill.ts';
import type { Verdict } from './chaos/judge.ts';

const usage = `npm run chaos -- kill [--rounds 10] [--seed N]

  kill  200 scripted checks at 10 s, signed alerts, API writes; kill -9 at random moments, restarted each time

  --rounds  how many kills (1 to 1000)
  --seed    repeats the moments of an earlier run; random otherwise, and printed
`;
const shownBreaches = 10;

await main();

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { rounds: { type: 'string', default: '10' }, seed: { type: 'string' } },
  });
  const rounds = Number(values.rounds);
  const seed = values.seed === undefined ? Math.floor(Math.random() * 2 ** 32) : Number(values.seed);
  const isRight = Number.isInteger(rounds) && rounds >= 1 && rounds <= 1000 && Number.isInteger(seed);
  if (positionals.join(' ') !== 'kill' || !isRight) {
    process.stdout.write(usage);
    process.exit(positionals.length === 0 ? 0 : 2);
  }
  const data = fileURLToPath(new URL('../data', import.meta.url));
  mkdirSync(data, { recursive: true });
  const dataDir = mkdtempSync(join(data, 'chaos-kill-'));
  const startedAt = performance.now();
  const seconds = (): string => ((performance.now() - startedAt) / 1000).toFixed(1);
  const say = (what: string): void => void process.stdout.write(`${seconds().padStart(6)} s  ${what}\n`);
  say(`${rounds} rounds, seed ${seed}`);
  const verdicts = await chaosOfKills({ dataDir, rounds, seed, say });
  const isKept = verdicts.every(({ breaches }) => breaches.length === 0);
  process.stdout.write(`\n${table(verdicts)}\n`);
  if (isKept) rmSync(dataDir, { recursive: true });
  else {
    process.stdout.write(`\nThe database is kept in ${dataDir}; repeat with --rounds ${rounds} --seed ${seed}\n`);
    process.exitCode = 1;
  }
}

function table(verdicts: readonly Verdict[]): string {
  const width = Math.max(...verdicts.map(({ promise }) => promise.length));
  return verdicts
    .flatMap(({ promise, tried, breaches }) => [
      `${promise.padEnd(width)}  ${String(tried).padStart(7)}  ${breaches.length === 0 ? 'held' : `BROKEN ${breaches.length} times`}`,
      ...breaches.slice(0, shownBreaches).map((breach) => `    ${breach}`),
    ])
    .join('\n');
}
