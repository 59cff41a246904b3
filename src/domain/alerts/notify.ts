// Decides which channel is notified of what, by its settings and what it was last notified of (decisions: Closing;
// docs/decisions/0022).
import type { Reminders } from './alert-settings.ts';
import { type AlertType, neverSent, sslDaysRemaining, sslStep, sslSteps, type Notified } from './alert.ts';
import { escalatedNotification } from './escalate-channel.ts';
import type { AlertEvent, Listener, StatusNotification } from './listener.ts';
import type { FlappingMessage, FlappingTidings } from './flapping.ts';
import type { CheckState, CheckStatus, StateRules, StateStep } from '../checks/check-state.ts';
import type { SeenCertificate } from '../results/result.ts';

/** What a delivery says about a flapping check. */
export interface FlappingFacts extends Pick<FlappingTidings, 'since' | 'changes'> {
  readonly message: FlappingMessage;
  readonly status: CheckStatus;
}

export const notNotified: Notified = {
  open: null,
  notifiedAt: null,
  reminders: 0,
  flapping: null,
  certificates: {},
};

/** A notification of a channel, and the new state of what it was notified of. */
export interface Notification {
  readonly listener: Listener;
  readonly alertTypes: readonly AlertType[];
  /** Alerts that wait for the next message about a flapping check. */
  readonly held: readonly AlertType[];
  /** What the first alert says about a flapping check; null = nothing. */
  readonly message: FlappingMessage | null;
  /** Number of the reminder, from 1; null = not a reminder. */
  readonly reminder: number | null;
  readonly notified: Notified;
}

/** The parts of a result that can cause notifications: the state change, the rules, and the certificate. */
export interface Judged {
  readonly before: CheckState;
  readonly step: StateStep;
  readonly rules: Pick<StateRules, 'isMuted' | 'reminders'>;
  readonly certificate: SeenCertificate | null;
}

/** Whether any channel could be notified. Most results change nothing, so their channels are not read. */
export function mayNotify({ before, step, rules, certificate }: Judged, now: number): boolean {
  if (certificate !== null && sslDaysRemaining(certificate, now) <= sslSteps[0]) return true;
  if (!step.isMoved) return false;
  const isReminded = remindersOf(step, rules) !== null && step.state.alerted !== null;
  return isReminded || step.opens !== null || (step.state.status === 'passing' && before.status !== 'passing');
}

/** Notifications caused by a result at `now` (epoch ms). */
export function alertEventOf(
  { step, rules, certificate }: Omit<Judged, 'before'>,
  now: number,
  flapping: FlappingTidings | null = null,
): AlertEvent {
  return {
    flapping,
    opens: step.opens,
    escalates: escalatesOf(step, rules.isMuted),
    isPassing: step.isMoved && step.state.status === 'passing',
    isMuted: rules.isMuted,
    now,
    status: step.state.status,
    reminders: remindersOf(step, rules),
    certificate: certificate === null ? null : endOf(certificate, now),
  };
}

function escalatesOf({ state: { alerted, acknowledgedAt } }: StateStep, isMuted: boolean): AlertEvent['escalates'] {
  if (alerted === null || acknowledgedAt !== null || isMuted) return null;
  return alerted === 'failing' ? 'ALERT_FAILURE' : 'ALERT_DEGRADED';
}

/** A result without a verdict sends none, though it saw the certificate (docs/decisions/0022); an acknowledgement stops them. */
function remindersOf({ isMoved, state }: StateStep, { reminders }: Judged['rules']): Reminders | null {
  return isMoved && state.acknowledgedAt === null ? reminders : null;
}

function endOf(certificate: SeenCertificate, now: number): NonNullable<AlertEvent['certificate']> {
  return { fingerprint: certificate.fingerprint, daysRemaining: sslDaysRemaining(certificate, now) };
}

/** Notifications caused by a certificate, in addition to those of its result. @param now epoch ms */
export function certificateEvent(certificate: SeenCertificate, isMuted: boolean, now: number): AlertEvent {
  return { ...silence, isMuted, now, certificate: endOf(certificate, now) };
}

