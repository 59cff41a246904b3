// Performs a TLS handshake and returns the peer's certificate, trusted or not. The caller judges it.
import type { Socket } from 'node:net';
import { connect as tlsConnect, type SecureContext, type TLSSocket } from 'node:tls';
import { type CertificatePath, sentCertificates, type Trust } from '#lib/net/tls-trust.ts';
import type { EgressGuard } from '../../kind.ts';
import type { Fault, Phase } from './fault.ts';
import { type Attempt, attempt, emptyAttempt, type Endpoint } from './reach.ts';

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
export interface Shaken extends Attempt {
  securedAt: number;
  peer: Peer | null;
}

/** Connects and performs the handshake. Never rejects; failures are in `fault`. */
export function shakeHands(deps: Handshake, guard: EgressGuard, signal: AbortSignal): Promise<Shaken> {
  const seen: Shaken = { ...emptyAttempt(), securedAt: 0, peer: null };
  return attempt(seen, { ...deps, guard, signal }, phaseOf, (socket, finish, fail) =>
    secure(socket, deps, seen, finish, fail),
  );
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
