// Notice that a process refused connections, which may have carried pings (docs/decisions/0132).
import { hostname } from 'node:os';
import type { Notice } from './notices.ts';

/** Refused connections of this process. */
export type RefusedConnections = ReturnType<typeof createRefusedConnections>;

/** Refusals less than this apart are one period, ms. */
const closeMs = 60_000;
/** How long the last period is shown, ms. */
const shownMs = 86_400_000;

/**
 * @param failures counts pings that could not be received
 * @param now epoch ms
 */
export function createRefusedConnections(failures: { count: number }, now: () => number) {
  let last: { readonly from: number; to: number } | null = null;
  return {
    /** Notes that one was refused now. */
    note: (): void => {
      const at = now();
      failures.count++;
      if (last === null || at - last.to > closeMs) last = { from: at, to: at };
      else last.to = at;
    },
    notices(): readonly Notice[] {
      if (last === null || now() - last.to > shownMs) return [];
      const { from, to } = last;
      const seconds = Math.max(1, Math.ceil((to - from) / 1000));
      const length = seconds < 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
      return [
        {
          id: `connections-refused:${from}`,
          kind: 'connections-refused',
          since: from,
          subject: 'Tocsin',
          message: `For ${length}, until ${new Date(to).toISOString()}, the process ${process.pid} on ${hostname()} refused connections because all places were taken. Pings may have been among them, so heartbeats due then are inconclusive (downtime).`,
          action:
            'Find the client with the most connections, or raise the limit on open files. See docs/operating.md#connections.',
        },
      ];
    },
  };
}
