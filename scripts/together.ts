// Runs npm scripts at the same time, each told as a whole when it ends: for those that wait most of their time.
// together.ts "chaos -- kill --rounds 10" "chaos -- postgres --minutes 1"; passes when all of them do.
import { spawn } from 'node:child_process';
import { once } from 'node:events';

const wanted = process.argv.slice(2);

/** Runs one; answers with whether it passed. */
async function run(script: string): Promise<boolean> {
  const startedAt = performance.now();
  const child = spawn('npm', ['run', ...script.split(' ')], { stdio: ['ignore', 'pipe', 'pipe'] });
  const told: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece: Buffer) => told.push(piece));
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  process.stdout.write(Buffer.concat(told));
  process.stdout.write(`# ${script}: ${code === 0 ? 'passed' : `ended with ${code ?? signal}`} in ${seconds} s\n`);
  return code === 0;
}

if (wanted.length === 0) throw new Error('which scripts? name each as one word, with what follows it');
const outcomes = await Promise.all(wanted.map((script) => run(script)));
if (!outcomes.every(Boolean)) process.exitCode = 1;
