// Opens connections for deliveries. The egress guard checks each one before and after connecting (decisions: Where
// requests may go).
import net from 'node:net';
import tls from 'node:tls';
import { connectSequentially } from '#lib/net/connect-sequentially.ts';
import { sentCertificates, type Trust } from '#lib/net/tls-trust.ts';
import { certificateSentence } from '#lib/net/tls-words.ts';
import { buildConnector } from 'undici';
import type { EgressGuard, Tunnel } from '../kind.ts';

function refusal(message: string): Error {
  return Object.assign(new Error(message), { code: 'EGRESS_REFUSED' });
}

/**
 * Returns a connector for undici. The guard checks addresses before connecting and the socket's address afterwards. All
 * addresses of a name are tried, as for checks.
 *
 * @param timeoutMs maximum time to connect
 */
export function guardedConnector(guard: EgressGuard, trust: Trust, timeoutMs: number): buildConnector.connector {
  const secure = buildConnector({
    timeout: timeoutMs,
    allowH2: false,
    secureContext: trust.createContext(),
    // Verified below, where the certificate can be described. A resumed session would skip the host name check.
    rejectUnauthorized: false,
    maxCachedSessions: 0,
  });
  const reach = reachThrough(guard);
  return (options, callback) => {
    const isTls = options.protocol === 'https:';
    const port = options.port === '' ? (isTls ? 443 : 80) : Number(options.port);
    const timer = setTimeout(() => {
      giveUp();
      callback(Object.assign(new Error('too late'), { code: 'UND_ERR_CONNECT_TIMEOUT' }), null);
    }, timeoutMs);
    const giveUp = reach({ host: options.hostname, port }, (error, socket) => {
      clearTimeout(timer);
      if (socket === null) return callback(error ?? new Error('no connection'), null);
      if (!isTls) return callback(null, socket.setNoDelay(true).setKeepAlive(true, 60_000));
      secure({ ...options, httpSocket: socket }, (...result) => {
        const [failure, secured] = result;
        if (failure !== null || !(secured instanceof tls.TLSSocket) || secured.authorized) return callback(...result);
        callback(certificateError(secured, options.hostname, trust), null);
        secured.destroy();
      });
    });
  };
}

/** Error for a rejected certificate; its message is shown to the user. */
export function certificateError(socket: tls.TLSSocket, host: string, trust: Trust): Error {
  const path = trust.pathOf(sentCertificates(socket));
  const message = certificateSentence(path, String(socket.authorizationError), host, Date.now());
  return Object.assign(new Error(message), { code: 'CERTIFICATE_REFUSED' });
}

/** Connects through the guard: to the first address that accepts, or through the proxy. */
export function reachThrough(guard: EgressGuard): Tunnel {
  return guard.tunnel ?? directly(guard);
}

/** Connects to the first address that accepts. The guard checks all of them. */
function directly(guard: EgressGuard): Tunnel {
  return ({ host, port }, done) => {
    let giveUp = (): void => {};
    let isOver = false;
    const connectTo = (addresses: readonly string[]): void => {
      const refused = net.isIP(host) === 0 ? null : guard.judge(host, port);
      if (refused !== null) return done(refusal(refused), null);
      giveUp = connectSequentially(addresses, port, (result) => {
        if ('errors' in result) return done(new AggregateError(result.errors), null);
        const late = guard.judge(result.peer, port);
        if (late === null) return done(null, result.socket);
        result.socket.destroy();
        done(refusal(late), null);
      });
    };
    guard.lookupFor(port)(host, { all: true }, (error, found) => {
      if (isOver) return;
      if (error !== null) done(error, null);
      else connectTo(typeof found === 'string' ? [found] : found.map(({ address }) => address));
    });
    return () => {
      isOver = true;
      giveUp();
    };
  };
}
