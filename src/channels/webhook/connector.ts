// Opens connections for deliveries, each judged by the egress guard before and after it is made (decisions: Where requests may go).
import net from 'node:net';
import type { LookupFunction } from 'node:net';
import tls from 'node:tls';
import { buildConnector } from 'undici';

/** Where requests may go, as far as sending needs to know. */
export interface EgressGuard {
  /** node's `dns.lookup`, refusing by an error whose code is `EGRESS_REFUSED` and whose message is the sentence to show. */
  lookup: LookupFunction;
  /** null = may be connected to; otherwise the sentence of the refusal. */
  judge(address: string): string | null;
}

function refusal(message: string): Error {
  return Object.assign(new Error(message), { code: 'EGRESS_REFUSED' });
}

/**
 * A connector for undici: addresses in the URL are judged before connecting (node looks up only names), those of names
 * by the guard's lookup, and every socket's address once more when it is connected.
 *
 * @param timeoutMs the longest that connecting may take
 */
export function guardedConnector(guard: EgressGuard, timeoutMs: number): buildConnector.connector {
  const connect = buildConnector({
    lookup: guard.lookup,
    timeout: timeoutMs,
    allowH2: false,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: 1000,
    secureContext: tls.createSecureContext(),
  });
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
