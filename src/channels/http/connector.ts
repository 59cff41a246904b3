// Opens connections for deliveries. The egress guard checks each one before and after connecting (decisions: Where
// requests may go).
import tls from 'node:tls';
import { type ConnectionGuard, tunnelOf } from '#lib/net/guarded.ts';
import { sentCertificates, type Trust } from '#lib/net/tls-trust.ts';
import { certificateSentence } from '#lib/net/tls-words.ts';
import { buildConnector } from 'undici';

/**
 * Returns a connector for undici. The guard checks addresses before connecting and the socket's address afterwards. All
 * addresses of a name are tried, as for checks.
 *
 * @param timeoutMs maximum time to connect
 */
export function guardedConnector(guard: ConnectionGuard, trust: Trust, timeoutMs: number): buildConnector.connector {
  const secure = buildConnector({
    timeout: timeoutMs,
    allowH2: false,
    secureContext: trust.createContext(),
    // Verified below, where the certificate can be described. A resumed session would skip the host name check.
    rejectUnauthorized: false,
    maxCachedSessions: 0,
  });
  const reach = tunnelOf(guard);
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
