// Runs npm scripts at the same time, for those that wait most of their time: each line bears the number of its script.
// together.ts "chaos -- kill --rounds 10 then static" "chaos -- postgres --minutes 1"; passes when all of them do.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

const wanted = process.argv.slice(2);
const running = new Set<ChildProcess>();

/** Runs one; answers with whether it passed. */
async function run(script: string, number: number): Promise<boolean> {
  const startedAt = performance.now();
  // A group of its own, so that it ends with all that it has started.
  const child = spawn('npm', ['run', ...script.split(' ')], { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  running.add(child);
  for (const input of [child.stdout, child.stderr]) {
    createInterface({ input }).on('line', (line) => void process.stdout.write(`${number} ${line}\n`));
  }
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  running.delete(child);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  process.stdout.write(`# ${script}: ${code === 0 ? 'passed' : `ended with ${code ?? signal}`} in ${seconds} s\n`);
  return code === 0;
}

/** Those of one word, one after the other, whatever comes of them; answers with whether all passed. */
async function runInTurn(scripts: string, number: number): Promise<boolean> {
  const outcomes: boolean[] = [];
  for (const script of scripts.split(' then ')) outcomes.push(await run(script, number));
  return outcomes.every(Boolean);
}

if (wanted.length === 0)
  throw new Error(
    'which scripts? name each as one word, with what follows it, and those that wait for it behind "then"',
  );
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    for (const { pid } of running) if (pid !== undefined) process.kill(-pid, signal);
  });
}
const outcomes = await Promise.all(wanted.map((scripts, index) => runInTurn(scripts, index + 1)));
if (!outcomes.every(Boolean)) process.exitCode = 1;
