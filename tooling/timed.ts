// Runs an npm script and says at the end how long it took, what its host took of the processors for others meanwhile, and how quick
// the machine is at what tests do most: timed.ts test:whole. Passes when the script does.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpus } from 'node:os';
import { countStolen } from '../bench/support/machine.ts';
import { median } from '../bench/support/numbers.ts';

const [script, ...rest] = process.argv.slice(2);
if (script === undefined) throw new Error('which script? name it as package.json does');

/** How long a process that does nothing takes from its start to its end, ms: hundreds are started, on some hosts at twice the price. */
function startsTakeMs(): number {
  const takes = Array.from({ length: 9 }, () => {
    const startedAt = performance.now();
    spawnSync(process.execPath, ['--eval', '0']);
    return performance.now() - startedAt;
  });
  return median(takes);
}

const startMs = startsTakeMs();
const startedAt = performance.now();
const stolenSince = process.platform === 'linux' ? countStolen() : () => 0;
const child = spawn('npm', ['run', script, ...rest], { stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
const [code] = (await once(child, 'close')) as [number | null];
const seconds = Math.round((performance.now() - startedAt) / 1000);
const took = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')} min`;
const machine = `${cpus().length} processors (${cpus()[0]?.model.trim() ?? 'unknown'})`;
const stolen = `${(100 * stolenSince()).toFixed(0)} % of their time taken for others on its host`;
const pace = `where a bare start of Node.js took ${startMs.toFixed(0)} ms before`;
process.stdout.write(`# ${script}: ${code === 0 ? 'passed' : 'failed'} in ${took} on ${machine}, ${stolen}, ${pace}\n`);
process.exitCode = code ?? 1;
