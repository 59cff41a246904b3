// What a delivery is for, and what it means for its channel that a delivery has ended (docs/decisions/0026).
import { type Attempt, type Delivery, type DeliveryStatus, deliveryStatuses, retryPausesMs } from './delivery.ts';

/**
 * `digest` is a grouped notification, `report` one on the account, `status` is about changes of a status page, `notice`
 * about a failing channel or a fault of Tocsin.
 */
export type DeliveryPurpose = 'alert' | 'digest' | 'report' | 'status' | 'test' | 'notice';

/** What a delivery is for. A replay has the purpose of its original. */
export function purposeOf({
  isTest,
  isDigest,
  checkId,
  alertType,
  pageChangeId,
}: Pick<Delivery, 'isTest' | 'isDigest' | 'pageChangeId'> & {
  readonly checkId: unknown;
  readonly alertType: string | null;
}): DeliveryPurpose {
  if (isTest) return 'test';
  if (isDigest === true) return 'digest';
  if (pageChangeId !== undefined) return 'status';
  if (alertType === null) return 'report';
  return checkId === null ? 'notice' : 'alert';
}

/**
 * Whether its loss is reported through other channels. Nobody waits for a test or a report, pages tell the same, and a lost notice must not
 * cause others.
 */
export const isReported: Readonly<Record<DeliveryPurpose, boolean>> = {
  alert: true,
  digest: true,
  report: false,
  status: false,
  test: false,
  notice: false,
};

/** What each status says about the channel: its receiver answered, or nobody received the message. */
const meaningOf: Readonly<Record<DeliveryStatus, 'answered' | 'lost' | null>> = {
  pending: null,
  collecting: null,
  delivered: 'answered',
  exhausted: 'lost',
  refused: 'lost',
  failed: 'lost',
  cancelled: null,
  digested: null,
  superseded: null,
};

/** Statuses of deliveries that nobody received and that nobody asked to end. */
export const lostStatuses: readonly DeliveryStatus[] = deliveryStatuses.filter((each) => meaningOf[each] === 'lost');

/**
 * What an attempt, or an end without one, means for the channel. `overdue`: all attempts of the specification have
 * failed, and further ones follow.
 */
export type DeliveryEnd = 'received' | 'redirected' | 'lost' | 'overdue';

/** null = the delivery continues, or its end says nothing about the channel. */
export function deliveryEnd(
  { number, response, error }: Pick<Attempt, 'number' | 'response' | 'error'>,
  status: DeliveryStatus,
): DeliveryEnd | null {
  if (meaningOf[status] === 'lost') return 'lost';
  if (meaningOf[status] === 'answered') return (response?.status ?? 0) >= 300 ? 'redirected' : 'received';
  return status === 'pending' && error !== null && number === specifiedAttempts ? 'overdue' : null;
}

/** Attempts of the specification; only a long tail or a receiver that asks for a delay adds others. */
const specifiedAttempts = retryPausesMs.length + 1;

/** Whether a lost delivery was counted before, when its attempts of the specification had failed. */
export function wasOverdue(number: number): boolean {
  return number > specifiedAttempts;
}
