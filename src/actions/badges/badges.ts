// Badges of checks and groups: what they show, to callers and to anyone with a link.
import type { Store } from '#store/store.ts';
import { badgeOf, type BadgeFacts } from '#domain/results/badge.ts';
import type { Caller } from '#domain/accounts/api-key.ts';
import { overviewEntry } from '#domain/results/overview.ts';
import type { Clock } from '#lib/clock.ts';
import { createRecent } from '#lib/recent.ts';
import { requirePermission } from '../accounts/permission.ts';
import { notFound, notFoundMessage } from '../refusal.ts';
import type { OverviewDeps } from '../results/overview.ts';
import type { BadgeLinks, BadgeSubject } from './badge-links.ts';

export interface BadgeDeps extends Pick<OverviewDeps, 'targetOf'>, Pick<Store, 'accounts'> {
  readonly overview: Pick<OverviewDeps['overview'], 'checks'>;
  readonly links: BadgeLinks;
  readonly clock: Clock;
}

/** Who reads a badge: a caller of its account, or anyone with the token of its link. */
export type BadgeReader = { readonly caller: Caller } | { readonly token: string };

export type BadgeActions = ReturnType<typeof createBadgeActions>;

/** How long the badge of a link is cached, ms, because pages with many visitors request it. */
const badgeLastsMs = 10_000;
const maxBadges = 10_000;

/** A badge, and the generation of links that may show it. */
interface LinkedBadge {
  /** null = unknown subject. */
  readonly facts: BadgeFacts | null;
  readonly generation: number | null;
}

interface CachedBadge {
  readonly at: number;
  readonly badge: Promise<LinkedBadge>;
}

export function createBadgeActions({ accounts, overview, targetOf, links, clock }: BadgeDeps) {
  const cached = createRecent<CachedBadge>({ max: maxBadges, sizeOf: () => 1 });
  const read = async (accountId: string, subject: BadgeSubject): Promise<BadgeFacts | null> => {
    const { checks, groups } = await overview.checks(accountId, targetOf);
    const now = clock.now();
    const isOwn = (of: { readonly checkId: string; readonly groupId: number | null }): boolean =>
      'checkId' in subject ? of.checkId === subject.checkId : of.groupId === subject.groupId;
    // Maintenance is not shown.
    const entries = checks.filter(isOwn).map((check) => overviewEntry(check, false, now));
    const name = 'checkId' in subject ? entries[0]?.check.name : groups.get(subject.groupId);
    return name === undefined ? null : badgeOf(name, entries, now);
  };
  const readLinked = async (accountId: string, subject: BadgeSubject): Promise<LinkedBadge> => ({
    generation: await accounts.badgeGeneration(accountId),
    facts: await read(accountId, subject),
  });
  const readCached = (accountId: string, subject: BadgeSubject): Promise<LinkedBadge> => {
    const key = `${accountId} ${'checkId' in subject ? subject.checkId : subject.groupId}`;
    const now = clock.now();
    const before = cached.get(key);
    if (before !== undefined && now >= before.at && now - before.at < badgeLastsMs) return before.badge;
    const badge = readLinked(accountId, subject);
    cached.set(key, { at: now, badge });
    // A failure is not cached.
    badge.catch(() => cached.set(key, { at: Number.NEGATIVE_INFINITY, badge }));
    return badge;
  };
  const required = async ({ accountId }: Caller, subject: BadgeSubject): Promise<BadgeFacts> => {
    const facts = await read(accountId, subject);
    if (facts !== null) return facts;
    throw 'checkId' in subject ? notFound('check', subject.checkId) : notFound('check group', subject.groupId);
  };
  return {
    /**
     * The badge, for links up to 10 s old. Refuses (`not-found`) an unknown subject, and with one message an invalid or revoked
     * token and the token of a deleted subject.
     */
    async find(reader: BadgeReader, subject: BadgeSubject): Promise<BadgeFacts> {
      if ('caller' in reader) {
        requirePermission(reader.caller, 'read');
        return required(reader.caller, subject);
      }
      const linked = links.open(reader.token, subject, clock.now());
      const badge = linked && (await readCached(linked.accountId, subject));
      const isValid = badge !== null && badge.generation === linked?.generation;
      if (!isValid || badge.facts === null)
        throw notFoundMessage('Badge not found. Its link is incomplete or no longer works.');
      return badge.facts;
    },
    /** The public link of a badge; refuses `not-found`. Publishing a state requires the permission to edit. */
    async link(caller: Caller, subject: BadgeSubject): Promise<string> {
      requirePermission(caller, 'write');
      await required(caller, subject);
      const { accountId } = caller;
      return links.link({ accountId, generation: (await accounts.badgeGeneration(accountId)) ?? 0 }, subject);
    },
    /** Revokes the links of all badges of the account: they stop working within 10 s. */
    async revokeLinks(caller: Caller): Promise<void> {
      requirePermission(caller, 'admin');
      await accounts.revokeBadgeLinks(caller.accountId);
    },
  };
}
