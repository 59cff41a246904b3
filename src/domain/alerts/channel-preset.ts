// Configurations of alert channels to start from, for what people send alerts to.

/** A configuration to start from; a channel is created from it as it is. */
export interface ChannelPreset {
  readonly type: 'WEBHOOK';
  /** As a channel carries it. */
  readonly webhookType: string;
  /** For people. */
  readonly name: string;
  /** What to fill in, and where to find it. */
  readonly note: string;
  /** Variables that its templates use, to be made in the account; those that open something are to be marked locked. */
  readonly variables: readonly { readonly key: string; readonly locked: boolean }[];
  readonly config: {
    readonly name: string;
    readonly webhookType: string;
    readonly longTail: true;
    readonly url: string;
    readonly method: 'POST';
    readonly headers: readonly PresetPair[];
    readonly queryParameters: readonly PresetPair[];
    readonly template: string;
  };
}

/** A header or a query parameter. */
export interface PresetPair {
  readonly key: string;
  readonly value: string;
  readonly locked: boolean;
}
