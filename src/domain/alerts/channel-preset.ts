// Ready-made channel configurations for common receivers.
import type { JsonObject } from '../json.ts';

/** A configuration from which a channel can be created unchanged. */
export interface ChannelPreset {
  readonly type: string;
  /** Value of a webhook's `preset` field. */
  readonly webhookType?: string;
  /** Display name. */
  readonly name: string;
  /** What to fill in and where to find it. */
  readonly note: string;
  /** Variables that its templates use, to be created in the account; credentials are marked as locked. */
  readonly variables: readonly { readonly key: string; readonly locked: boolean }[];
  readonly config: JsonObject;
}
