// Alert types as people read them.
import type { AnswerOf } from '#contract/operations.ts';

export const alertWords: Readonly<Record<AnswerOf<'getDelivery'>['alertType'], string>> = {
  ALERT_FAILURE: 'Failing',
  ALERT_DEGRADED: 'Degraded',
  ALERT_RECOVERY: 'Recovered',
  ALERT_DEGRADED_RECOVERY: 'Recovered from degraded',
  ALERT_SSL: 'Certificate expires',
};

/** What a delivery is called. */
export function deliveryWords({
  alertType,
  isTest,
  isDigest,
}: Pick<AnswerOf<'getDelivery'>, 'alertType' | 'isTest' | 'isDigest'>): string {
  if (isTest) return testMessageWords;
  return isDigest === true ? 'Digest' : alertWords[alertType];
}

/** What the deliveries of a test are called. */
export const testMessageWords = 'Test message';
