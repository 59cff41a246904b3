// Labels of alert types.
import type { AnswerOf } from '#contract/operations.ts';

export const alertWords: Readonly<Record<NonNullable<AnswerOf<'getDelivery'>['alertType']>, string>> = {
  ALERT_FAILURE: 'Failing',
  ALERT_DEGRADED: 'Degraded',
  ALERT_RECOVERY: 'Recovered',
  ALERT_DEGRADED_RECOVERY: 'Recovered from degraded',
  ALERT_SSL: 'Certificate expires',
};

/** Labels of deliveries. */
export function deliveryWords({
  alertType,
  isTest,
  isDigest,
  pageChangeId,
}: Pick<AnswerOf<'getDelivery'>, 'alertType' | 'isTest' | 'isDigest' | 'pageChangeId'>): string {
  if (isTest) return testMessageWords;
  if (pageChangeId !== undefined) return 'Status page';
  if (alertType === null) return 'Report';
  return isDigest === true ? 'Grouped notification' : alertWords[alertType];
}

/** Labels of test deliveries. */
export const testMessageWords = 'Test message';
