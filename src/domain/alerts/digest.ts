// A digest: what a message to a person says about the alerts that it replaces.
import type { AlertType } from './alert.ts';

/** States that a digest distinguishes, in the order of their sections. */
export const digestStates = ['failing', 'degraded', 'certificate', 'recovered', 'stillFailing'] as const;
export type DigestState = (typeof digestStates)[number];

/** A check in a digest. */
export interface DigestCheck {
  readonly checkId: string;
  readonly name: string;
  /** Why it failed; null = unknown, or it recovered. */
  readonly error: string | null;
  /** The result of its last alert in this digest; null = none. */
  readonly resultId: string | null;
  /** Its incident, if it is open and not acknowledged. */
  readonly incidentId: string | null;
}

/** Checks of one state. */
export interface DigestSection {
  readonly state: DigestState;
  /** All of them. */
  readonly count: number;
  /** The first of them, by name. */
  readonly checks: readonly DigestCheck[];
}

/** The state of the alerts of a channel when the digest leaves. */
export interface Digest {
  /** Epoch ms. */
  readonly at: number;
  /** Number of alerts that it replaces. */
  readonly alerts: number;
  /** Without empty ones. */
  readonly sections: readonly DigestSection[];
}

/** Maximum number of checks that a digest lists. */
export const listedChecks = 100;

const names = new Intl.Collator('en', { numeric: true });

/** Orders checks by name, `Check 2` before `Check 10`. */
export function byName(a: Pick<DigestCheck, 'name'>, b: Pick<DigestCheck, 'name'>): number {
  return names.compare(a.name, b.name);
}

/** An alert in a digest. */
export interface DigestedAlert {
  readonly checkId: string;
  readonly alertType: AlertType;
  readonly alertId: string | null;
  /** false = a reminder. */
  readonly isNews: boolean;
}

/** What a channel was last notified of, by check; without closed alerts. */
export type OpenAlerts = ReadonlyMap<string, 'failure' | 'degraded'>;

/** A check of a section before its texts are read. */
export interface SortedCheck {
  readonly checkId: string;
  /** Its last alert in the digest; null = none. */
  readonly alertId: string | null;
}

/**
 * Sorts the checks of a digest by their state when it leaves. A check that failed and recovered meanwhile has recovered.
 *
 * @param alerts oldest first
 */
export function sortDigest(
  alerts: readonly DigestedAlert[],
  open: OpenAlerts,
): readonly { readonly state: DigestState; readonly checks: readonly SortedCheck[] }[] {
  const sorted = new Map<DigestState, SortedCheck[]>(digestStates.map((state) => [state, []]));
  const add = (state: DigestState, check: SortedCheck): void => void sorted.get(state)?.push(check);
  const [last, certificates] = [new Map<string, SortedCheck>(), new Map<string, SortedCheck>()];
  const news = new Set<string>();
  for (const { checkId, alertId, alertType, isNews } of alerts) {
    if (isNews) news.add(checkId);
    (alertType === 'ALERT_SSL' ? certificates : last).set(checkId, { checkId, alertId });
  }
  for (const check of last.values()) {
    const now = open.get(check.checkId);
    const failing = news.has(check.checkId) ? 'failing' : 'stillFailing';
    add(now === undefined ? 'recovered' : now === 'failure' ? failing : 'degraded', check);
  }
  for (const check of certificates.values()) add('certificate', check);
  for (const [checkId, state] of open) {
    if (state === 'failure' && !last.has(checkId)) add('stillFailing', { checkId, alertId: null });
  }
  return [...sorted].map(([state, checks]) => ({ state, checks })).filter(({ checks }) => checks.length > 0);
}

/** The alert type of a digest, for filters and logs. */
export function digestAlertType(sections: readonly Pick<DigestSection, 'state'>[]): AlertType {
  const states = new Set(sections.map(({ state }) => state));
  if (states.has('failing')) return 'ALERT_FAILURE';
  if (states.has('degraded')) return 'ALERT_DEGRADED';
  if (states.has('recovered') || states.size === 0) return 'ALERT_RECOVERY';
  return states.has('certificate') ? 'ALERT_SSL' : 'ALERT_FAILURE';
}

/** Where the alerts of a digest are sent, and where those of each check go from now on. */
export interface RoutedDigest<Member> {
  readonly own: readonly Member[];
  readonly other: readonly Member[];
  /** The channel of the opening alert, for checks that this digest opens; null = its own. */
  readonly routes: ReadonlyMap<string, number | null>;
}

/**
 * Splits a digest as its alerts would be sent one by one (docs/decisions/0129): news go to another channel outside of
 * the active hours, and recoveries and reminders go where the opening alert went.
 *
 * @param members oldest first
 * @param routes where the open alerts of checks went; null = the channel itself
 * @param outside the other channel; null = the channel is active
 */
export function routeDigest<Member extends DigestedAlert>(
  members: readonly Member[],
  routes: ReadonlyMap<string, number | null>,
  outside: number | null,
): RoutedDigest<Member> {
  const opened = new Map<string, number | null>();
  const [own, other]: [Member[], Member[]] = [[], []];
  for (const member of members) {
    const { checkId, alertType, isNews } = member;
    const isOpening = isNews && (alertType === 'ALERT_FAILURE' || alertType === 'ALERT_DEGRADED');
    if (isOpening) opened.set(checkId, outside);
    const known = opened.has(checkId) ? opened.get(checkId) : routes.get(checkId);
    const route = isOpening || alertType === 'ALERT_SSL' ? outside : (known ?? null);
    (route === null ? own : other).push(member);
  }
  return { own, other, routes: opened };
}
