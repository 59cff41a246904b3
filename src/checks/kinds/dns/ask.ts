// A question to a name server over UDP or TCP, asked again while no answer comes, within one limit of time.
import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { isIP, type Socket } from 'node:net';
import { marginOfLimit } from '#domain/results/honest-finding.ts';
import { codeOf, type Fault, resolveFault, spoken } from '../../parts/connection/fault.ts';
import { reach } from '../../parts/connection/reach.ts';
import { stopped } from '../../parts/findings/light.ts';
import type { EgressGuard } from '../../kind.ts';
import { type DnsAnswer, isResponse, isTruncated, questionOf, readAnswer, readHead } from './message.ts';

/** After this long without an answer the question is asked again over UDP, ms: packets get lost. */
const againMs = 1500;

/** Where one may ask. */
export interface NameServer {
  /** Name or address. */
  readonly host: string;
  readonly port: number;
}

/** What is asked, of whom. */
export interface Asking {
  readonly name: string;
  readonly type: number;
  /** Asked in turn. */
  readonly servers: readonly NameServer[];
  readonly isTcp: boolean;
  /** ms for all of it. */
  readonly limitMs: number;
}

/** What came of it. Instants are of `performance.now()`; 0 = not reached. */
export interface Asked {
  readonly startedAt: number;
  resolvedAt: number;
  connectedAt: number;
  endedAt: number;
  /** The server that answered, or was asked last. */
  address: string | null;
  /** The answer did not fit into UDP, so it is asked for over TCP. */
  isTruncated: boolean;
  answer: DnsAnswer | null;
  fault: Fault | null;
}

/** Asks. Never rejects: what went wrong stands in `fault`. */
export function ask(asking: Asking, guard: EgressGuard, signal: AbortSignal): Promise<Asked> {
  const { promise, resolve } = Promise.withResolvers<Asked>();
  const seen: Asked = {
    startedAt: performance.now(),
    resolvedAt: 0,
    connectedAt: 0,
    endedAt: 0,
    address: null,
    isTruncated: false,
    answer: null,
    fault: null,
  };
  const ending: (() => void)[] = [];
  const finish = (outcome: { readonly answer: DnsAnswer } | { readonly fault: Fault }): void => {
    if (seen.endedAt > 0) return;
    seen.endedAt = performance.now();
    Object.assign(seen, seen.isTruncated && 'fault' in outcome ? { fault: afterTruncation(outcome.fault) } : outcome);
    for (const end of ending) end();
    resolve(seen);
  };
  const onAbort = (): void => finish({ fault: stopped });
  const timer = setTimeout(() => finish({ fault: silence(asking, seen) }), asking.limitMs);
  signal.addEventListener('abort', onAbort, { once: true });
  ending.push(
    () => clearTimeout(timer),
    () => signal.removeEventListener('abort', onAbort),
  );
  if (signal.aborted) onAbort();
  const means: Means = { asking, guard, seen, finish, onEnd: (end) => void ending.push(end) };
  if (asking.isTcp) askOverTcp(means, asking.servers[0]);
  else askOverUdp(means, 0);
  return promise;
}

function afterTruncation(fault: Fault): Fault {
  return { ...fault, message: `the answer over UDP was truncated, and over TCP: ${fault.message}` };
}

interface Means {
  readonly asking: Asking;
  readonly guard: EgressGuard;
  readonly seen: Asked;
  readonly finish: (outcome: { readonly answer: DnsAnswer } | { readonly fault: Fault }) => void;
  readonly onEnd: (end: () => void) => void;
}

function placeOf({ host, port }: NameServer, address: string | null): string {
  const shown = address ?? host;
  return `${shown.includes(':') ? `[${shown}]` : shown}:${port}`;
}

function silence({ servers, limitMs }: Asking, { address }: Asked): Fault {
  const [server] = servers;
  const place = server === undefined ? 'no name server' : placeOf(server, address);
  const message = `${place} did not respond within ${spoken(limitMs)}`;
  return { reason: 'timeout', message, timeMarginMs: marginOfLimit(limitMs) };
}

/** The answer to this question among what a server sends; null = it is none. @throws {RangeError} */
function answerIn(bytes: Buffer, id: number, { name, type }: Asking): DnsAnswer | null {
  // The number first: of what others send nothing is read.
  if (bytes.readUInt16BE(0) !== id) return null;
  const head = readHead(bytes);
  if ((head.flags & isResponse) === 0 || (head.flags & opcode) !== 0) return null;
  const { question } = head;
  // Who refuses a question need not repeat it.
  const isOurs =
    question === null
      ? head.codeNumber !== 0
      : question.type === type && question.name.toLowerCase() === name.toLowerCase();
  return isOurs ? readAnswer(bytes, head) : null;
}

function nonsense(error: unknown, place: string): Fault {
  // Node's own errors are about reads beyond the end.
  const isOurs = error instanceof RangeError && codeOf(error) === '';
  return {
    reason: 'protocol',
    message: `${place} sent a malformed answer: ${isOurs ? error.message : 'it is truncated'}`,
  };
}

