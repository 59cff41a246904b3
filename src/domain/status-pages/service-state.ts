// The state of a service, from its checks, incidents and maintenance.
import type { IncidentSeverity, ServiceThreshold } from './status-service.ts';

/** From best to worst; `unknown` = there is no data, which never counts as operational. */
export const serviceStates = ['operational', 'maintenance', 'unknown', 'degraded', 'outage'] as const;
export type ServiceState = (typeof serviceStates)[number];

/** A check of a service at a point in time. */
export interface MemberState {
  /** null = no result yet, or none that can be trusted. */
  readonly status: 'passing' | 'degraded' | 'failing' | null;
  /** Epoch ms; null = no result yet. */
  readonly since: number | null;
  /** Whether it runs: activated, as is its group. */
  readonly isActive: boolean;
  readonly isInMaintenance: boolean;
  /** Newest status by location, if it runs in several. */
  readonly byLocation: readonly ('passing' | 'degraded' | 'failing')[];
}

/** A state and when it began, epoch ms; null = not known. */
export interface StateSince {
  readonly state: ServiceState;
  readonly since: number | null;
}

/** The worse of two states. */
export function worseState(one: ServiceState, other: ServiceState): ServiceState {
  return serviceStates.indexOf(one) >= serviceStates.indexOf(other) ? one : other;
}

/** The worst state of several; unknown if there is none. */
export function worstState(states: readonly ServiceState[]): ServiceState {
  return states.length === 0 ? 'unknown' : states.reduce(worseState);
}

/**
 * The state that checks give a service. Checks in maintenance do not count while others do; paused ones never do. Below
 * a threshold, failures degrade it.
 */
export function stateOfMembers(members: readonly MemberState[], threshold: ServiceThreshold | null): StateSince {
  const active = members.filter(({ isActive }) => isActive);
  const counted = active.filter(({ isInMaintenance }) => !isInMaintenance);
  if (counted.length === 0) return { state: active.length > 0 ? 'maintenance' : 'unknown', since: null };
  const failing = counted.filter(({ status }) => status === 'failing');
  const troubled = counted.filter(({ status }) => status === 'failing' || status === 'degraded');
  if (failing.length > 0 && isReached(counted, threshold))
    return { state: 'outage', since: sinceNth(failing, threshold) };
  if (troubled.length > 0) return { state: 'degraded', since: earliest(troubled) };
  if (counted.some(({ status }) => status === null)) return { state: 'unknown', since: null };
  return { state: 'operational', since: latest(counted) };
}

function isReached(members: readonly MemberState[], threshold: ServiceThreshold | null): boolean {
  const failing = members.filter(({ status }) => status === 'failing');
  if (threshold === null) return failing.length > 0;
  if (threshold.of === 'CHECKS') return failing.length >= threshold.count;
  // A check that runs in one location at a time speaks for one.
  const locations = members.flatMap(({ byLocation, status }): readonly MemberState['status'][] =>
    byLocation.length > 0 ? byLocation : [status],
  );
  return locations.filter((status) => status === 'failing').length >= threshold.count;
}

/** When the failure began that reached the threshold. */
function sinceNth(failing: readonly MemberState[], threshold: ServiceThreshold | null): number | null {
  const starts = failing.flatMap(({ since }) => (since === null ? [] : [since])).sort((one, other) => one - other);
  const count = threshold?.of === 'CHECKS' ? threshold.count : 1;
  return starts[count - 1] ?? starts.at(-1) ?? null;
}

function earliest(members: readonly MemberState[]): number | null {
  const starts = members.flatMap(({ since }) => (since === null ? [] : [since]));
  return starts.length === 0 ? null : Math.min(...starts);
}

function latest(members: readonly MemberState[]): number | null {
  const starts = members.flatMap(({ since }) => (since === null ? [] : [since]));
  return starts.length === 0 ? null : Math.max(...starts);
}

/** The state that an open published incident gives its services. */
export const stateOfSeverity: Readonly<Record<IncidentSeverity, ServiceState>> = {
  MINOR: 'degraded',
  MEDIUM: 'degraded',
  MAJOR: 'outage',
  CRITICAL: 'outage',
};
