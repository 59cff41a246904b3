// Decides which channel is notified of what, by its settings and what it was last notified of (decisions: Closing;
// docs/decisions/0022).
import type { Reminders } from './alert-settings.ts';
import { type AlertType, neverSent, sslDaysRemaining, sslStep, sslSteps, type Notified } from './alert.ts';
import type { CheckState, CheckStatus, StateRules, StateStep } from '../checks/check-state.ts';
import type { SeenCertificate } from '../results/result.ts';

/** A channel that may be notified about a check: subscribed, or notified of an alert that is still open. */
export interface Listener {
  readonly alertChannelId: number;
  /** false = no longer subscribed: it only receives the recovery. */
  readonly isSubscribed: boolean;
  /** Whether the subscription is the group's, so that the group's variables apply. */
  readonly isViaGroup: boolean;
  readonly sendFailure: boolean;
  readonly sendRecovery: boolean;
  readonly sendDegraded: boolean;
  readonly sslExpiry: boolean;
  readonly sslExpiryThreshold: number;
  readonly notified: Notified;
}

export const notNotified: Notified = { open: null, notifiedAt: null, reminders: 0, certificates: {} };

/** A notification of a channel, and the new state of what it was notified of. */
export interface Notification {
  readonly listener: Listener;
  readonly alertTypes: readonly AlertType[];
  /** Number of the reminder, from 1; null = not a reminder. */
  readonly reminder: number | null;
  readonly notified: Notified;
}

/** What a result means for the channels. */
export interface AlertEvent {
  readonly opens: AlertType | null;
  /** The check passes now, which closes all open alerts. */
  readonly isPassing: boolean;
  readonly isMuted: boolean;
  /** Epoch ms. */
  readonly now: number;
  /** Status of the check after this result. */
  readonly status: CheckStatus | null;
  readonly reminders: Reminders | null;
  readonly certificate: { readonly fingerprint: string; readonly daysRemaining: number } | null;
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
export function alertEventOf({ step, rules, certificate }: Omit<Judged, 'before'>, now: number): AlertEvent {
  return {
    opens: step.opens,
    isPassing: step.isMoved && step.state.status === 'passing',
    isMuted: rules.isMuted,
    now,
    status: step.state.status,
    reminders: remindersOf(step, rules),
    certificate: certificate === null ? null : endOf(certificate, now),
  };
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

const silence = { opens: null, isPassing: false, status: null, reminders: null } as const;

/** Notifications caused by deleting a check: all open alerts are closed. */
export function deletionEvent(now: number): AlertEvent {
  return {
    opens: null,
    isPassing: true,
    isMuted: false,
    now,
    status: null,
    reminders: null,
    certificate: null,
  };
}

/** The notifications of an event: only channels for which something changes. */
export function notificationsOf(event: AlertEvent, listeners: readonly Listener[]): Notification[] {
  return listeners.flatMap((listener) => {
    const status = statusNotification(event, listener);
    const ssl = sslNotification(event, listener);
    if (status === null && ssl === null) return [];
    const alertTypes = [...(status?.send ?? []), ...(ssl === null ? [] : (['ALERT_SSL'] as const))];
    const notified: Notified = {
      ...(status === null ? listener.notified : status.notified),
      certificates:
        ssl === null ? listener.notified.certificates : withCertificate(listener.notified.certificates, ssl),
    };
    return [{ listener, alertTypes, reminder: status?.reminder ?? null, notified }];
  });
}

interface StatusNotification {
  readonly send: readonly AlertType[];
  readonly reminder: number | null;
  readonly notified: Pick<Notified, 'open' | 'notifiedAt' | 'reminders'>;
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
