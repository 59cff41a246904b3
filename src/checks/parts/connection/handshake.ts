// Performs a TLS handshake and returns the peer's certificate, trusted or not. The caller judges it.
import type { Socket } from 'node:net';
import { connect as tlsConnect, type SecureContext, type TLSSocket } from 'node:tls';
import { type CertificatePath, sentCertificates, type Trust } from '#lib/net/tls-trust.ts';
import type { EgressGuard } from '../../kind.ts';
import { type Fault, type Phase, streamFault, timeoutFault } from './fault.ts';
import { type Endpoint, reach } from './reach.ts';

/** Target of a handshake. */
export interface Handshake {
  readonly place: Endpoint;
  /** SNI server name; null for an address. */
  readonly serverName: string | null;
  readonly family: 0 | 4 | 6;
  readonly secureContext: SecureContext;
  readonly trust: Trust;
  /** Time limit in ms. */
  readonly limitMs: number;
}

/** Result of a handshake. */
export interface Peer {
  readonly path: CertificatePath;
  /** For example `TLSv1.3`. */
  readonly protocol: string;
  /** Standard name, for example `TLS_AES_128_GCM_SHA256`. */
  readonly cipher: string;
  /** OpenSSL code of the chain error, or null. Host names are not compared. */
  readonly chainError: string | null;
  /** Raw stapled OCSP response; null = none. */
  readonly staple: Buffer | null;
}

/** Outcome. Times are from `performance.now()`; 0 = not reached. */
export interface Shaken {
  readonly startedAt: number;
  resolvedAt: number;
  connectedAt: number;
  securedAt: number;
  endedAt: number;
  address: string | null;
  peer: Peer | null;
  fault: Fault | null;
}

const stopped: Fault = { reason: 'crashed', message: 'the probe was stopped before it finished' };

/** Connects and performs the handshake. Never rejects; failures are in `fault`. */
export function shakeHands(deps: Handshake, guard: EgressGuard, signal: AbortSignal): Promise<Shaken> {
  const { promise, resolve } = Promise.withResolvers<Shaken>();
  const { place, limitMs } = deps;
  const seen: Shaken = {
    startedAt: performance.now(),
    resolvedAt: 0,
    connectedAt: 0,
    securedAt: 0,
    endedAt: 0,
    address: null,
    peer: null,
    fault: null,
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
  const timer = setTimeout(() => finish(timeoutFault(limitMs, phaseOf(seen), where())), limitMs);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  const stop = reach(place, seen, { guard, family: deps.family }, where, (reached) => {
    if ('fault' in reached) return finish(reached.fault);
    giveUp = secure(reached.socket, deps, seen, finish, (error) =>
      finish(streamFault(error, where(), phaseOf(seen), performance.now() - seen.startedAt)),
    );
  });
  // An immediate failure has already ended the attempt; an immediate connection is impossible.
  if (seen.endedAt === 0) giveUp = stop;
  else stop();
  return promise;
}

function phaseOf({ resolvedAt, connectedAt }: Shaken): Phase {
  if (resolvedAt === 0) return 'dns';
  return connectedAt === 0 ? 'connect' : 'tls';
}

/** Error of a connection that closed without one. */
const closed = Object.assign(new Error('closed'), { code: 'ECONNRESET' });

function secure(
  raw: Socket,
  { place, serverName, secureContext, trust }: Handshake,
  seen: Shaken,
  finish: (fault: Fault | null) => void,
  fail: (error: unknown) => void,
): () => void {
  raw.on('error', fail);
  let staple: Buffer | null = null;
  const socket = tlsConnect({
    socket: raw,
    host: place.host,
    ...(serverName === null ? {} : { servername: serverName }),
    secureContext,
    requestOCSP: true,
    rejectUnauthorized: false,
    checkServerIdentity: () => undefined,
  });
  socket.on('error', fail);
  socket.once('close', () => fail(closed));
  socket.on('OCSPResponse', (response: Buffer | null) => {
    staple = response !== null && response.length > 0 ? response : null;
  });
  socket.once('secureConnect', () => {
    seen.securedAt = performance.now();
    seen.peer = peerOf(socket, trust, staple);
    finish(seen.peer === null ? { reason: 'tls', message: `${place.host} sent no certificate` } : null);
  });
  return () => socket.destroy();
}

function peerOf(socket: TLSSocket, trust: Trust, staple: Buffer | null): Peer | null {
  const path = trust.pathOf(sentCertificates(socket));
  if (path === null) return null;
  return {
    path,
    protocol: socket.getProtocol() ?? '',
    cipher: socket.getCipher().standardName,
    // Typed as an error, but actually a code.
    chainError: socket.authorized ? null : String(socket.authorizationError),
    staple,
  };
}
