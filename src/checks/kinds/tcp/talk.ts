// One connection: sends data and reads until the expected data was received.
import type { Socket } from 'node:net';
import type { Fault, Phase } from '../../parts/connection/fault.ts';
import { type Attempt, attempt, emptyAttempt, type Endpoint } from '../../parts/connection/reach.ts';
import type { EgressGuard } from '../../kind.ts';

/** Maximum bytes read. */
export const maxBytes: number = 64 * 1024;
/** How long the connection must be silent before negative assertions are evaluated. */
const quietMs = 250;

/** Minimum interval between evaluations, because data may arrive byte by byte and each evaluation covers all of it. */
const pollMs = 50;

/** What to send and to wait for. */
export interface Talk {
  readonly place: Endpoint;
  readonly family: 0 | 4 | 6;
  readonly data: string;
  /** Whether the data is complete or can no longer match; null = do not wait. */
  readonly isEnough: ((text: string) => Promise<'yes' | 'no' | 'never'>) | null;
  /** Whether more data could still break an assertion, so that a silence must follow. */
  readonly waitsForSilence: boolean;
  /** Time limit in ms. */
  readonly limitMs: number;
}

/** Outcome. Times are from `performance.now()`; 0 = not reached. */
export interface Talked extends Attempt {
  /** Time of the last relevant data. */
  dataAt: number;
  bytes: Buffer[];
  length: number;
  isCut: boolean;
  /** Whether the time limit was reached while waiting for data. */
  isLate: boolean;
}

/** Connects and exchanges data. Never rejects; failures are in `fault`. */
export function talk(deps: Talk, guard: EgressGuard, signal: AbortSignal): Promise<Talked> {
  const seen: Talked = { ...emptyAttempt(), dataAt: 0, bytes: [], length: 0, isCut: false, isLate: false };
  return attempt(
    seen,
    { ...deps, guard, signal },
    phaseOf,
    (socket, finish, fail) => {
      exchange(socket, deps, seen, finish, fail);
      return () => socket.destroy();
    },
    (fault) => {
      seen.isLate = seen.connectedAt > 0 && deps.isEnough !== null;
      return seen.isLate ? null : fault;
    },
  );
}

function phaseOf({ resolvedAt, connectedAt, dataAt }: Talked): Phase {
  if (resolvedAt === 0) return 'dns';
  if (connectedAt === 0) return 'connect';
  return dataAt === 0 ? 'firstByte' : 'download';
}

function exchange(
  socket: Socket,
  { data, isEnough, waitsForSilence }: Talk,
  seen: Talked,
  finish: (fault: Fault | null) => void,
  fail: (error: unknown) => void,
): void {
  socket.on('error', fail);
  if (isEnough === null) {
    if (data === '') return finish(null);
    socket.write(data, (error) => {
      if (error) fail(error);
      else finish(null);
    });
    return;
  }
  if (data !== '') socket.write(data);
  const poller = startPolling(isEnough, waitsForSilence, seen, () => finish(null));
  socket.on('data', (chunk: Buffer) => {
    seen.dataAt = performance.now();
    seen.isCut = seen.length + chunk.length > maxBytes;
    const kept = chunk.subarray(0, maxBytes - seen.length);
    seen.bytes.push(kept);
    seen.length += kept.length;
    if (seen.isCut) finish(null);
    else poller.onData();
  });
  socket.once('end', () => finish(null));
  socket.once('close', () => {
    poller.stop();
    finish(null);
  });
}

/** Evaluates received data from time to time until it is complete. */
function startPolling(
  isEnough: NonNullable<Talk['isEnough']>,
  waitsForSilence: boolean,
  seen: Talked,
  finish: () => void,
) {
  let silence: NodeJS.Timeout | undefined;
  let nextPoll: NodeJS.Timeout | undefined;
  let pollFrom = Number.NEGATIVE_INFINITY;
  let isPolling = false;
  const poll = async (): Promise<void> => {
    nextPoll = undefined;
    isPolling = true;
    const { length, dataAt } = seen;
    const beganAt = performance.now();
    const found = await isEnough(textOf(seen));
    isPolling = false;
    // A slow evaluation must leave time for other checks.
    pollFrom = performance.now() + Math.max(pollMs, 4 * (performance.now() - beganAt));
    if (seen.endedAt > 0) return;
    if (found === 'never') return finish();
    if (found === 'yes' && !waitsForSilence) {
      // Drop later data, which was not needed.
      Object.assign(seen, { dataAt, length, bytes: [Buffer.concat(seen.bytes).subarray(0, length)] });
      return finish();
    }
    if (length < seen.length) pollSoon();
    else if (found === 'yes') silence = setTimeout(finish, quietMs);
  };
  const pollSoon = (): void => {
    if (isPolling) return;
    const wait = pollFrom - performance.now();
    if (wait <= 0 && nextPoll === undefined) void poll();
    else nextPoll ??= setTimeout(() => void poll(), wait);
  };
  return {
    onData(): void {
      clearTimeout(silence);
      pollSoon();
    },
    stop(): void {
      clearTimeout(silence);
      clearTimeout(nextPoll);
    },
  };
}

/** Received data as text. */
export function textOf({ bytes }: Talked): string {
  return Buffer.concat(bytes).toString();
}
