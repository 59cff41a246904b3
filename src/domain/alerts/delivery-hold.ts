/** Why deliveries are held. Times are epoch ms. */
export interface DeliveryHold {
  /** When the hold began. */
  readonly since: number;
  /** `restore` = a backup was restored; `setting`: TOCSIN_DELIVERIES=held. */
  readonly reason: 'restore' | 'setting';
  /** Time of the newest restored data; null = nothing was restored. */
  readonly backupAt: number | null;
}
