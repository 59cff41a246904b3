// Configurations of alert channels to start from, for what people send alerts to.
import type { JsonObject } from '../json.ts';

/** A configuration to start from; a channel is created from it as it is. */
export interface ChannelPreset {
  readonly type: string;
  /** As a channel of a webhook carries it. */
  readonly webhookType?: string;
  /** For people. */
  readonly name: string;
  /** What to fill in, and where to find it. */
  readonly note: string;
  /** Variables that its templates use, to be made in the account; those that open something are to be marked locked. */
  readonly variables: readonly { readonly key: string; readonly locked: boolean }[];
  readonly config: JsonObject;
}
