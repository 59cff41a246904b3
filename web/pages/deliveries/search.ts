// Search parameters of the deliveries page.
import type { AnswerOf } from '#contract/operations.ts';
import { deliveryStatusWords } from '../../ui/alerts/delivery-status.tsx';

export interface DeliveriesSearch {
  readonly status?: AnswerOf<'getDelivery'>['status'];
  readonly channel?: number;
}

export function deliveriesSearch(search: Record<string, unknown>): DeliveriesSearch {
  const status = String(search['status']);
  const channel = Number(search['channel']);
  return {
    ...(status in deliveryStatusWords && { status: status as AnswerOf<'getDelivery'>['status'] }),
    ...(Number.isSafeInteger(channel) && channel > 0 && { channel }),
  };
}
