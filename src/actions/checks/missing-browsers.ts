// Notices about locations without Chromium, for the accounts that run browser checks there.
import type { Store } from '#store/store.ts';
import { placesOf } from '#domain/checks/plan-runs.ts';
import { isAlive, type ProcessSign, servedLocations } from '#domain/accounts/process.ts';
import { firstOf, type Notice } from '../operating/notices.ts';

export interface MissingBrowserDeps extends Pick<Store, 'processes' | 'browserChecks'> {
  /** Location of this process, used for checks without an available location. */
  readonly location: ProcessSign['location'];
  readonly now: () => number;
}

/**
 * The notices of an account, one for each location where it has browser checks and a process without Chromium. Reads
 * nothing of an account unless Chromium is missing somewhere.
 */
export function createMissingBrowsers({ processes, browserChecks, location, now }: MissingBrowserDeps) {
  return async (accountId: string): Promise<readonly Notice[]> => {
    const at = now();
    const [all, known] = await Promise.all([processes.list(), processes.locations()]);
    const lacking = all.flatMap(findLack).filter((one) => isAlive(one, at));
    if (lacking.length === 0) return [];
    const served = servedLocations(all, location, known, at).map(({ code }) => code);
    const places = (await browserChecks.locations(accountId)).flatMap((codes) => placesOf(codes, served));
    return served.flatMap((code) => {
      const lacks = lacking.filter((one) => one.code === code);
      const checks = places.filter((place) => place === code).length;
      return lacks.length === 0 || checks === 0 ? [] : [noticeOf(code, lacks, checks)];
    });
  };
}

/** A process without Chromium. */
interface Lack extends Pick<ProcessSign, 'host' | 'seenAt'> {
  /** Code of its location. */
  readonly code: string;
  readonly since: number;
}

function findLack({ location, host, seenAt, noBrowserSince: since }: ProcessSign): Lack[] {
  return since === null ? [] : [{ code: location.code, host, seenAt, since }];
}

function noticeOf(code: string, lacks: readonly Lack[], checks: number): Notice {
  const hosts = firstOf([...new Set(lacks.map(({ host }) => host))]);
  const reported = checks === 1 ? '1 active browser check' : `${checks} active browser checks`;
  return {
    id: `browser-missing:${code}`,
    kind: 'browser-missing',
    since: Math.min(...lacks.map(({ since }) => since)),
    subject: code,
    message: `Chromium is not installed on ${hosts}, so browser checks end as unknown there, which counts as neither up nor down. ${reported} of this account ${checks === 1 ? 'runs' : 'run'} at that location (${code}).`,
    action: `Run npm ci on that host, or set TOCSIN_CHROMIUM to the path of Chromium and restart.`,
  };
}