/** Of a server that does not know EDNS (RFC 6891 §7). */
const withoutExtension: ReadonlySet<string> = new Set(['FORMERR', 'NOTIMP']);
/** Of another sort of query: its answer is none to ours. */
const opcode = 0x7800;

/** Asks one server, and after a while the next, or the same again; whichever answers first is believed. */
function askOverUdp(means: Means, turn: number): void {
  const { asking, guard, seen, finish, onEnd } = means;
  const server = asking.servers[turn % asking.servers.length];
  if (server === undefined || seen.endedAt > 0) return;
  const again = setTimeout(() => askOverUdp(means, turn + 1), againMs);
  onEnd(() => clearTimeout(again));
  const sendTo = (address: string): void => {
    if (seen.endedAt > 0) return;
    seen.resolvedAt ||= performance.now();
    seen.address = address;
    const place = placeOf(server, address);
    const id = randomInt(65_536);
    const socket = createSocket(isIP(address) === 6 ? 'udp6' : 'udp4');
    let isExtended = true;
    onEnd(() => socket.close());
    const fail = (error: unknown): void => {
      clearTimeout(again);
      if (turn + 1 < asking.servers.length) askOverUdp(means, turn + 1);
      else finish({ fault: sendFault(error, place) });
    };
    socket.on('error', fail);
    socket.on('message', (bytes) => {
      try {
        const answer = answerIn(bytes, id, asking);
        if (answer === null) return;
        seen.address = address;
        if (isExtended && withoutExtension.has(answer.code)) {
          isExtended = false;
          return socket.send(questionOf(id, asking.name, asking.type, false));
        }
        if ((answer.flags & isTruncated) === 0) return finish({ answer });
        clearTimeout(again);
        if (seen.isTruncated) return;
        seen.isTruncated = true;
        askOverTcp(means, { host: address, port: server.port });
      } catch (error) {
        finish({ fault: nonsense(error, place) });
      }
    });
    // Connected: answers of others are not heard, and a port that is closed says so.
    // Whether it failed is told to whoever asked for it, not as an event.
    const onConnect = (error?: Error | null): void => {
      if (seen.endedAt > 0) return;
      if (error) return fail(error);
      seen.connectedAt ||= performance.now();
      socket.send(questionOf(id, asking.name, asking.type), (unsent) => {
        if (unsent && seen.endedAt === 0) fail(unsent);
      });
    };
    socket.connect(server.port, address, onConnect);
  };
  guard.resolve(server.host, 0, server.port).then(
    ([address = '']) => sendTo(address),
    (error: unknown) => finish({ fault: resolveFault(error, server.host, performance.now() - seen.startedAt) }),
  );
}

function sendFault(error: unknown, place: string): Fault {
  const code = codeOf(error);
  if (code === 'ECONNREFUSED') return { reason: 'connect', message: `no name server listens at ${place}` };
  const isOurs = code === 'ENETUNREACH' || code === 'EADDRNOTAVAIL' || code === 'EMFILE' || code === 'ENOBUFS';
  if (isOurs) return { reason: 'observer-network', message: `this machine could not send the query to ${place}` };
  return { reason: 'connect', message: `the query could not be sent to ${place}` };
}

function askOverTcp({ asking, guard, seen, finish, onEnd }: Means, server: NameServer | undefined): void {
  if (server === undefined) return finish({ fault: silence(asking, seen) });
  const { host, port } = server;
  const where = (): string => placeOf(server, seen.address);
  const stop = reach({ host, port, isAddress: isIP(host) > 0 }, seen, { guard, family: 0 }, where, (reached) => {
    if ('fault' in reached) return finish({ fault: reached.fault });
    const { socket } = reached;
    onEnd(() => socket.destroy());
    readReply(socket, asking, where, finish);
  });
  onEnd(stop);
}

/** Over TCP a message has its length in front (RFC 1035 §4.2.2). */
function readReply(socket: Socket, asking: Asking, where: () => string, finish: Means['finish']): void {
  const id = randomInt(65_536);
  const question = questionOf(id, asking.name, asking.type);
  let bytes = Buffer.alloc(0);
  const onLost = (): void =>
    finish({ fault: { reason: 'reset', message: `${where()} closed the connection before it answered` } });
  socket.on('error', onLost);
  socket.once('close', onLost);
  socket.on('data', (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk]);
    const length = bytes.length < 2 ? Number.POSITIVE_INFINITY : bytes.readUInt16BE(0);
    if (bytes.length < length + 2) return;
    try {
      const answer = answerIn(bytes.subarray(2, length + 2), id, asking);
      if (answer === null) throw new RangeError('it answers another query');
      finish({ answer });
    } catch (error) {
      finish({ fault: nonsense(error, where()) });
    }
  });
  socket.write(Buffer.concat([Buffer.from([question.length >> 8, question.length & 255]), question]));
}
