// One request and response over its own connection, with phase times from the socket.
import type { X509Certificate } from 'node:crypto';
import type { Socket } from 'node:net';
import { connect as tlsConnect, type SecureContext, type TLSSocket } from 'node:tls';
import type { SeenCertificate } from '#domain/results/result.ts';
import { hostAndPort } from '#lib/net/host-and-port.ts';
import { sentCertificates, type Trust } from '#lib/net/tls-trust.ts';
import type { EgressGuard } from '../../kind.ts';
import { certificateFault, seenCertificate } from '../connection/certificate.ts';
import { type Fault, type Phase, streamFault, timeoutFault } from '../connection/fault.ts';
import type { OutgoingRequest } from './plan.ts';
import { type Attempt, emptyAttempt, reach } from '../connection/reach.ts';
import { BodyStore } from './body-store.ts';
import { closed, exchange, maxBodyBytes, type Reading, type Received } from './http1.ts';

/** Times are from `performance.now()`; 0 = not reached. */
export interface Hop extends Received, Attempt {
  securedAt: number;
  tls: { readonly protocol: string; readonly cipher: string } | null;
  /** All certificates sent by the server. */
  sent: readonly X509Certificate[];
  /** Set at the end of the hop. */
  certificate: SeenCertificate | null;
}

export interface HopDeps extends Reading {
  readonly guard: EgressGuard;
  readonly secureContext: SecureContext;
  readonly trust: Trust;
  readonly family: 0 | 4 | 6;
  readonly skipSSL: boolean;
  /** Creates the store of the response body. By default it stores everything. */
  readonly createStore?: () => BodyStore;
  /** Set during the hop; ends it with a fault. */
  readonly stop: Stop;
}

/** Stops a probe from outside. */
export interface Stop {
  end: ((why: (phase: Phase, place: string) => Fault) => void) | null;
}

/** The fault of a probe that exceeded its time limit. */
export function timeIsUp(limitMs: number): (phase: Phase, place: string) => Fault {
  return (phase, place) => timeoutFault(limitMs, phase, place);
}

/** Sends a request and reads the response. Never rejects; failures are in `fault`. */
export function sendHop(request: OutgoingRequest, deps: HopDeps): Promise<Hop> {
  return new Promise((resolve) => {
    const hop = emptyHop(deps.createStore?.() ?? new BodyStore(deps.maxBytes ?? maxBodyBytes));
    const { target } = request;
    let giveUp: () => void = () => {};
    const place = (): string =>
      hop.address === null ? `${target.host}:${target.port}` : hostAndPort(hop.address, target.port);
    const finish = (fault: Fault | null): void => {
      if (hop.endedAt > 0) return;
      hop.endedAt = performance.now();
      hop.fault = fault;
      hop.body.end();
      // After the response, because building the path takes time.
      const path = deps.trust.pathOf(hop.sent);
      hop.certificate = path === null ? null : seenCertificate(path, target.host);
      deps.stop.end = null;
      giveUp();
      resolve(hop);
    };
    deps.stop.end = (why) => finish(why(phaseOf(hop, target.isTls), place()));
    const fail = (error: unknown): void => {
      if (hop.endedAt > 0) return;
      finish(streamFault(error, place(), phaseOf(hop, target.isTls), performance.now() - hop.startedAt));
    };

    const onSocket = (socket: Socket): void => {
      giveUp = () => socket.destroy();
      exchange(request, socket, hop, deps, finish, fail);
    };
    const onReady = (socket: Socket): void => {
      if (target.isTls) giveUp = secure(socket, request, hop, deps, onSocket, finish, fail);
      else onSocket(socket);
    };
    const stop = reach(target, hop, deps, place, (reached) => {
      if ('fault' in reached) finish(reached.fault);
      else onReady(reached.socket);
    });
    // An immediate failure has already ended the attempt; an immediate connection is impossible.
    if (hop.endedAt === 0) giveUp = stop;
  });
}

function emptyHop(body: BodyStore): Hop {
  return {
    ...emptyAttempt(),
    securedAt: 0,
    firstByteAt: 0,
    tls: null,
    sent: [],
    certificate: null,
    answer: null,
    body,
    bodyBytes: 0,
    isCut: false,
  };
}

function phaseOf(hop: Hop, isTls: boolean): Phase {
  if (hop.resolvedAt === 0) return 'dns';
  if (hop.connectedAt === 0) return 'connect';
  if (isTls && hop.securedAt === 0) return 'tls';
  return hop.firstByteAt === 0 ? 'firstByte' : 'download';
}

/**
 * Performs the TLS handshake. The certificate is verified here and not by Node.js, so that it can always be reported.
 * Returns a function that cancels.
 */
function secure(
  raw: Socket,
  request: OutgoingRequest,
  hop: Hop,
  deps: HopDeps,
  onSocket: (socket: Socket) => void,
  finish: (fault: Fault) => void,
  fail: (error: unknown) => void,
): () => void {
  const { target } = request;
  raw.on('error', fail);
  const socket: TLSSocket = tlsConnect({
    socket: raw,
    host: target.host,
    ...(target.isAddress ? {} : { servername: target.host.replace(/\.$/, '') }),
    secureContext: deps.secureContext,
    ALPNProtocols: ['http/1.1'],
    rejectUnauthorized: false,
  });
  socket.on('error', fail);
  socket.once('close', () => fail(closed));
  socket.once('secureConnect', () => {
    hop.securedAt = performance.now();
    hop.tls = { protocol: socket.getProtocol() ?? '', cipher: socket.getCipher().name };
    hop.sent = sentCertificates(socket);
    if (socket.authorized || deps.skipSSL) onSocket(socket);
    else finish(certificateFault(deps.trust.pathOf(hop.sent), socket.authorizationError, target.host));
  });
  return () => socket.destroy();
}
