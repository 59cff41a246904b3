// Check types as people read them.
import type { AnswerOf } from '#contract/operations.ts';

export type CheckType = AnswerOf<'getOverview'>['rows'][number]['checkType'];

export const checkTypeWords: Readonly<Record<CheckType, string>> = {
  API: 'API',
  URL: 'URL',
  BROWSER: 'Browser',
  MULTI_STEP: 'Multistep',
  HEARTBEAT: 'Heartbeat',
  SSL: 'SSL',
  TCP: 'TCP',
  DNS: 'DNS',
  ICMP: 'ICMP',
};
