// How PagerDuty channels are presented.
import type { ChannelShow } from '../../show.ts';

export const pagerDutyShow: ChannelShow = {
  type: 'PAGERDUTY',
  label: 'PagerDuty',
  icon: 'siren',
  destination: 'serviceName',
};
