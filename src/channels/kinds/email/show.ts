// How email channels are presented.
import type { ChannelShow } from '../../show.ts';

export const emailShow: ChannelShow = {
  type: 'EMAIL',
  label: 'Email',
  icon: 'mail',
  destination: 'address',
  receivesReports: true,
};
