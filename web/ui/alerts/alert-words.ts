// Alert types as people read them.
import type { AnswerOf } from '#contract/operations.ts';

export const alertWords: Readonly<Record<AnswerOf<'getDelivery'>['alertType'], string>> = {
  ALERT_FAILURE: 'Failing',
  ALERT_DEGRADED: 'Degraded',
  ALERT_RECOVERY: 'Recovered',
  ALERT_DEGRADED_RECOVERY: 'Recovered from degraded',
  ALERT_SSL: 'Certificate expires',
};

/** What the deliveries of a test are called. */
export const testMessageWords = 'Test message';
