// Pings sent by the machine's own program, which has the right to: Node.js has no such sockets (docs/decisions/0075).
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { isIP } from 'node:net';
import type { Readable } from 'node:stream';

/** What came back of a number of pings. */
export interface Pinged {
  readonly sent: number;
  /** The round trip of each ping by its number, ms; those without an answer are not there. */
  readonly roundTrips: ReadonlyMap<number, number>;
  /** Why nothing can be said of the target; null = it can. */
  readonly ownFault: string | null;
}

/** s between two pings: as close as everybody may send them. */
const intervalSeconds = 0.2;
/** How long the last answer is waited for, s. */
const waitSeconds = 2;
const mostOutput = 64 * 1024;

/** Where the program is: by its full path, never by whatever PATH says. */
const places = ['/usr/bin/ping', '/bin/ping', '/sbin/ping', '/usr/sbin/ping'];

/** The program of this machine; null = there is none. */
export function findPing(): string | null {
  return places.find((path) => existsSync(path)) ?? null;
}

/** How long so many pings take at most, ms. */
export function longestMs(count: number): number {
  return (count * intervalSeconds + waitSeconds + 1) * 1000;
}

/** The words after the program's name: numbers, and an address that is one, so that none can be taken for an option. */
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
    // A reply that comes twice counts once.
    if (!roundTrips.has(Number(number))) roundTrips.set(Number(number), Number(ms));
  }
  if (signal.aborted) return nothing('the probe was stopped before it finished');
  if (sent > 0 && (roundTrips.size > 0 || complaints === '')) return { sent, roundTrips, ownFault: null };
  const lines = complaints.split('\n');
  const why = lines.find((line) => telling.test(line)) ?? lines[0] ?? '';
  const plain =
    why === '' ? `${program} ${hasEnded ? 'printed nothing that Tocsin understands' : 'did not finish'}` : why;
  return nothing(`this machine cannot send pings: ${plain.slice(0, 200)}`);
}

/** The line that says why, among those that say what was tried. */
const telling = /permitted|denied|unreachable|no such/i;

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
  // Nothing of ours in its environment; English, because it is read.
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
  // First: where nothing could be started, as where file descriptors have run out, there may be no output either.
  child.once('error', (error) => {
    complaints ||= error.message;
    if (child.pid === undefined) done();
  });
  child.once('close', done);
  readOutput(child.stdout, (text) => (output = (output + text).slice(0, mostOutput)));
  readOutput(child.stderr, (text) => (complaints = (complaints + text).slice(0, mostOutput)));
  if (signal.aborted) end();
  return promise;
}

function readOutput(stream: Readable | null, onText: (text: string) => void): void {
  stream?.on('data', (chunk: Buffer) => onText(chunk.toString()));
}

/** Why this machine cannot send pings, in a sentence; null = it can. Tries one, to itself. */
export async function pingProblem(command: string | null): Promise<string | null> {
  return (await ping(command, '127.0.0.1', 1, new AbortController().signal)).ownFault;
}