const silence = {
  opens: null,
  escalates: null,
  isPassing: false,
  flapping: null,
  status: null,
  reminders: null,
} as const;

/** Notifications caused by deleting a check: all open alerts are closed. */
export function deletionEvent(now: number): AlertEvent {
  return { ...silence, isPassing: true, isMuted: false, now, certificate: null };
}

/** The notifications of an event: only channels for which something changes. */
export function notificationsOf(event: AlertEvent, listeners: readonly Listener[]): Notification[] {
  return listeners.flatMap((listener) => {
    const status = escalatedNotification(event, listener, flappingNotification);
    const ssl = sslNotification(event, listener);
    if (status === null && ssl === null) return [];
    const alertTypes = [...(status?.send ?? []), ...(ssl === null ? [] : (['ALERT_SSL'] as const))];
    const notified: Notified = {
      ...listener.notified,
      ...status?.notified,
      // Closed: a later alert has an incident of its own.
      ...(status?.notified.open === null &&
        status.notified.flapping === undefined && { flapping: afterClosing(listener) }),
      certificates:
        ssl === null ? listener.notified.certificates : withCertificate(listener.notified.certificates, ssl),
    };
    const { held = [], message = null, reminder = null } = status ?? {};
    return [{ listener, alertTypes, held, message, reminder, notified }];
  });
}

/**
 * The alerts that an event raises, also if no channel is notified: those of the notifications, the one that opens, and
 * the recovery of what was alerted.
 * @param alerted what was alerted before
 */
export function alertTypesOf(
  { opens, isPassing, flapping }: AlertEvent,
  notifications: readonly Pick<Notification, 'listener' | 'notified' | 'alertTypes' | 'held'>[],
  alerted: CheckState['alerted'],
): AlertType[] {
  // Time passed: what a message is about was recorded when it happened.
  if (flapping?.isTimed === true) return [];
  const types = new Set<AlertType>(
    // Escalations are about an alert that was raised before.
    notifications.flatMap((each) => {
      const types = [...each.alertTypes, ...each.held];
      return isEscalated(each) ? types.filter((type) => type === 'ALERT_SSL') : types;
    }),
  );
  if (opens !== null) types.add(opens);
  const isClosed = types.has('ALERT_RECOVERY') || types.has('ALERT_DEGRADED_RECOVERY');
  if (isPassing && alerted !== null && !isClosed) {
    types.add(alerted === 'failing' ? 'ALERT_RECOVERY' : 'ALERT_DEGRADED_RECOVERY');
  }
  return [...types];
}

/** Whether a channel is notified now of an alert that it waited for. */
export function isEscalated({ listener, notified }: Pick<Notification, 'listener' | 'notified'>): boolean {
  return (listener.notified.escalatesAt ?? null) !== null && notified.open !== null;
}

/** Whether an alert says something new: reminders do not, and a check that flaps starts no storm. */
export function isCountedAlert({ flapping, isPassing, opens }: AlertEvent, type: AlertType): boolean {
  return type === 'ALERT_SSL' || (flapping === null && (isPassing || opens === type));
}

/** What a channel still knows of a flapping check after its alert was closed. */
function afterClosing({ notified: { flapping } }: Listener): Notified['flapping'] {
  if (flapping === null || (flapping.since === null && flapping.collectingId === null)) return null;
  return { ...flapping, incidentId: null };
}

const nothingOpen = { open: null, notifiedAt: null, reminders: 0 } as const;

