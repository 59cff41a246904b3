// Sends messages to the webhook URL of a Slack channel, which is not part of the stored message.
import { createHttpSender } from '../../http/http-sender.ts';
import type { ChannelSender, SenderOptions } from '../../kind.ts';
import { textIn } from '../../parts/config-text.ts';

/** Creates a sender. */
export function createSlackSender(options: SenderOptions): ChannelSender {
  return createHttpSender({
    ...options,
    prepare: ({ request, secrets }) => {
      const url = textIn(secrets, 'url');
      const { pathname, search } = new URL(url);
      return {
        request: { ...request, url },
        secrets: [url, ...(pathname === '/' ? [] : [pathname + search, pathname])],
      };
    },
  });
}
