// Sends pings with the machine's ping program, which has the privileges. Node.js has no ICMP sockets
// (docs/decisions/0075).
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { isIP } from 'node:net';
import type { Readable } from 'node:stream';

export interface Pinged {
  readonly sent: number;
  /** Round-trip times in ms by ping number. Unanswered pings are missing. */
  readonly roundTrips: ReadonlyMap<number, number>;
  /** Why this machine could not ping, or null. */
  readonly ownFault: string | null;
}

/** Shortest interval that is allowed without privileges. */
const intervalSeconds = 0.2;
/** Time to wait for the last reply. */
const waitSeconds = 2;
const maxOutput = 64 * 1024;

/** Full paths, independent of PATH. */
const places = ['/usr/bin/ping', '/bin/ping', '/sbin/ping', '/usr/sbin/ping'];

/** Returns the ping program of this machine, or null. */
export function findPing(): string | null {
  return places.find((path) => existsSync(path)) ?? null;
}

/** Maximum duration of a number of pings, in ms. */
export function longestMs(count: number): number {
  return (count * intervalSeconds + waitSeconds + 1) * 1000;
}

/** Builds the arguments: numbers and a validated address, so that none can be mistaken for an option. */
function wordsFor(address: string, count: number): string[] {
  if (isIP(address) === 0) throw new Error(`"${address}" is not an address`);
  const isDarwin = process.platform === 'darwin';
  const family = isDarwin ? [] : [isIP(address) === 6 ? '-6' : '-4'];
  const wait = isDarwin ? waitSeconds * 1000 : waitSeconds;
  return [...family, '-n', '-c', String(count), '-i', String(intervalSeconds), '-W', String(wait), address];
}

/** Sends `count` pings to an address. Never rejects. */
export async function ping(
  command: string | null,
  address: string,
  count: number,
  signal: AbortSignal,
): Promise<Pinged> {
  if (command === null) {
    return nothing(`this machine has no ping program (looked for ${places.join(', ')})`);
  }
  const program = process.platform === 'darwin' && isIP(address) === 6 ? `${command}6` : command;
  const { output, complaints, hasEnded } = await run(program, wordsFor(address, count), longestMs(count), signal);
  const sent = Number(/(\d+) packets transmitted/.exec(output)?.[1] ?? 0);
  const roundTrips = new Map<number, number>();
  for (const [, number, ms] of output.matchAll(/(?:icmp_seq|seq)=(\d+) .*time[=<]([\d.]+) ?ms/g)) {
    // Count duplicate replies once.
    if (!roundTrips.has(Number(number))) roundTrips.set(Number(number), Number(ms));
  }
  if (signal.aborted) return nothing('the probe was stopped before it finished');
  if (sent > 0 && (roundTrips.size > 0 || complaints === '')) return { sent, roundTrips, ownFault: null };
  const lines = complaints.split('\n');
  const why = lines.find((line) => explaining.test(line)) ?? lines[0] ?? '';
  const plain = why === '' ? `${program} ${hasEnded ? 'printed unexpected output' : 'did not finish'}` : why;
  return nothing(`this machine cannot send pings: ${plain.slice(0, 200)}`);
}

/** Finds the line with the reason in the output. */
const explaining = /permitted|denied|unreachable|no such/i;

function nothing(ownFault: string): Pinged {
  return { sent: 0, roundTrips: new Map(), ownFault };
}

interface Ran {
  readonly output: string;
  readonly complaints: string;
  readonly hasEnded: boolean;
}

function run(program: string, words: readonly string[], limitMs: number, signal: AbortSignal): Promise<Ran> {
  const { promise, resolve } = Promise.withResolvers<Ran>();
  // Passes no environment of ours. English output is parsed below.
  const child = spawn(program, words, { env: { LC_ALL: 'C' }, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  let complaints = '';
  let hasEnded = true;
  const end = (): void => {
    hasEnded = false;
    child.kill('SIGKILL');
  };
  const timer = setTimeout(end, limitMs);
  signal.addEventListener('abort', end, { once: true });
  const done = (): void => {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
    resolve({ output, complaints: complaints.trim(), hasEnded });
  };
  // If the program cannot start, for example without file descriptors, there may be no output either.
  child.once('error', (error) => {
    complaints ||= error.message;
    if (child.pid === undefined) done();
  });
  child.once('close', done);
  readOutput(child.stdout, (text) => (output = (output + text).slice(0, maxOutput)));
  readOutput(child.stderr, (text) => (complaints = (complaints + text).slice(0, maxOutput)));
  if (signal.aborted) end();
  return promise;
}

function readOutput(stream: Readable | null, onText: (text: string) => void): void {
  stream?.on('data', (chunk: Buffer) => onText(chunk.toString()));
}

/** Returns why this machine cannot send pings, or null. Pings itself to find out. */
export async function pingProblem(command: string | null): Promise<string | null> {
  return (await ping(command, '127.0.0.1', 1, new AbortController().signal)).ownFault;
}
