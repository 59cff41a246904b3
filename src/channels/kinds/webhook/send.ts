/** Signs and sends the requests of webhooks. */
import type { SendOutcome } from '#domain/deliveries/delivery.ts';
import { createHttpSender } from '../../http/http-sender.ts';
import type { ChannelSender, SenderOptions } from '../../kind.ts';
import { signingSecrets } from './secrets.ts';
import { signatureHeaders } from './sign.ts';

type Header = SendOutcome['headers'][number];

/** Creates a sender (decisions: Webhook delivery). */
export function createWebhookSender(options: Omit<SenderOptions, 'gateways' | 'operatorGuard'>): ChannelSender {
  return createHttpSender({
    ...options,
    prepare: ({ request, startedAt, secrets, ...delivery }) => {
      const signing = { ...delivery, ...signingSecrets(secrets), body: request.body };
      return { request: { ...request, headers: merged(request.headers, signatureHeaders(signing, startedAt)) } };
    },
  });
}

/** Merges the request's headers with ours, which take precedence. */
function merged(theirs: readonly Header[], ours: readonly Header[]): Header[] {
  const names = new Set(ours.map(([name]) => name));
  return [...theirs.filter(([name]) => !names.has(name.toLowerCase())), ...ours];
}
