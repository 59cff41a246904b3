// Search parameters of the deliveries page.
import { filterWords } from '../../ui/alerts/delivery-status.tsx';

export type DeliveryFilterStatus = keyof typeof filterWords;

export interface DeliveriesSearch {
  readonly status?: DeliveryFilterStatus;
  readonly channel?: number;
}

export function deliveriesSearch(search: Record<string, unknown>): DeliveriesSearch {
  const status = String(search['status']);
  const channel = Number(search['channel']);
  return {
    ...(Object.hasOwn(filterWords, status) && { status: status as DeliveryFilterStatus }),
    ...(Number.isSafeInteger(channel) && channel > 0 && { channel }),
  };
}