function statusNotification(event: AlertEvent, listener: Listener): StatusNotification | null {
  const { open } = listener.notified;
  if (event.isPassing) {
    if (open === null) return null;
    const closing = open === 'failure' ? 'ALERT_RECOVERY' : 'ALERT_DEGRADED_RECOVERY';
    return { send: listener.sendRecovery ? [closing] : [], reminder: null, notified: nothingOpen };
  }
  if (!listener.isSubscribed) return null;
  const opening = { reminder: null, notified: { open: 'failure', notifiedAt: event.now, reminders: 0 } } as const;
  if (event.opens === 'ALERT_FAILURE' && open !== 'failure') {
    if (listener.sendFailure) return { ...opening, send: ['ALERT_FAILURE'] };
    return listener.sendRecovery
      ? { ...opening, send: [], notified: { ...nothingOpen, open: 'failure', notifiedAt: neverSent } }
      : null;
  }
  if (event.opens === 'ALERT_DEGRADED' && open !== 'degraded' && listener.sendDegraded) {
    return { ...opening, send: ['ALERT_DEGRADED'], notified: { ...opening.notified, open: 'degraded' } };
  }
  return reminderNotification(event, listener);
}

/** Sends reminders while a state lasts (reference §3: reminders; docs/decisions/0022). */
function reminderNotification(
  event: AlertEvent,
  { notified, sendFailure, sendDegraded }: Listener,
): StatusNotification | null {
  const { reminders, isMuted, now, status } = event;
  const { open, notifiedAt } = notified;
  if (reminders === null || isMuted || open === null || notifiedAt === neverSent) return null;
  const isStill = open === 'failure' ? status === 'failing' && sendFailure : status === 'degraded' && sendDegraded;
  if (!isStill || notified.reminders >= reminders.amount) return null;
  // Sent by a version that did not record the time: counts from now.
  if (notifiedAt === null)
    return { send: [], reminder: null, notified: { open, notifiedAt: now, reminders: notified.reminders } };
  // In the future: the clock was set back.
  if (notifiedAt <= now && now - notifiedAt < reminders.intervalMs) return null;
  const reminder = notified.reminders + 1;
  const alertType = open === 'failure' ? 'ALERT_FAILURE' : 'ALERT_DEGRADED';
  return { send: [alertType], reminder, notified: { open, notifiedAt: now, reminders: reminder } };
}

function sslNotification(event: AlertEvent, listener: Listener): { fingerprint: string; step: number } | null {
  if (event.certificate === null || event.isMuted || !listener.sslExpiry || !listener.isSubscribed) return null;
  const step = sslStep(event.certificate.daysRemaining, listener.sslExpiryThreshold);
  if (step === null) return null;
  const { fingerprint } = event.certificate;
  const notified = listener.notified.certificates[fingerprint];
  return notified !== undefined && notified <= step ? null : { fingerprint, step };
}

/** Certificates remembered per channel and check: several servers may alternate with different ones. */
const certificatesKept = 16;

function withCertificate(
  certificates: Notified['certificates'],
  { fingerprint, step }: { readonly fingerprint: string; readonly step: number },
): Notified['certificates'] {
  const others = Object.entries(certificates).filter(([known]) => known !== fingerprint);
  return Object.fromEntries([...others.slice(1 - certificatesKept), [fingerprint, step]]);
}

const opened = { failing: 'failure', degraded: 'degraded', passing: null } as const;

/** The notification of a channel with regard to flapping (docs/decisions/0138); null = none. */
function flappingNotification(event: AlertEvent, listener: Listener): StatusNotification | null {
  const { flapping } = event;
  if (flapping === null) return statusNotification(event, listener);
  const isKnown = listener.notified.flapping?.since === flapping.since;
  if (flapping.message === 'ended') return isKnown ? ended(event, listener) : null;
  if (!isKnown) return listener.grouping === true ? announced(event, listener) : statusNotification(event, listener);
  if (flapping.message === 'lasts' && listener.grouping === true)
    return described(event, listener, 'lasts') ?? held(event, listener);
  if (flapping.message === 'changed') return changed(event, listener);
  return listener.grouping === true ? held(event, listener) : statusNotification(event, listener);
}

/** The first message of a channel about it, whichever is due: the channel may be subscribed since. */
function announced(event: AlertEvent, listener: Listener): StatusNotification | null {
  if (event.flapping?.message !== null) {
    // A recovery of what the channel was not notified of is no news; its first alert says that the check flaps.
    const isClosed = event.status === 'passing' && listener.notified.open === null;
    return isClosed ? null : (described(event, listener, 'began') ?? statusNotification(event, listener));
  }
  const found = statusNotification(event, listener);
  if (found === null || found.send.length === 0 || found.reminder !== null) return found;
  return { ...found, message: 'began', notified: { ...found.notified, flapping: noticeOf(event, listener) } };
}

