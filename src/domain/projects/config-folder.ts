// The state of the folder that the service applies, which the processes share.

/** How it went last. Times are epoch ms. */
export interface ConfigFolderState {
  /** Process that applies the folder. */
  readonly owner: string;
  readonly leasedUntil: number;
  /** Account that it is applied to; null = not known yet. */
  readonly accountId: string | null;
  /** Why it is not applied, for people, and since when; null = it is. */
  readonly problem: { readonly message: string; readonly since: number } | null;
}
