/** Why no delivery is sent. Instants are epoch ms. */
export interface DeliveryHold {
  /** When the hold began. */
  readonly since: number;
  /** `restore` = a backup was restored; `setting` = TOCSIN_DELIVERIES=held. */
  readonly reason: 'restore' | 'setting';
  /** Of which moment the restored data is; null = it was not restored. */
  readonly backupAt: number | null;
}
