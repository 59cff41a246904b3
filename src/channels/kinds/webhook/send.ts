/** Signs the requests of webhooks. */
import type { SendOutcome } from '#domain/deliveries/delivery.ts';
import type { Prepare } from '../../http/http-sender.ts';
import { signingSecrets } from './sign.ts';
import { signatureHeaders } from './sign.ts';

type Header = SendOutcome['headers'][number];

/** Adds the headers of an attempt (decisions: Webhook delivery). */
export const prepareWebhook: Prepare = ({ request, startedAt, secrets, ...delivery }) => {
  const signing = { ...delivery, ...signingSecrets(secrets), body: request.body };
  return { request: { ...request, headers: merged(request.headers, signatureHeaders(signing, startedAt)) } };
};

/** Merges the request's headers with ours, which take precedence. */
function merged(theirs: readonly Header[], ours: readonly Header[]): Header[] {
  const names = new Set(ours.map(([name]) => name));
  return [...theirs.filter(([name]) => !names.has(name.toLowerCase())), ...ours];
}
