// One connection: data sent, and what comes back read until it is what was waited for.
import type { Socket } from 'node:net';
import { type Fault, type Phase, streamFault, timeoutFault } from '../../parts/connection/fault.ts';
import { type Place, reach } from '../../parts/connection/reach.ts';
import { stopped } from '../../parts/findings/light.ts';
import type { EgressGuard } from '../../kind.ts';

/** The most that is read, bytes. */
export const mostBytes: number = 64 * 1024;
/** How long nothing more may come before what came is all, where what must not come is asked about, ms. */
const quietMs = 250;

/** How often what came is looked at, at most, ms: it may come a byte at a time, and a look is at all of it. */
const lookMs = 50;

/** What is said and waited for. */
export interface Talk {
  readonly place: Place;
  readonly family: 0 | 4 | 6;
  readonly data: string;
  /** Whether what came is what was waited for, or need not be waited for any more; null = nothing is waited for. */
  readonly isEnough: ((text: string) => Promise<'yes' | 'no' | 'never'>) | null;
  /** More could still make it wrong: the end is a silence. */
  readonly waitsForSilence: boolean;
  /** ms for all of it. */
  readonly limitMs: number;
}

/** What came of it. Instants are of `performance.now()`; 0 = not reached. */
export interface Talked {
  readonly startedAt: number;
  resolvedAt: number;
  connectedAt: number;
  /** When the last data came that was needed. */
  dataAt: number;
  endedAt: number;
  address: string | null;
  bytes: Buffer[];
  length: number;
  isCut: boolean;
  fault: Fault | null;
  /** The time was up while data was waited for. */
  isLate: boolean;
}

/** Connects and talks. Never rejects: what went wrong stands in `fault`. */
export function talk(means: Talk, guard: EgressGuard, signal: AbortSignal): Promise<Talked> {
  const { promise, resolve } = Promise.withResolvers<Talked>();
  const { place, limitMs } = means;
  const seen: Talked = {
    startedAt: performance.now(),
    resolvedAt: 0,
    connectedAt: 0,
    dataAt: 0,
    endedAt: 0,
    address: null,
    bytes: [],
    length: 0,
    isCut: false,
    fault: null,
    isLate: false,
  };
  let giveUp = (): void => {};
  const where = (): string => {
    const host = seen.address ?? place.host;
    return `${host.includes(':') ? `[${host}]` : host}:${place.port}`;
  };
  const finish = (fault: Fault | null): void => {
    if (seen.endedAt > 0) return;
    seen.endedAt = performance.now();
    seen.fault = fault;
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    giveUp();
    resolve(seen);
  };
  const onAbort = (): void => finish(stopped);
  const timer = setTimeout(() => {
    if (seen.connectedAt === 0 || means.isEnough === null) return finish(timeoutFault(limitMs, phaseOf(seen), where()));
    seen.isLate = true;
    finish(null);
  }, limitMs);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  const stop = reach(place, seen, { guard, family: means.family }, where, (reached) => {
    if ('fault' in reached) return finish(reached.fault);
    giveUp = () => reached.socket.destroy();
    exchange(reached.socket, means, seen, finish, (error) =>
      finish(streamFault(error, where(), phaseOf(seen), performance.now() - seen.startedAt)),
    );
  });
  // What failed at once has ended already; what is connected at once cannot be.
  if (seen.endedAt === 0) giveUp = stop;
  else stop();
  return promise;
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
  const looks = startLooking(isEnough, waitsForSilence, seen, () => finish(null));
  socket.on('data', (chunk: Buffer) => {
    seen.dataAt = performance.now();
    seen.isCut = seen.length + chunk.length > mostBytes;
    const kept = chunk.subarray(0, mostBytes - seen.length);
    seen.bytes.push(kept);
    seen.length += kept.length;
    if (seen.isCut) finish(null);
    else looks.onData();
  });
  socket.once('end', () => finish(null));
  socket.once('close', () => {
    looks.stop();
    finish(null);
  });
}

/** Looks at what has come, now and then, one look at a time, until it is what was waited for. */
function startLooking(
  isEnough: NonNullable<Talk['isEnough']>,
  waitsForSilence: boolean,
  seen: Talked,
  finish: () => void,
) {
  let silence: NodeJS.Timeout | undefined;
  let nextLook: NodeJS.Timeout | undefined;
  let lookFrom = Number.NEGATIVE_INFINITY;
  let isLooking = false;
  const look = async (): Promise<void> => {
    nextLook = undefined;
    isLooking = true;
    const { length, dataAt } = seen;
    const beganAt = performance.now();
    const found = await isEnough(textOf(seen));
    isLooking = false;
    // A look that takes long leaves time for those of others.
    lookFrom = performance.now() + Math.max(lookMs, 4 * (performance.now() - beganAt));
    if (seen.endedAt > 0) return;
    if (found === 'never') return finish();
    if (found === 'yes' && !waitsForSilence) {
      // What came meanwhile was not needed.
      Object.assign(seen, { dataAt, length, bytes: [Buffer.concat(seen.bytes).subarray(0, length)] });
      return finish();
    }
    if (length < seen.length) lookSoon();
    else if (found === 'yes') silence = setTimeout(finish, quietMs);
  };
  const lookSoon = (): void => {
    if (isLooking) return;
    const wait = lookFrom - performance.now();
    if (wait <= 0 && nextLook === undefined) void look();
    else nextLook ??= setTimeout(() => void look(), wait);
  };
  return {
    onData(): void {
      clearTimeout(silence);
      lookSoon();
    },
    stop(): void {
      clearTimeout(silence);
      clearTimeout(nextLook);
    },
  };
}

/** What came, as text. */
export function textOf({ bytes }: Talked): string {
  return Buffer.concat(bytes).toString();
}
