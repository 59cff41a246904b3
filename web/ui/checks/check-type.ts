// Labels of check types.
import type { AnswerOf } from '#contract/operations.ts';

export type CheckType = AnswerOf<'getOverview'>['rows'][number]['checkType'];

export const checkTypeWords: Readonly<Record<CheckType, string>> = {
  API: 'API',
  URL: 'URL',
  BROWSER: 'Browser',
  MULTI_STEP: 'Multi-step',
  HEARTBEAT: 'Heartbeat',
  SSL: 'SSL',
  TCP: 'TCP',
  DNS: 'DNS',
  ICMP: 'ICMP',
};

/** Label of a result's time for this type. */
export function timeWord(type: CheckType): string {
  if (type === 'BROWSER' || type === 'MULTI_STEP') return 'Duration';
  if (type === 'HEARTBEAT') return 'Duration of the job';
  return type === 'ICMP' ? 'Round trip' : 'Response time';
}
