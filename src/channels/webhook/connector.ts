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
  /** node's `dns.lookup`, refusing by an error whose code is `EGRESS_REFUSED` and whose message is the sentence to show. */
  lookup: LookupFunction;
  /** null = may be connected to; otherwise the sentence of the refusal. */
  judge(address: string): string | null;
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
 * by the guard's lookup, and every socket's address once more when it is connected.
 *
 * @param timeoutMs the longest that connecting may take
 */
export function guardedConnector(guard: EgressGuard, trust: Trust, timeoutMs: number): Connecting.connector {
  const connectAny = buildConnector({
    lookup: guard.lookup,
    timeout: timeoutMs,
    allowH2: false,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: 1000,
    secureContext: trust.createContext(),
    // Judged below, where the certificate is at hand to be described. A resumed session would skip the check of its name.
    rejectUnauthorized: false,
    maxCachedSessions: 0,
  });
  const connect: Connecting.connector = (options, callback) => {
    connectAny(options, (...result) => {
      const [error, socket] = result;
      if (error !== null || !(socket instanceof tls.TLSSocket) || socket.authorized) return callback(...result);
      callback(certificateError(socket, options.hostname, trust), null);
      socket.destroy();
    });
  };
  if (guard.tunnel !== undefined && guard.tunnel !== null) return connectorThrough(guard.tunnel, connect, timeoutMs);
  return (options, callback) => {
    const refused = net.isIP(options.hostname) === 0 ? null : guard.judge(options.hostname);
    if (refused !== null) {
      queueMicrotask(() => callback(refusal(refused), null));
      return;
    }
    connect(options, (...result) => {
      const [error, socket] = result;
      if (error !== null) {
        callback(error, null);
        return;
      }
      const late = guard.judge(socket.remoteAddress ?? '');
      if (late !== null) {
        socket.destroy();
        callback(refusal(late), null);
        return;
      }
      callback(null, socket);
    });
  };
}

/** The error of a certificate that is not accepted; its message is the sentence to show. */
function certificateError(socket: tls.TLSSocket, host: string, trust: Trust): Error {
  const path = trust.pathOf(sentCertificates(socket));
  const message = certificateSentence(path, String(socket.authorizationError), host, Date.now());
  return Object.assign(new Error(message), { code: 'CERTIFICATE_REFUSED' });
}

/** Connections through a proxy: it judges where they lead, TLS is with the receiver. */
function connectorThrough(tunnel: Tunnel, connect: Connecting.connector, timeoutMs: number): Connecting.connector {
  return (options, callback) => {
    const isTls = options.protocol === 'https:';
    const port = options.port === '' ? (isTls ? 443 : 80) : Number(options.port);
    const timer = setTimeout(() => {
      giveUp();
      callback(Object.assign(new Error('too late'), { code: 'UND_ERR_CONNECT_TIMEOUT' }), null);
    }, timeoutMs);
    const giveUp = tunnel({ host: options.hostname, port }, (error, socket) => {
      clearTimeout(timer);
      if (socket === null) callback(error ?? new Error('there is no connection'), null);
      else if (isTls) connect({ ...options, httpSocket: socket }, callback);
      else callback(null, socket);
    });
  };
}
