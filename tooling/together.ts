// Runs npm scripts at the same time, for those that wait most of their time: each line bears the number of its script.
// together.ts "chaos -- kill --rounds 10 then static" "chaos -- postgres --minutes 1"; passes when all of them do. What one
// that failed said last is told again at the end: the lines of the others stand between it and who looks for it there.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

const wanted = process.argv.slice(2);
const running = new Set<ChildProcess>();
/** How many lines of one that failed are told again: enough for what a test run says of its failures. */
const toldAgain = 60;

/** One that has ended: whether it passed, the line about that, and its last lines. */
interface Ended {
  passed: boolean;
  verdict: string;
  last: string[];
}

async function run(script: string, number: number): Promise<Ended> {
  const startedAt = performance.now();
  // A group of its own, so that it ends with all that it has started.
  const child = spawn('npm', ['run', ...script.split(' ')], { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  running.add(child);
  const last: string[] = [];
  for (const input of [child.stdout, child.stderr]) {
    createInterface({ input }).on('line', (line) => {
      process.stdout.write(`${number} ${line}\n`);
      last.push(line);
      if (last.length > toldAgain) last.shift();
    });
  }
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  running.delete(child);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  const verdict = `# ${script}: ${code === 0 ? 'passed' : `ended with ${code ?? signal}`} in ${seconds} s\n`;
  process.stdout.write(verdict);
  return { passed: code === 0, verdict, last };
}

/** Those of one word, one after the other, whatever comes of them. */
async function runInTurn(scripts: string, number: number): Promise<Ended[]> {
  const ended: Ended[] = [];
  for (const script of scripts.split(' then ')) ended.push(await run(script, number));
  return ended;
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
const ended = await Promise.all(wanted.map((scripts, index) => runInTurn(scripts, index + 1)));
for (const { verdict, last } of ended.flat().filter(({ passed }) => !passed)) {
  process.stdout.write(`\n${verdict}${last.map((line) => `  ${line}\n`).join('')}`);
  process.exitCode = 1;
}
