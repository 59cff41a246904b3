/** A token that starts a check group or a check without a key (spec §2.3). Times are epoch ms. */
export interface Trigger {
  readonly accountId: string;
  /** Numbered per account. */
  readonly id: number;
  readonly token: string;
  /** Exactly one of the two is set. */
  readonly groupId: number | null;
  readonly checkId: string | null;
  readonly createdAt: number;
  readonly calledAt: number | null;
  readonly updatedAt: number | null;
}