/** A message about the present status; null = the channel does not receive alerts of its type. */
function described(event: AlertEvent, listener: Listener, message: FlappingMessage): StatusNotification | null {
  const type = typeOf(event, listener);
  if (type === null || event.status === null) return null;
  const open = opened[event.status];
  return {
    send: [type],
    message,
    reminder: null,
    notified: { open, notifiedAt: open === null ? null : event.now, reminders: 0, flapping: noticeOf(event, listener) },
  };
}

function typeOf({ status, isMuted }: AlertEvent, listener: Listener): AlertType | null {
  const { isSubscribed, sendFailure, sendDegraded, sendRecovery, notified } = listener;
  if (status === 'passing') {
    if (!sendRecovery || (!isSubscribed && notified.open === null)) return null;
    return notified.open === 'degraded' ? 'ALERT_DEGRADED_RECOVERY' : 'ALERT_RECOVERY';
  }
  if (isMuted || !isSubscribed) return null;
  if (status === 'failing') return sendFailure ? 'ALERT_FAILURE' : null;
  return status === 'degraded' && sendDegraded ? 'ALERT_DEGRADED' : null;
}

/** Alerts wait, and no reminders are sent. A brief channel receives the last state when the check is calm. */
function held(event: AlertEvent, { notified, ...listener }: Listener): StatusNotification | null {
  const types: AlertType[] = [];
  if (event.opens === 'ALERT_FAILURE' && listener.sendFailure) types.push('ALERT_FAILURE');
  if (event.opens === 'ALERT_DEGRADED' && listener.sendDegraded) types.push('ALERT_DEGRADED');
  const closes = event.flapping?.alerted ?? (notified.open === 'failure' ? 'failing' : notified.open);
  if (event.isPassing && closes !== null && listener.sendRecovery) {
    types.push(closes === 'failing' ? 'ALERT_RECOVERY' : 'ALERT_DEGRADED_RECOVERY');
  }
  if (types.length === 0 || listener.isBrief === true) return null;
  return { send: [], held: types, reminder: null, notified };
}

/** What happened in ten minutes, for a channel with held alerts. */
function changed(event: AlertEvent, listener: Listener): StatusNotification | null {
  if (listener.notified.flapping?.collectingId === null || listener.isBrief === true) return null;
  return described(event, listener, 'changed');
}

/** The check is calm: reports what the channel does not know yet, so that everything that is open is closed. */
function ended(event: AlertEvent, listener: Listener): StatusNotification {
  const { open, notifiedAt, reminders, flapping } = listener.notified;
  const isPassing = event.status === 'passing';
  const isNews = isPassing
    ? open !== null || listener.isBrief !== true
    : flapping?.collectingId !== null || open !== opened[event.status ?? 'passing'];
  const found = isNews ? described(event, listener, 'ended') : null;
  const notified =
    found?.notified ?? (isPassing ? { open: null, notifiedAt: null, reminders: 0 } : { open, notifiedAt, reminders });
  const incidentId = flapping?.incidentId ?? null;
  const kept = notified.open === null || incidentId === null ? null : { since: null, collectingId: null, incidentId };
  return { send: [], reminder: null, ...found, notified: { ...notified, flapping: kept } };
}

function noticeOf({ flapping }: AlertEvent, { notified }: Listener): Notified['flapping'] {
  // Until the channel knows that the check passes, receivers find what they have open by the first incident.
  const isUnaware = notified.open !== null || notified.flapping?.endedBy !== undefined;
  const isSame = isUnaware || notified.flapping?.since === flapping?.since;
  const known = isSame ? (notified.flapping?.incidentId ?? null) : null;
  return { since: flapping?.since ?? null, collectingId: null, incidentId: known ?? flapping?.incidentId ?? null };
}
