// Sends rendered requests by HTTP, once each. Connections are reused between deliveries. An interrupted attempt is
// repeated with the same bytes (docs/decisions/0012).
import type { ClientIdentity } from '#domain/accounts/client-certificate.ts';
import type { Message, SendOutcome } from '#domain/deliveries/delivery.ts';
import { mask } from '#domain/deliveries/shown-url.ts';
import { createTrust, type Trust } from '#lib/net/tls-trust.ts';
import { createMasker } from '#lib/text-masker.ts';
import type { ChannelSender, SenderOptions, Sending } from '../kind.ts';
import { createConnections } from './connection.ts';
import { guardedConnector } from './connector.ts';
import { Exchange, type Ways } from './exchange.ts';

const idleMs = 10_000;
const longestIdleMs = 30_000;
/** Time after the deadline at which connecting is aborted. */
const lateMs = 1000;

/** A request as it goes out. */
interface Prepared {
  readonly request: Message;
  /** Headers to record instead of those of the request, if these hold secrets. */
  readonly loggedHeaders?: SendOutcome['headers'];
  /** Secrets in the request. They are masked wherever the receiver repeats them. */
  readonly secrets?: readonly string[];
}

/** Completes a stored request with what is not stored in it: a signature, secrets of the channel. */
export type Prepare = (sending: Sending) => Prepared;

export interface HttpSenderOptions extends Omit<SenderOptions, 'gateways' | 'operatorGuard'> {
  readonly prepare: Prepare;
}

/** Creates a sender (decisions: Webhook delivery). Use one per kind and process, because it pools connections. */
export function createHttpSender({
  guard,
  extraCertificates = [],
  deadlineMs = 30_000,
  prepare,
}: HttpSenderOptions): ChannelSender {
  // Must be later than the deadline, or the two would race for the recorded outcome.
  const connect = guardedConnector(guard, createTrust(extraCertificates), deadlineMs + lateMs);
  const connectAs = ({ cert, key, passphrase, ca }: ClientIdentity) => {
    const trust = createTrust([...extraCertificates, ...(ca === null ? [] : [ca])]);
    const own = { cert, key, ...(passphrase !== null && { passphrase }) };
    const showing: Trust = { ...trust, createContext: () => trust.createContext(own) };
    return guardedConnector(guard, showing, deadlineMs + lateMs);
  };
  const options = {
    // Our own deadline covers name lookup, connecting, headers and body.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: idleMs,
    keepAliveMaxTimeout: longestIdleMs,
    // `HeadReader` limits heads; this limits trailers.
    maxHeaderSize: 32_768,
  };
  const pooled = createConnections(connect, { ...options, pipelining: 1 });
  // Without pipelining no connection is kept alive, so a request never meets a socket that its receiver just closed.
  const fresh = createConnections(connect, { ...options, pipelining: 0 });
  const ways: Ways = { pooled, fresh, judge: (address, port) => guard.judge(address, port) };
  const inProgress = new Set<Exchange>();

  return {
    async send(sending) {
      const { startedAt, identity = null } = sending;
      const { request, loggedHeaders, secrets = [] } = prepare(sending);
      const headers = plainHeaders(request.headers);
      const exchange = new Exchange(request, headers, deadlineMs);
      inProgress.add(exchange);
      // Connections with an account's client certificate are never pooled.
      const own = identity === null ? null : createConnections(connectAs(identity), { ...options, pipelining: 0 });
      try {
        const outcome = await exchange.run(own === null ? ways : { ...ways, pooled: own, fresh: own });
        const logged = loggedHeaders === undefined ? headers : plainHeaders(loggedHeaders);
        return withoutSecrets({ startedAt, headers: logged, ...outcome }, secrets);
      } finally {
        inProgress.delete(exchange);
        await own?.close();
      }
    },
    async close() {
      for (const exchange of inProgress) exchange.interrupt();
      await Promise.all([pooled.close(), fresh.close()]);
    },
  };
}

function withoutSecrets(outcome: SendOutcome, secrets: readonly string[]): SendOutcome {
  const texts = secrets.filter((text) => text !== '');
  if (texts.length === 0) return outcome;
  const hide = createMasker(texts, mask);
  const { response, error } = outcome;
  const headers = Object.entries(response?.headers ?? {}).map(([name, value]) => [name, hide(value)]);
  return {
    ...outcome,
    response: response && { ...response, headers: Object.fromEntries(headers), body: hide(response.body) },
    error: error && { ...error, message: hide(error.message) },
  };
}

/** Asks for an uncompressed response, since it is recorded unchanged. */
function plainHeaders(headers: SendOutcome['headers']): SendOutcome['headers'] {
  return [...headers.filter(([name]) => name.toLowerCase() !== 'accept-encoding'), ['accept-encoding', 'identity']];
}
