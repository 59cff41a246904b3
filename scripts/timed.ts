// Runs an npm script and says at the end how long it took, and what its host took of the processors for others meanwhile:
// timed.ts test:whole. Passes when the script does.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpus } from 'node:os';
import { countStolen } from '../bench/support/machine.ts';
import { putBehind } from './put-behind.ts';

/**
 * Behind nobody who matters, and near what checks' scripts have, 19: where tests take all there is, a script that is to have its
 * answer within 10 s would otherwise wait for its first line as long.
 */
const niceness = 15;

const [script, ...rest] = process.argv.slice(2);
if (script === undefined) throw new Error('which script? name it as package.json does');
const startedAt = performance.now();
const stolenSince = process.platform === 'linux' ? countStolen() : () => 0;
// In a session of its own: that of whoever asks stays as it is.
const child = spawn('npm', ['run', script, ...rest], { stdio: 'inherit', detached: true });
if (child.pid !== undefined) putBehind(child.pid, niceness);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    if (child.pid !== undefined) process.kill(-child.pid, signal);
  });
}
const [code] = (await once(child, 'close')) as [number | null];
const seconds = Math.round((performance.now() - startedAt) / 1000);
const took = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')} min`;
const machine = `${cpus().length} processors (${cpus()[0]?.model.trim() ?? 'unknown'})`;
const stolen = `${(100 * stolenSince()).toFixed(0)} % of their time taken for others on its host`;
process.stdout.write(`# ${script}: ${code === 0 ? 'passed' : 'failed'} in ${took} on ${machine}, ${stolen}\n`);
process.exitCode = code ?? 1;
