// Sends events to PagerDuty with the channel's routing key, which is not part of the stored event.
import type { JsonObject } from '#domain/json.ts';
import { createHttpSender } from '../../http/http-sender.ts';
import type { ChannelSender, SenderOptions } from '../../kind.ts';
import { textIn } from '../../parts/config-text.ts';

/** Creates a sender. */
export function createPagerDutySender({ guard, operatorGuard, gateways, ...options }: SenderOptions): ChannelSender {
  return createHttpSender({
    ...options,
    guard: gateways.pagerDutyUrl === null ? guard : operatorGuard,
    prepare: ({ request, secrets }) => {
      const key = textIn(secrets, 'serviceKey');
      const body = JSON.stringify({ ...(JSON.parse(request.body) as JsonObject), routing_key: key });
      return { request: { ...request, body }, secrets: [key] };
    },
  });
}
