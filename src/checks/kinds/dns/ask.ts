// Queries a name server over UDP or TCP, with retries, within one time limit.
import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { isIP, type Socket } from 'node:net';
import { marginOfLimit } from '#domain/results/honest-finding.ts';
import { hostAndPort } from '#lib/net/host-and-port.ts';
import { codeOf, type Fault, resolveFault, spoken, stopped } from '../../parts/connection/fault.ts';
import { type Attempt, emptyAttempt, reach, withinLimit } from '../../parts/connection/reach.ts';
import type { EgressGuard } from '../../kind.ts';
import { type DnsAnswer, isResponse, isTruncated, questionOf, readAnswer, readHead } from './message.ts';

/** UDP queries are repeated after this time, because packets get lost. */
const againMs = 1500;

export interface NameServer {
  /** Name or address. */
  readonly host: string;
  readonly port: number;
}

export interface Asking {
  readonly name: string;
  readonly type: number;
  /** Tried in order. */
  readonly servers: readonly NameServer[];
  readonly isTcp: boolean;
  /** Time limit of the whole query, in ms. */
  readonly limitMs: number;
}

/** Outcome of a query; `address` is that of the server that answered, or of the last one tried. */
export interface DnsExchange extends Attempt {
  /** The response did not fit into UDP and is requested over TCP. */
  isTruncated: boolean;
  answer: DnsAnswer | null;
}

/** Sends a query. Never rejects; failures are in `fault`. */
export function ask(asking: Asking, guard: EgressGuard, signal: AbortSignal): Promise<DnsExchange> {
  const { promise, resolve } = Promise.withResolvers<DnsExchange>();
  const seen: DnsExchange = { ...emptyAttempt(), isTruncated: false, answer: null };
  const ending: (() => void)[] = [];
  const finish = (outcome: { readonly answer: DnsAnswer } | { readonly fault: Fault }): void => {
    if (seen.endedAt > 0) return;
    seen.endedAt = performance.now();
    Object.assign(seen, seen.isTruncated && 'fault' in outcome ? { fault: afterTruncation(outcome.fault) } : outcome);
    for (const end of ending) end();
    resolve(seen);
  };
  const onAbort = (): void => finish({ fault: stopped });
  const onLate = (): void => finish({ fault: silence(asking, seen) });
  ending.push(withinLimit({ limitMs: asking.limitMs, signal }, onLate, onAbort));
  if (signal.aborted) onAbort();
  const deps: Deps = { asking, guard, seen, finish, onEnd: (end) => void ending.push(end) };
  if (asking.isTcp) askOverTcp(deps, asking.servers[0]);
  else askOverUdp(deps, 0);
  return promise;
}

function afterTruncation(fault: Fault): Fault {
  return { ...fault, message: `the answer over UDP was truncated, and over TCP: ${fault.message}` };
}

interface Deps {
  readonly asking: Asking;
  readonly guard: EgressGuard;
  readonly seen: DnsExchange;
  readonly finish: (outcome: { readonly answer: DnsAnswer } | { readonly fault: Fault }) => void;
  readonly onEnd: (end: () => void) => void;
}

function formatServer({ host, port }: NameServer, address: string | null): string {
  return hostAndPort(address ?? host, port);
}

function silence({ servers, limitMs }: Asking, { address }: DnsExchange): Fault {
  const [server] = servers;
  const place = server === undefined ? 'no name server' : formatServer(server, address);
  const message = `${place} did not respond within ${spoken(limitMs)}`;
  return { reason: 'timeout', message, timeMarginMs: marginOfLimit(limitMs) };
}

/** Parses the response to this query; null if it answers another one. @throws {RangeError} */
function answerIn(bytes: Buffer, id: number, { name, type }: Asking): DnsAnswer | null {
  // Check the number first; ignore everything else about messages from others.
  if (bytes.readUInt16BE(0) !== id) return null;
  const head = readHead(bytes);
  if ((head.flags & isResponse) === 0 || (head.flags & opcode) !== 0) return null;
  const { question } = head;
  // A server that refuses a query need not repeat it.
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

/** Codes of servers without EDNS (RFC 6891 §7). */
const withoutExtension: ReadonlySet<string> = new Set(['FORMERR', 'NOTIMP']);
/** A response with another opcode does not answer our query. */
const opcode = 0x7800;

/** Queries one server, then the next or the same again after a while. The first response wins. */
function askOverUdp(deps: Deps, attempt: number): void {
  const { asking, guard, seen, finish, onEnd } = deps;
  const server = asking.servers[attempt % asking.servers.length];
  if (server === undefined || seen.endedAt > 0) return;
  const again = setTimeout(() => askOverUdp(deps, attempt + 1), againMs);
  onEnd(() => clearTimeout(again));
  const sendTo = (address: string): void => {
    if (seen.endedAt > 0) return;
    seen.resolvedAt ||= performance.now();
    seen.address = address;
    const place = formatServer(server, address);
    const id = randomInt(65_536);
    const socket = createSocket(isIP(address) === 6 ? 'udp6' : 'udp4');
    let isExtended = true;
    onEnd(() => socket.close());
    const fail = (error: unknown): void => {
      clearTimeout(again);
      if (attempt + 1 < asking.servers.length) askOverUdp(deps, attempt + 1);
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
        askOverTcp(deps, { host: address, port: server.port });
      } catch (error) {
        finish({ fault: nonsense(error, place) });
      }
    });
    // Connecting rejects packets of others and reports closed ports. Failures go to this callback, not to an event.
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

function askOverTcp({ asking, guard, seen, finish, onEnd }: Deps, server: NameServer | undefined): void {
  if (server === undefined) return finish({ fault: silence(asking, seen) });
  const { host, port } = server;
  const where = (): string => formatServer(server, seen.address);
  const stop = reach({ host, port, isAddress: isIP(host) > 0 }, seen, { guard, family: 0 }, where, (reached) => {
    if ('fault' in reached) return finish({ fault: reached.fault });
    const { socket } = reached;
    onEnd(() => socket.destroy());
    readReply(socket, asking, where, finish);
  });
  onEnd(stop);
}

/** Over TCP each message is prefixed by its length (RFC 1035 §4.2.2). */
function readReply(socket: Socket, asking: Asking, where: () => string, finish: Deps['finish']): void {
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
