// Routes of badges.
import { hash } from 'node:crypto';
import type { BadgeSubject } from '#actions/badges/badge-links.ts';
import type { BadgeActions } from '#actions/badges/badges.ts';
import type { BadgeFacts, BadgeState } from '#domain/results/badge.ts';
import { type BadgeTone, drawBadge } from '#lib/markup/draw-badge.ts';
import { unauthenticated } from '../authenticate.ts';
import { Answer, type Call, type Route, route } from '../route.ts';

type BadgeCall = Pick<Call<'getCheckBadge'>, 'caller' | 'query' | 'headers'>;

export function badgeRoutes(actions: BadgeActions): Route[] {
  const show = async (subject: BadgeSubject, { caller, query, headers }: BadgeCall): Promise<Answer> => {
    const { token } = query;
    const facts = await actions.find(readerOf(caller, token), subject);
    const { value, tone } = looks[facts.state];
    const badge = { label: facts.name, value, tone, detail: query.responseTime ? timeOf(facts) : null };
    return imageAnswer(drawBadge({ ...badge, style: query.style, theme: query.theme }), caller === undefined, headers);
  };
  return [
    route('getCheckBadge', (call) => show({ checkId: call.params.checkId }, call)),
    route('getGroupBadge', (call) => show({ groupId: call.params.groupId }, call)),
    route('getCheckBadgeLink', async ({ caller, params: { checkId } }) => ({
      url: await actions.link(caller, { checkId }),
    })),
    route('getGroupBadgeLink', async ({ caller, params: { groupId } }) => ({
      url: await actions.link(caller, { groupId }),
    })),
    route('deleteBadgeLinks', ({ caller }) => actions.revokeLinks(caller)),
  ];
}

function readerOf(caller: BadgeCall['caller'], token: string | undefined): Parameters<BadgeActions['find']>[0] {
  if (caller !== undefined) return { caller };
  if (token === undefined) throw unauthenticated('Authentication is required.');
  return { token };
}

/** The words of the web UI. What is not known is never green. */
const looks: Readonly<Record<BadgeState, { readonly value: string; readonly tone: BadgeTone }>> = {
  passing: { value: 'Passing', tone: 'good' },
  degraded: { value: 'Degraded', tone: 'warning' },
  failing: { value: 'Failing', tone: 'bad' },
  unknown: { value: 'Unknown', tone: 'neutral' },
  pending: { value: 'Pending', tone: 'neutral' },
  paused: { value: 'Paused', tone: 'neutral' },
  empty: { value: 'No checks', tone: 'neutral' },
};

function timeOf({ responseMs }: BadgeFacts): string | null {
  if (responseMs === null) return null;
  const ms = Math.round(responseMs);
  return ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 0)} s`;
}

/** How long browsers and image proxies may show a badge of a link, in seconds. */
const maxAgeSeconds = 30;

/** The image, or 304 if the client has it. It runs no scripts and loads nothing, also if it is opened as a page. */
function imageAnswer(image: string, isOpen: boolean, headers: BadgeCall['headers']): Answer {
  const etag = `"${hash('sha256', image, 'base64url').slice(0, 22)}"`;
  const answered = {
    etag,
    'cache-control': isOpen ? `public, max-age=${maxAgeSeconds}` : 'private, no-cache',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
    'cross-origin-resource-policy': isOpen ? 'cross-origin' : 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-robots-tag': 'noindex',
  };
  const isKnown = headers['if-none-match']?.split(',').some((each) => [etag, `W/${etag}`, '*'].includes(each.trim()));
  return isKnown === true ? new Answer(304, undefined, answered) : new Answer(200, image, answered);
}
