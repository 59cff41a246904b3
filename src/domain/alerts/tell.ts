// Who is told of what: each channel by its own switches and by what it last heard of the check (decisions: Closing;
// docs/decisions/0022).
import type { Reminders } from './alert-settings.ts';
import { type AlertType, neverSent, sslDaysRemaining, sslStep, sslSteps, type Told } from './alert.ts';
import type { CheckState, CheckStatus, StateRules, StateStep } from '../checks/check-state.ts';
import type { SeenCertificate } from '../results/result.ts';

/** A channel that may be told of a check: it is subscribed, or it was told of something that is still open. */
export interface Listener {
  readonly alertChannelId: number;
  /** false = only told before: it gets the closing and nothing new. */
  readonly isSubscribed: boolean;
  /** Whether a group's subscription is the cause, so that the group's variables apply. */
  readonly isViaGroup: boolean;
  readonly sendFailure: boolean;
  readonly sendRecovery: boolean;
  readonly sendDegraded: boolean;
  readonly sslExpiry: boolean;
  readonly sslExpiryThreshold: number;
  readonly told: Told;
}

export const toldNothing: Told = { open: null, toldAt: null, reminders: 0, certificates: {} };

/** One channel, what it is told now, and what it will have heard then. */
export interface Telling {
  readonly listener: Listener;
  readonly alertTypes: readonly AlertType[];
  /** Which reminder it is, from 1, of what was told before; null = it is news. */
  readonly reminder: number | null;
  readonly told: Told;
}

/** What a result means for the channels. */
export interface News {
  readonly opens: AlertType | null;
  /** The check passes now: everything open closes. */
  readonly isPassing: boolean;
  readonly isMuted: boolean;
  /** Epoch ms. */
  readonly now: number;
  /** Where the check stands with this result. */
  readonly status: CheckStatus | null;
  readonly reminders: Reminders | null;
  readonly certificate: { readonly fingerprint: string; readonly daysRemaining: number } | null;
}

/** A result, as far as it may be news: what it made of the state before it, by which rules, and the certificate that it saw. */
export interface Judged {
  readonly before: CheckState;
  readonly step: StateStep;
  readonly rules: Pick<StateRules, 'isMuted' | 'reminders'>;
  readonly certificate: SeenCertificate | null;
}

/** Whether any channel can have something to hear: most results change nothing, and their channels are not read. */
export function mayTell({ before, step, rules, certificate }: Judged, now: number): boolean {
  if (certificate !== null && sslDaysRemaining(certificate, now) <= sslSteps[0]) return true;
  if (!step.isMoved) return false;
  const isReminded = rules.reminders !== null && step.state.alerted !== null;
  return isReminded || step.opens !== null || (step.state.status === 'passing' && before.status !== 'passing');
}

/** What a result means for the channels at `now` (epoch ms). */
export function newsOf({ step, rules, certificate }: Omit<Judged, 'before'>, now: number): News {
  return {
    opens: step.opens,
    isPassing: step.isMoved && step.state.status === 'passing',
    isMuted: rules.isMuted,
    now,
    status: step.state.status,
    // A result that says nothing of the check finds it so no more, though it saw the certificate (docs/decisions/0022).
    reminders: step.isMoved ? rules.reminders : null,
    certificate: certificate === null ? null : endOf(certificate, now),
  };
}

function endOf(certificate: SeenCertificate, now: number): NonNullable<News['certificate']> {
  return { fingerprint: certificate.fingerprint, daysRemaining: sslDaysRemaining(certificate, now) };
}

/** What a certificate means for the channels, beside the result that saw it. @param now epoch ms */
export function newsOfCertificate(certificate: SeenCertificate, isMuted: boolean, now: number): News {
  return { ...silence, isMuted, now, certificate: endOf(certificate, now) };
}

const silence = { opens: null, isPassing: false, status: null, reminders: null } as const;

