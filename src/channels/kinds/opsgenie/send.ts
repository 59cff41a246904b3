// Sends requests to Opsgenie with the channel's key.
import { mask } from '#domain/deliveries/shown-url.ts';
import { createHttpSender } from '../../http/http-sender.ts';
import type { ChannelSender, SenderOptions } from '../../kind.ts';
import { textIn } from '../../parts/config-text.ts';

/** Creates a sender. */
export function createOpsgenieSender({ guard, operatorGuard, gateways, ...options }: SenderOptions): ChannelSender {
  return createHttpSender({
    ...options,
    guard: gateways.opsgenieUrl === null ? guard : operatorGuard,
    prepare: ({ request, secrets }) => {
      const key = textIn(secrets, 'apiKey');
      const headers = (shown: string) => [...request.headers, ['authorization', `GenieKey ${shown}`]] as const;
      return { request: { ...request, headers: headers(key) }, loggedHeaders: headers(mask), secrets: [key] };
    },
  });
}
