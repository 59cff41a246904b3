// Badges: pictures of a state for pages elsewhere.
import { isPending, type OverviewEntry, type OverviewState } from './overview.ts';

export const badgeStyles = ['flat', 'plastic', 'flat-square', 'for-the-badge', 'social'] as const;
export type BadgeStyle = (typeof badgeStyles)[number];

export const badgeThemes = ['default', 'light', 'dark'] as const;
export type BadgeTheme = (typeof badgeThemes)[number];

/** `pending` = no result yet, and none is overdue; `empty` = a group without checks. */
export type BadgeState = OverviewState | 'pending' | 'empty';

/** What a badge says. */
export interface BadgeFacts {
  readonly name: string;
  readonly state: BadgeState;
  /** ms, of the newest results; null = not measured, or outdated. */
  readonly responseMs: number | null;
}

/** Worst first: a check without a known state hides those that pass. */
const order: readonly BadgeState[] = ['failing', 'degraded', 'unknown', 'pending', 'passing', 'paused'];

/**
 * The badge of a check, or of a group: the worst state of its checks, and the mean of their response times.
 * @param now epoch ms
 */
export function badgeOf(name: string, checks: readonly OverviewEntry[], now: number): BadgeFacts {
  const states = new Set<BadgeState>(checks.map((entry) => (isPending(entry, now) ? 'pending' : entry.state)));
  const times = checks.flatMap(({ state, check }) =>
    state === 'unknown' || state === 'paused' ? [] : (check.state?.lastResponseMs ?? []),
  );
  return {
    name,
    state: order.find((state) => states.has(state)) ?? 'empty',
    responseMs: times.length === 0 ? null : times.reduce((sum, ms) => sum + ms, 0) / times.length,
  };
}