/** What the deletion of a check means for the channels: everything open closes, and nothing else can be told. */
export function newsOfDeletion(now: number): News {
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

/** The tellings that follow from the news: only channels for which something changes are listed. */
export function tellingsOf(news: News, listeners: readonly Listener[]): Telling[] {
  return listeners.flatMap((listener) => {
    const status = statusTelling(news, listener);
    const ssl = sslTelling(news, listener);
    if (status === null && ssl === null) return [];
    const alertTypes = [...(status?.send ?? []), ...(ssl === null ? [] : (['ALERT_SSL'] as const))];
    const told: Told = {
      ...(status === null ? listener.told : status.told),
      certificates: ssl === null ? listener.told.certificates : withCertificate(listener.told.certificates, ssl),
    };
    return [{ listener, alertTypes, reminder: status?.reminder ?? null, told }];
  });
}

interface StatusTelling {
  readonly send: readonly AlertType[];
  readonly reminder: number | null;
  readonly told: Pick<Told, 'open' | 'toldAt' | 'reminders'>;
}

const nothingOpen = { open: null, toldAt: null, reminders: 0 } as const;

function statusTelling(news: News, listener: Listener): StatusTelling | null {
  const { open } = listener.told;
  if (news.isPassing) {
    if (open === null) return null;
    const closing = open === 'failure' ? 'ALERT_RECOVERY' : 'ALERT_DEGRADED_RECOVERY';
    return { send: listener.sendRecovery ? [closing] : [], reminder: null, told: nothingOpen };
  }
  if (!listener.isSubscribed) return null;
  const opening = { reminder: null, told: { open: 'failure', toldAt: news.now, reminders: 0 } } as const;
  if (news.opens === 'ALERT_FAILURE' && open !== 'failure') {
    if (listener.sendFailure) return { ...opening, send: ['ALERT_FAILURE'] };
    return listener.sendRecovery
      ? { ...opening, send: [], told: { ...nothingOpen, open: 'failure', toldAt: neverSent } }
      : null;
  }
  if (news.opens === 'ALERT_DEGRADED' && open !== 'degraded' && listener.sendDegraded) {
    return { ...opening, send: ['ALERT_DEGRADED'], told: { ...opening.told, open: 'degraded' } };
  }
  return reminderTelling(news, listener);
}

/** Sends reminders while a state lasts (reference §3: reminders; docs/decisions/0022). */
function reminderTelling(news: News, { told, sendFailure, sendDegraded }: Listener): StatusTelling | null {
  const { reminders, isMuted, now, status } = news;
  const { open, toldAt } = told;
  if (reminders === null || isMuted || open === null || toldAt === neverSent) return null;
  const isStill = open === 'failure' ? status === 'failing' && sendFailure : status === 'degraded' && sendDegraded;
  if (!isStill || told.reminders >= reminders.amount) return null;
  // Told before it was noted when: the time begins now.
  if (toldAt === null) return { send: [], reminder: null, told: { open, toldAt: now, reminders: told.reminders } };
  // Later than now: the clock was set back meanwhile.
  if (toldAt <= now && now - toldAt < reminders.intervalMs) return null;
  const reminder = told.reminders + 1;
  const alertType = open === 'failure' ? 'ALERT_FAILURE' : 'ALERT_DEGRADED';
  return { send: [alertType], reminder, told: { open, toldAt: now, reminders: reminder } };
}

function sslTelling(news: News, listener: Listener): { fingerprint: string; step: number } | null {
  if (news.certificate === null || news.isMuted || !listener.sslExpiry || !listener.isSubscribed) return null;
  const step = sslStep(news.certificate.daysRemaining, listener.sslExpiryThreshold);
  if (step === null) return null;
  const { fingerprint } = news.certificate;
  const told = listener.told.certificates[fingerprint];
  return told !== undefined && told <= step ? null : { fingerprint, step };
}

/** Certificates remembered per channel and check: several nodes may take turns with their own. */
const certificatesKept = 16;

function withCertificate(
  certificates: Told['certificates'],
  { fingerprint, step }: { readonly fingerprint: string; readonly step: number },
): Told['certificates'] {
  const others = Object.entries(certificates).filter(([known]) => known !== fingerprint);
  return Object.fromEntries([...others.slice(1 - certificatesKept), [fingerprint, step]]);
}
