// The interface of a channel kind's show part: how the web UI presents its channels. Show parts belong to the browser's
// bundle, so they are pure and import only types.

/** How a channel kind is presented. */
export interface ChannelShow {
  /** The channel's `type`. */
  readonly type: string;
  readonly label: string;
  /** Default: send. */
  readonly icon?: 'bell' | 'mail' | 'message' | 'phone' | 'send' | 'siren' | 'smartphone' | 'webhook';
  /** The field of a configuration that identifies a channel without a name. */
  readonly destination?: string;
  /** Whether its channels can receive reports. */
  readonly receivesReports?: true;
}
