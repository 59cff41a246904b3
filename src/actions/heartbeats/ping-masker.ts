// Masks secrets in texts that a job sent with its pings, for pages that need no key.
import type { Store } from '#store/store.ts';
import { readHeartbeat } from '#domain/checks/heartbeat.ts';

export interface PingMaskerDeps extends Pick<Store, 'variables' | 'checks' | 'checkGroups'> {
  /** Returns a function that masks these values in a text. */
  readonly hide: (values: readonly string[]) => (text: string) => string;
}

/** Finds the masker of a heartbeat. It hides locked and secret variables, and the token of the ping URL. */
export type FindPingMasker = (accountId: string, checkId: string) => Promise<(text: string) => string>;

export function createFindPingMasker({ variables, checks, checkGroups, hide }: PingMaskerDeps): FindPingMasker {
  return async (accountId, checkId) => {
    const check = (await checks.find(accountId, checkId))?.check;
    const groupId = check?.groupId ?? null;
    const group = groupId === null ? null : await checkGroups.find(accountId, groupId);
    const all = [
      ...(await variables.all(accountId)),
      ...(group?.group.environmentVariables ?? []),
      ...(check?.environmentVariables ?? []),
    ];
    const hidden = all.filter(({ locked, secret }) => locked || secret).map(({ value }) => value);
    return hide([...hidden, readHeartbeat(check?.settings ?? {}).pingToken]);
  };
}
