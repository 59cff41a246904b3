// The time zone in which an account's messages and linked pages show times (docs/decisions/0141).
import { zoneOf } from '#domain/accounts/time-zone.ts';
import type { Store } from '#store/store.ts';

export interface AccountZoneDeps extends Pick<Store, 'accounts'> {
  /** IANA name. */
  readonly serverTimeZone: string;
}

/** IANA name; the server's zone for an unknown account. May miss changes by other processes for up to a second. */
export async function accountZone({ accounts, serverTimeZone }: AccountZoneDeps, accountId: string): Promise<string> {
  const [account] = await accounts.list([accountId]);
  return zoneOf(account, serverTimeZone);
}
