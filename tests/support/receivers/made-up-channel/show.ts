// How channels of the made-up kind are presented (tests/web/made-up-kinds.test.ts).
import type { ChannelShow } from '#channels/show.ts';

export const lineShow: ChannelShow = { type: 'LINE', label: 'Line printer', destination: 'address' };
