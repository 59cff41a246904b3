// Who would be notified if a check failed now, by the rules that choose the channels of an alert, and what would hold its
// alert back.
import { isMutedAt, lastsUntilRecovery } from '../checks/effective-check.ts';
import { occurrenceAt } from '../checks/maintenance-window.ts';
import { maintenanceOf } from '../checks/state-rules.ts';
import type { CheckContext } from '../results/recording.ts';
import type { ActiveHours } from './active-hours.ts';
import { activeFrom } from './active-hours.ts';
import type { AlertType } from './alert.ts';
import type { AlertEvent, Listener } from './listener.ts';
import { notificationsOf, notNotified } from './notify.ts';
import type { Suppressor } from './suppression.ts';

/** A channel that is subscribed to a check, to its group, or to both. */
export interface Subscriber extends Omit<Listener, 'isSubscribed' | 'isViaGroup' | 'notified' | 'escalationMs'> {
  readonly isOfCheck: boolean;
  readonly isOfGroup: boolean;
  readonly activeHours: ActiveHours | null;
  /** Since when its deliveries fail, epoch ms; null = they do not. */
  readonly failingSince: number | null;
  /** After these minutes it is notified of an alert that is still open and not acknowledged; 0 = at once. */
  readonly escalationMinutes: number;
  /** When it is notified of the alert that is open now, epoch ms; null = it does not wait. */
  readonly escalatesAt: number | null;
}

/** What a channel would receive. */
export interface WouldReceive extends Pick<
  Subscriber,
  'alertChannelId' | 'isOfCheck' | 'isOfGroup' | 'failingSince' | 'escalationMinutes' | 'escalatesAt'
> {
  /** Of a failure and the recovery after it, in this order; empty = nothing. */
  readonly alertTypes: readonly AlertType[];
  /** Outside of its active hours: when they begin, epoch ms; null = it is active. */
  readonly activeFrom: number | null;
  /** Outside of its active hours, this channel is notified at once; null = the message waits. */
  readonly insteadChannelId: number | null;
}

const silence = {
  opens: null,
  escalates: null,
  isPassing: false,
  isMuted: false,
  flapping: null,
  reminders: null,
  certificate: null,
};

/** @param now epoch ms */
export function wouldReceive(channel: Subscriber, now: number): WouldReceive {
  const { alertChannelId, isOfCheck, isOfGroup, activeHours, failingSince, escalationMinutes, escalatesAt } = channel;
  const listener: Listener = { ...channel, isSubscribed: true, isViaGroup: isOfGroup, notified: notNotified };
  const failure: AlertEvent = { ...silence, opens: 'ALERT_FAILURE', now, status: 'failing' };
  const opened = notificationsOf(failure, [listener]);
  const recovery: AlertEvent = { ...silence, isPassing: true, now, status: 'passing' };
  const closed = opened.flatMap(({ notified }) => notificationsOf(recovery, [{ ...listener, notified }]));
  const begins = activeHours === null ? now : activeFrom(activeHours, now);
  return {
    alertChannelId,
    isOfCheck,
    isOfGroup,
    failingSince,
    escalationMinutes,
    escalatesAt,
    alertTypes: [...opened, ...closed].flatMap(({ alertTypes }) => alertTypes),
    activeFrom: begins > now ? begins : null,
    insteadChannelId: begins > now && activeHours?.outside === 'OTHER_CHANNEL' ? activeHours.otherChannelId : null,
  };
}

/** Something that would hold back an alert now. */
export interface HeldBack {
  readonly reason: 'paused' | 'muted' | 'muted-until-recovery' | 'maintenance' | 'dependency';
  /** Whose setting it is. */
  readonly by: 'check' | 'group' | 'window' | 'dependency';
  /** Name of the window or of the needed check; null = that of the check or group. */
  readonly name: string | null;
  /** The needed check; null = none. */
  readonly checkId: string | null;
  /** When it ends, epoch ms; null = when somebody ends it, or when a check recovers. */
  readonly until: number | null;
}

/**
 * @param passedAt when the check last recovered, epoch ms; null = never
 * @param suppressor the needed check that would suppress the alert; null = none
 * @param now epoch ms
 */
export function heldBack(
  context: CheckContext,
  passedAt: number | null,
  suppressor: Pick<Suppressor, 'checkId' | 'name' | 'until'> | null,
  now: number,
): HeldBack[] {
  const found: HeldBack[] = [];
  const add = (reason: HeldBack['reason'], by: HeldBack['by'], more: Partial<HeldBack> = {}): void =>
    void found.push({ reason, by, name: null, checkId: null, until: null, ...more });
  for (const [by, one] of [
    ['check', context.check],
    ['group', context.group],
  ] as const) {
    if (one === null) continue;
    if (!one.activated) add('paused', by);
    const isTimed = isMutedAt({ ...one, mutedUntilRecovery: false }, now);
    if (isTimed) add('muted', by, { until: one.muted ? null : one.mutedUntil });
    if (lastsUntilRecovery(one, passedAt)) add('muted-until-recovery', by);
  }
  for (const window of context.maintenanceWindows) {
    if (!isSilencedBy(window, context, now)) continue;
    add('maintenance', 'window', { name: window.name, until: occurrenceAt(window, now)?.to ?? null });
  }
  if (suppressor !== null) {
    const { checkId, name, until } = suppressor;
    add('dependency', 'dependency', { checkId, name, until });
  }
  return found;
}

/** Whether this window holds alerts of the check back now. */
function isSilencedBy(window: CheckContext['maintenanceWindows'][number], context: CheckContext, now: number): boolean {
  const { check, group } = context;
  const unmuted = { ...context, check: { ...check, mutedUntil: null }, group: group && { ...group, mutedUntil: null } };
  return maintenanceOf({ ...unmuted, maintenanceWindows: [window] }, now).isSilenced;
}
