// Sends texts through the operator's service. Its address, credentials and headers stay out of the log, which accounts see.
import type { SendOutcome } from '#domain/deliveries/delivery.ts';
import type { TelephoneGateway } from '#domain/deliveries/gateways.ts';
import { mask } from '#domain/deliveries/shown-url.ts';
import { createMasker } from '#lib/text-masker.ts';
import { createHttpSender } from '../../http/http-sender.ts';
import type { ChannelSender, SenderOptions } from '../../kind.ts';

/** Creates a sender. @param what the service does, for messages: `SMS messages` */
export function createTelephoneSender(
  { operatorGuard, extraCertificates, deadlineMs }: SenderOptions,
  gateway: TelephoneGateway | null,
  what: string,
): ChannelSender {
  if (gateway === null) return { send: ({ startedAt }) => Promise.resolve(notSetUp(startedAt, what)), close };
  const { url, authorization, hidden } = addressOf(gateway);
  const hide = createMasker(hidden, mask);
  const http = createHttpSender({
    guard: operatorGuard,
    ...(extraCertificates !== undefined && { extraCertificates }),
    ...(deadlineMs !== undefined && { deadlineMs }),
    prepare: ({ request, deliveryId }) => {
      const number = request.url.slice(request.url.indexOf(':') + 1);
      const { body, contentType } = filled(gateway.template, number, request.body);
      const headers: [string, string][] = [
        ['content-type', contentType],
        // The same for every retry.
        ['idempotency-key', deliveryId],
      ];
      const sent = authorization === null ? headers : [...headers, ['authorization', authorization] as const];
      return { request: { method: 'POST', url, headers: sent, body }, loggedHeaders: headers };
    },
  });
  return {
    send: async (sending) => shownOutcome(await http.send(sending), what, hide),
    close: () => http.close(),
  };
}

async function close(): Promise<void> {}

function notSetUp(startedAt: number, what: string): SendOutcome {
  const message = `the service for ${what} is no longer set up`;
  return { startedAt, durationMs: 0, headers: [], response: null, error: { class: 'protocol', message } };
}

function addressOf(gateway: TelephoneGateway) {
  const url = new URL(gateway.url);
  const [user, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
  url.username = '';
  url.password = '';
  const basic = Buffer.from(`${user}:${password}`).toString('base64');
  const values = [...url.searchParams.values()];
  return {
    url: url.href,
    authorization: user === '' && password === '' ? null : `Basic ${basic}`,
    hidden: [url.href, url.host, url.hostname, user, password, basic, ...values].filter((text) => text.length > 2),
  };
}

/** Fills the template: a value is encoded as the JSON or the form around it needs. */
export function filled(template: string, number: string, text: string): { body: string; contentType: string } {
  const isJson = /^\s*[{[]/.test(template);
  const encode = (value: string): string =>
    isJson ? JSON.stringify(value).slice(1, -1) : new URLSearchParams([['', value]]).toString().slice(1);
  const values: Readonly<Record<string, string>> = { NUMBER: encode(number), TEXT: encode(text) };
  return {
    body: template.replace(/\{\{(NUMBER|TEXT)\}\}/g, (tag, name: string) => values[name] ?? tag),
    contentType: isJson ? 'application/json' : 'application/x-www-form-urlencoded',
  };
}

const failures: Readonly<Partial<Record<NonNullable<SendOutcome['error']>['class'], string>>> = {
  timeout: 'did not answer in time',
  dns: 'cannot be resolved',
  connect: 'cannot be reached',
  tls: 'failed the TLS handshake',
  reset: 'closed the connection without a response',
  protocol: 'sent an invalid response',
  'egress-refused': 'is at an address that Tocsin does not connect to',
};

/** The part of an outcome that accounts may see. */
function shownOutcome(outcome: SendOutcome, what: string, hide: (text: string) => string): SendOutcome {
  const { response, error } = outcome;
  const retryAfter = response?.headers['retry-after'];
  const failure = error === null ? undefined : failures[error.class];
  return {
    ...outcome,
    response: response && {
      status: response.status,
      headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter },
      body: hide(response.body),
    },
    error: error && {
      class: error.class,
      message: failure === undefined ? hide(error.message) : `the service for ${what} ${failure}`,
    },
  };
}
