// One request and its answer over a connection of its own, with the time of each phase taken from the socket itself.
import type { X509Certificate } from 'node:crypto';
import type { Socket } from 'node:net';
import { connect as tlsConnect, type SecureContext, type TLSSocket } from 'node:tls';
import type { SeenCertificate } from '#domain/results/result.ts';
import { sentCertificates, type Trust } from '#lib/net/tls-trust.ts';
import type { EgressGuard } from '../../kind.ts';
import { certificateFault, seenCertificate } from '../connection/certificate.ts';
import { type Fault, type Phase, streamFault, timeoutFault } from '../connection/fault.ts';
import type { OutgoingRequest } from './plan.ts';
import { reach } from '../connection/reach.ts';
import { BodyStore } from './body-store.ts';
import { closed, exchange, mostBodyBytes, type Reading, type Received } from './http1.ts';

/** Instants are of `performance.now()`; 0 = not reached. */
export interface Hop extends Received {
  startedAt: number;
  resolvedAt: number;
  connectedAt: number;
  securedAt: number;
  endedAt: number;
  address: string | null;
  tls: { readonly protocol: string; readonly cipher: string } | null;
  /** All certificates that the server sent. */
  sent: readonly X509Certificate[];
  /** Set when the hop has ended. */
  certificate: SeenCertificate | null;
  fault: Fault | null;
}

/** How a hop is made. */
export interface HopMeans extends Reading {
  readonly guard: EgressGuard;
  readonly secureContext: SecureContext;
  readonly trust: Trust;
  readonly family: 0 | 4 | 6;
  readonly skipSSL: boolean;
  /** Keeps the body of the response; by default all of it. */
  readonly createStore?: () => BodyStore;
  /** Set while the hop is under way: ends it with a fault. */
  readonly stop: Stop;
}

/** How a probe is ended from outside. */
export interface Stop {
  end: ((why: (phase: Phase, place: string) => Fault) => void) | null;
}

/** The fault of a probe whose time is up. */
export function timeIsUp(limitMs: number): (phase: Phase, place: string) => Fault {
  return (phase, place) => timeoutFault(limitMs, phase, place);
}

/** Sends a request and reads its answer. Never rejects: what went wrong stands in `fault`. */
export function sendHop(request: OutgoingRequest, means: HopMeans): Promise<Hop> {
  return new Promise((resolve) => {
    const hop = emptyHop(means.createStore?.() ?? new BodyStore(means.mostBytes ?? mostBodyBytes));
    const { target } = request;
    let giveUp: () => void = () => {};
    const place = (): string => `${hop.address === null ? target.host : inBrackets(hop.address)}:${target.port}`;
    const finish = (fault: Fault | null): void => {
      if (hop.endedAt > 0) return;
      hop.endedAt = performance.now();
      hop.fault = fault;
      hop.body.end();
      // Later than the answer: finding the path takes time.
      const path = means.trust.pathOf(hop.sent);
      hop.certificate = path === null ? null : seenCertificate(path, target.host);
      means.stop.end = null;
      giveUp();
      resolve(hop);
    };
    means.stop.end = (why) => finish(why(phaseOf(hop, target.isTls), place()));
    const fail = (error: unknown): void => {
      if (hop.endedAt > 0) return;
      finish(streamFault(error, place(), phaseOf(hop, target.isTls), performance.now() - hop.startedAt));
    };

    const onSocket = (socket: Socket): void => {
      giveUp = () => socket.destroy();
      exchange(request, socket, hop, means, finish, fail);
    };
    const onReady = (socket: Socket): void => {
      if (target.isTls) giveUp = secure(socket, request, hop, means, onSocket, finish, fail);
      else onSocket(socket);
    };
    const stop = reach(target, hop, means, place, (reached) => {
      if ('fault' in reached) finish(reached.fault);
      else onReady(reached.socket);
    });
    // What failed at once has ended already; what is connected at once cannot be.
    if (hop.endedAt === 0) giveUp = stop;
  });
}

function emptyHop(body: BodyStore): Hop {
  return {
    startedAt: performance.now(),
    resolvedAt: 0,
    connectedAt: 0,
    securedAt: 0,
    firstByteAt: 0,
    endedAt: 0,
    address: null,
    tls: null,
    sent: [],
    certificate: null,
    answer: null,
    body,
    bodyBytes: 0,
    isCut: false,
    fault: null,
  };
}

function phaseOf(hop: Hop, isTls: boolean): Phase {
  if (hop.resolvedAt === 0) return 'dns';
  if (hop.connectedAt === 0) return 'connect';
  if (isTls && hop.securedAt === 0) return 'tls';
  return hop.firstByteAt === 0 ? 'firstByte' : 'download';
}

function inBrackets(address: string): string {
  return address.includes(':') ? `[${address}]` : address;
}

/**
 * Makes the TLS handshake. The certificate is judged here and not by Node, so that it is seen and told of either way.
 * Returns how to give up.
 */
function secure(
  raw: Socket,
  request: OutgoingRequest,
  hop: Hop,
  means: HopMeans,
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
    secureContext: means.secureContext,
    ALPNProtocols: ['http/1.1'],
    rejectUnauthorized: false,
  });
  socket.on('error', fail);
  socket.once('close', () => fail(closed));
  socket.once('secureConnect', () => {
    hop.securedAt = performance.now();
    hop.tls = { protocol: socket.getProtocol() ?? '', cipher: socket.getCipher().name };
    hop.sent = sentCertificates(socket);
    if (socket.authorized || means.skipSSL) onSocket(socket);
    else finish(certificateFault(means.trust.pathOf(hop.sent), socket.authorizationError, target.host));
  });
  return () => socket.destroy();
}
