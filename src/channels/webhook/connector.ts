// Opens connections for deliveries, each judged by the egress guard before and after it is made (decisions: Where requests may go).
import net from 'node:net';
import type { LookupFunction } from 'node:net';
import tls from 'node:tls';
import type { buildConnector as Connecting } from 'undici';
import { sentCertificates, type Trust } from '#lib/tls-trust.ts';
import { certificateSentence } from '#lib/tls-words.ts';
import { buildConnector } from './undici.ts';

/** Where requests may go, as far as sending needs to know. */
export interface EgressGuard {
  /**
   * `dns.lookup` for connections to a port; refuses by an error whose code is `EGRESS_REFUSED` and whose message is the sentence
   * to show.
   */
  lookupFor(port: number): LookupFunction;
  /** null = may be connected to; otherwise the sentence of the refusal. */
  judge(address: string, port: number): string | null;
  /** Makes connections instead, where a proxy is configured; answers with how to give up. */
  readonly tunnel?: Tunnel | null;
}

type Tunnel = (
  target: { readonly host: string; readonly port: number },
  done: (error: Error | null, socket: net.Socket | null) => void,
) => () => void;

function refusal(message: string): Error {
  return Object.assign(new Error(message), { code: 'EGRESS_REFUSED' });
}

/**
 * A connector for undici: addresses in the URL are judged before connecting (node looks up only names), those of names
 * by the guard's lookup, and every socket's address once more when it is connected. The port always counts.
 *
 * @param timeoutMs the longest that connecting may take
 */
export function guardedConnector(guard: EgressGuard, trust: Trust, timeoutMs: number): Connecting.connector {
  const secureContext = trust.createContext();
  const connectors = new Map<number, Connecting.connector>();
  // undici takes one lookup for each connector, and node does not tell it the port.
  const connectorOf = (port: number): Connecting.connector => {
    const known = connectors.get(port);
    if (known !== undefined) return known;
    const connectAny = buildConnector({
      lookup: guard.lookupFor(port),
      timeout: timeoutMs,
      allowH2: false,
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: 1000,
      secureContext,
      // Judged below, where the certificate is at hand to be described. A resumed session would skip the check of its name.
      rejectUnauthorized: false,
      maxCachedSessions: 0,
    });
    const made: Connecting.connector = (options, callback) => {
      connectAny(options, (...result) => {
        const [error, socket] = result;
        if (error !== null || !(socket instanceof tls.TLSSocket) || socket.authorized) return callback(...result);
        callback(certificateError(socket, options.hostname, trust), null);
        socket.destroy();
      });
    };
    connectors.set(port, made);
    return made;
  };
  if (guard.tunnel !== undefined && guard.tunnel !== null) {
    return connectorThrough(guard.tunnel, connectorOf(443), timeoutMs);
  }
  return (options, callback) => {
    const port = portOf(options);
    const judge = (address: string): Error | null => {
      const refused = guard.judge(address, port);
      return refused === null ? null : refusal(refused);
    };
    const connect = (): void => {
      connectorOf(port)(options, (...result) => {
        const [error, socket] = result;
        if (error !== null) {
          callback(error, null);
          return;
        }
        const late = judge(socket.remoteAddress ?? '');
        if (late === null) return callback(null, socket);
        socket.destroy();
        callback(late, null);
      });
    };
    if (net.isIP(options.hostname) === 0) return connect();
    guard.lookupFor(port)(options.hostname, { all: true }, (error) => {
      const refused = error ?? judge(options.hostname);
      if (refused === null) connect();
      else callback(refused, null);
    });
  };
}

/** The error of a certificate that is not accepted; its message is the sentence to show. */
function certificateError(socket: tls.TLSSocket, host: string, trust: Trust): Error {
  const path = trust.pathOf(sentCertificates(socket));
  const message = certificateSentence(path, String(socket.authorizationError), host, Date.now());
  return Object.assign(new Error(message), { code: 'CERTIFICATE_REFUSED' });
}

function portOf({ port, protocol }: Connecting.Options): number {
  if (port !== '') return Number(port);
  return protocol === 'https:' ? 443 : 80;
}

/** Connections through a proxy: it judges where they lead, TLS is with the receiver. */
function connectorThrough(tunnel: Tunnel, connect: Connecting.connector, timeoutMs: number): Connecting.connector {
  return (options, callback) => {
    const isTls = options.protocol === 'https:';
    const timer = setTimeout(() => {
      giveUp();
      callback(Object.assign(new Error('too late'), { code: 'UND_ERR_CONNECT_TIMEOUT' }), null);
    }, timeoutMs);
    const giveUp = tunnel({ host: options.hostname, port: portOf(options) }, (error, socket) => {
      clearTimeout(timer);
      if (socket === null) callback(error ?? new Error('there is no connection'), null);
      else if (isTls) connect({ ...options, httpSocket: socket }, callback);
      else callback(null, socket);
    });
  };
}
