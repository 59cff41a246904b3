/**
 * Sends a rendered request once and reports the outcome; connections are reused between deliveries. An interrupted attempt
 * is repeated with the same bytes: docs/decisions/0012.
 */
import type { Message, SendOutcome } from '#domain/alerts/delivery.ts';
import type { ClientIdentity } from '#domain/accounts/client-certificate.ts';
import { createTrust, type Trust } from '#lib/net/tls-trust.ts';
import { createConnections } from './connection.ts';
import { Exchange, type Ways } from './exchange.ts';
import { guardedConnector } from './connector.ts';
import type { ChannelSender, SenderOptions } from '../../kind.ts';
import { signingSecrets } from './secrets.ts';
import { signatureHeaders } from './sign.ts';

const idleMs = 10_000;
const longestIdleMs = 30_000;
/** How long after the deadline a connection that is still being made is given up, ms. */
const lateMs = 1000;

/** Makes a sender (decisions: Webhook delivery). One is enough: its connections are what makes it fast. */
export function createWebhookSender({
  guard,
  extraCertificates = [],
  deadlineMs = 30_000,
}: SenderOptions): ChannelSender {
  // Later than the deadline, which else would race with it for what the attempt is told as.
  const connect = guardedConnector(guard, createTrust(extraCertificates), deadlineMs + lateMs);
  const connectAs = ({ cert, key, passphrase, ca }: ClientIdentity) => {
    const trust = createTrust([...extraCertificates, ...(ca === null ? [] : [ca])]);
    const own = { cert, key, ...(passphrase !== null && { passphrase }) };
    const showing: Trust = { ...trust, createContext: () => trust.createContext(own) };
    return guardedConnector(guard, showing, deadlineMs + lateMs);
  };
  const options = {
    // The one deadline is ours: it covers name lookup, connecting, headers and body together.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: idleMs,
    keepAliveMaxTimeout: longestIdleMs,
    // Heads come from `HeadReader`, which bounds them: this is for trailers.
    maxHeaderSize: 32_768,
  };
  const pooled = createConnections(connect, { ...options, pipelining: 1 });
  // Without pipelining nothing is kept alive: what goes through here never meets a socket that its receiver just closed.
  const fresh = createConnections(connect, { ...options, pipelining: 0 });
  const ways: Ways = { pooled, fresh, judge: (address, port) => guard.judge(address, port) };
  const underWay = new Set<Exchange>();

  return {
    async send({ request, startedAt, identity = null, secrets, ...delivery }) {
      const signing = { ...delivery, ...signingSecrets(secrets), body: request.body };
      const headers = allHeaders(request, signatureHeaders(signing, startedAt));
      const exchange = new Exchange(request, headers, deadlineMs);
      underWay.add(exchange);
      // Connections that show an account's certificate are kept for nobody.
      const own = identity === null ? null : createConnections(connectAs(identity), { ...options, pipelining: 0 });
      try {
        const outcome = await exchange.run(own === null ? ways : { ...ways, pooled: own, fresh: own });
        return { startedAt, headers, ...outcome };
      } finally {
        underWay.delete(exchange);
        await own?.close();
      }
    },
    async close() {
      for (const exchange of underWay) exchange.interrupt();
      await Promise.all([pooled.close(), fresh.close()]);
    },
  };
}

type Header = SendOutcome['headers'][number];

/** The request's headers and ours, which win over the channel's. Answers are kept as they come, so none is compressed. */
function allHeaders(request: Message, signature: readonly Header[]): Header[] {
  const ours: Header[] = [['accept-encoding', 'identity'], ...signature];
  const names = new Set(ours.map(([name]) => name));
  const theirs = request.headers.filter(([name]) => !names.has(name.toLowerCase()));
  return [...theirs, ...ours];
}
