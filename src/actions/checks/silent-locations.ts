// Notices about locations without a runner, for the accounts whose checks name them (docs/decisions/0098).
import type { Store } from '#store/store.ts';
import type { ShownLocation } from '#domain/accounts/process.ts';
import type { Notice } from '../operating/notices.ts';

export interface SilentLocationDeps extends Pick<Store, 'checkLocations'> {
  /** All known locations. */
  readonly locations: () => readonly ShownLocation[];
  readonly now: () => number;
}

/** The notices of an account: one for each location that its checks name and that has no runner. */
export function createSilentLocations({ checkLocations, locations, now }: SilentLocationDeps) {
  return async (accountId: string): Promise<readonly Notice[]> => {
    const named = await checkLocations.named(accountId);
    const known = new Map(locations().map((one) => [one.code, one]));
    // A location that nobody has served for a month, or since a restore, is not known.
    const isSilent = (code: string): boolean => known.get(code)?.silentSince !== null;
    const silent = new Set(named.flatMap(({ codes }) => codes.filter(isSilent)));
    return [...silent].map((code) => {
      const lists = named.filter(({ codes }) => codes.includes(code));
      const count = (counted: readonly { readonly checks: number }[]): number =>
        counted.reduce((sum, { checks }) => sum + checks, 0);
      const waiting = count(lists.filter(({ codes }) => codes.every(isSilent)));
      const others = count(lists) - waiting;
      return noticeOf(code, known.get(code)?.silentSince ?? null, { waiting, others, now: now() });
    });
  };
}

interface Affected {
  /** Number of checks without another available location. */
  readonly waiting: number;
  readonly others: number;
  readonly now: number;
}

function noticeOf(code: string, silentSince: number | null, { waiting, others, now }: Affected): Notice {
  const since = silentSince === null ? '' : ` since ${new Date(silentSince).toISOString()}`;
  const parts = [
    ...(waiting === 0
      ? []
      : [
          `${checks(waiting)} cannot run: ${waiting === 1 ? 'its' : 'their'} runs wait, and end without a verdict after ten minutes.`,
        ]),
    ...(others === 0 ? [] : [`${checks(others)} ${others === 1 ? 'runs' : 'run'} only at other locations.`]),
  ];
  return {
    id: `location-silent:${code}`,
    kind: 'location-silent',
    since: silentSince ?? now,
    subject: code,
    message: `No process runs checks at location ${code}${since}. ${parts.join(' ')}`,
    action: `Start a process with the role runner and TOCSIN_LOCATION=${code}, or remove the location from the checks.`,
  };
}

function checks(count: number): string {
  return count === 1 ? '1 active check' : `${count} active checks`;
}
