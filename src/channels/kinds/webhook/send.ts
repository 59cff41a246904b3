/**
 * Sends a rendered request once and reports the outcome; connections are reused between deliveries. An interrupted attempt
 * is repeated with the same bytes: docs/decisions/0012.
 */
import type { RenderedRequest, SendOutcome } from '#domain/alerts/delivery.ts';
import type { ClientIdentity } from '#domain/accounts/client-certificate.ts';
import { createTrust, type Trust } from '#lib/net/tls-trust.ts';
import { createConnections } from './connection.ts';
import { Exchange, type Ways } from './exchange.ts';
import { guardedConnector } from './connector.ts';
import type { EgressGuard } from './connector.ts';
import { signatureHeaders } from './sign.ts';
import type { Signing } from './sign.ts';

/** What is sent in one attempt: the stored request, and what is signed beside its body. */
export interface Sending extends Omit<Signing, 'body'> {
  readonly request: RenderedRequest;
  /** Epoch ms: when the attempt starts. */
  readonly startedAt: number;
  /** Shown to a receiver that asks for a client certificate; absent or null = none. */
  readonly identity?: ClientIdentity | null;
}

/** Sends deliveries. */
export interface WebhookSender {
  /** One attempt. Never rejects for what the receiver or the network does: that is the outcome. */
  send(sending: Sending): Promise<SendOutcome>;
  /** Closes every connection; attempts under way end as interrupted. */
  close(): Promise<void>;
}

/** What a sender is made with. */
export interface SenderOptions {
  readonly guard: EgressGuard;
  /** CA certificates (PEM) trusted besides Node's own. */
  readonly extraCertificates?: readonly string[];
  /** From the start to the answer's last byte, ms; 30,000 unless told otherwise (spec §6.5, §8). */
  readonly deadlineMs?: number;
}

const idleMs = 10_000;
const longestIdleMs = 30_000;
/** How long after the deadline a connection that is still being made is given up, ms. */
const lateMs = 1000;

/** Makes a sender (decisions: Webhook delivery). One is enough: its connections are what makes it fast. */
export function createWebhookSender({
  guard,
  extraCertificates = [],
  deadlineMs = 30_000,
}: SenderOptions): WebhookSender {
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
    async send({ request, startedAt, identity = null, ...signing }) {
      const headers = allHeaders(request, signatureHeaders({ ...signing, body: request.body }, startedAt));
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
function allHeaders(request: RenderedRequest, signature: readonly Header[]): Header[] {
  const ours: Header[] = [['accept-encoding', 'identity'], ...signature];
  const names = new Set(ours.map(([name]) => name));
  const theirs = request.headers.filter(([name]) => !names.has(name.toLowerCase()));
  return [...theirs, ...ours];
}
