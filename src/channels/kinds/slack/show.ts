// How Slack channels are presented.
import type { ChannelShow } from '../../show.ts';

export const slackShow: ChannelShow = { type: 'SLACK', label: 'Slack', icon: 'message', destination: 'channel' };
