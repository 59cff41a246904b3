// The forms of all kinds, the common ones first.
import type { ChannelForm } from '#channels/form.ts';
import * as channels from '#channels/forms.ts';
import type { CheckForm } from '#checks/form.ts';
import * as checks from '#checks/forms.ts';

export const checkForms: readonly CheckForm[] = Object.values<CheckForm>(checks).toSorted(commonFirst);
export const channelForms: readonly ChannelForm[] = Object.values<ChannelForm>(channels).toSorted(commonFirst);

function commonFirst(one: CheckForm | ChannelForm, other: CheckForm | ChannelForm): number {
  return Number(other.isCommon ?? false) - Number(one.isCommon ?? false) || one.type.localeCompare(other.type);
}
