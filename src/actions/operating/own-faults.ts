// Notices about problems of this installation that make results inconclusive, for every account.
import type { Store } from '#store/store.ts';
import { isAlive, type ProcessSign } from '#domain/accounts/process.ts';
import type { Notice } from './notices.ts';

export interface OwnFaultDeps extends Pick<Store, 'processes'> {
  readonly now: () => number;
}

/** Returns the current notices. Host names of the installation are not named: every account reads them. */
export function createOwnFaultNotices({ processes, now }: OwnFaultDeps): () => Promise<readonly Notice[]> {
  return async () => {
    const at = now();
    const living = (await processes.list()).filter((one) => isAlive(one, at));
    const codes = [...new Set(living.map(({ location }) => location.code))];
    return codes.flatMap((code) => resolverNotice(code, living));
  };
}

function resolverNotice(code: string, living: readonly ProcessSign[]): Notice[] {
  const since = living.flatMap(({ location, resolverDownSince: down }) =>
    location.code === code && down !== null ? [down] : [],
  );
  if (since.length === 0) return [];
  return [
    {
      id: `resolver-down:${code}`,
      kind: 'resolver-down',
      since: Math.min(...since),
      subject: code,
      message: `The name servers at location ${code} do not answer. Checks that need a name lookup there are inconclusive (resolver) and send no alerts.`,
      action: 'Fix the name servers in /etc/resolv.conf of that host. See docs/operating.md#gaps.',
    },
  ];
}
