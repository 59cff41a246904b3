// Search parameters of the deliveries page.
import { filterWords } from '../../ui/alerts/delivery-status.tsx';

export type DeliveryFilterStatus = keyof typeof filterWords;

export interface DeliveriesSearch {
  readonly status?: DeliveryFilterStatus;
  readonly channel?: number;
  /** Added in this time, ISO 8601. */
  readonly from?: string;
  readonly to?: string;
}

export function deliveriesSearch(search: Record<string, unknown>): DeliveriesSearch {
  const status = String(search['status']);
  const channel = Number(search['channel']);
  return {
    ...(Object.hasOwn(filterWords, status) && { status: status as DeliveryFilterStatus }),
    ...(Number.isSafeInteger(channel) && channel > 0 && { channel }),
    ...(isInstant(search['from']) && isInstant(search['to']) && { from: search['from'], to: search['to'] }),
  };
}

function isInstant(value: unknown): value is string {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value));
}
