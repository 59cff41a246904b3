// Who is told of what: each channel by its own switches and by what it last heard of the check (decisions: Closing;
// docs/decisions/0022).
import { type AlertType, sslStep, type Told } from './alert.ts';

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

export const toldNothing: Told = { open: null, certificates: {} };

/** One channel, what it is told now, and what it will have heard then. */
export interface Telling {
  readonly listener: Listener;
  readonly alertTypes: readonly AlertType[];
  readonly told: Told;
}

/** What a result means for the channels. */
export interface News {
  readonly opens: AlertType | null;
  /** The check passes now: everything open closes. */
  readonly isPassing: boolean;
  readonly isMuted: boolean;
  readonly certificate: { readonly fingerprint: string; readonly daysRemaining: number } | null;
}

/** The tellings that follow from the news: only channels for which something changes are listed. */
export function tellingsOf(news: News, listeners: readonly Listener[]): Telling[] {
  return listeners.flatMap((listener) => {
    const status = statusTelling(news, listener);
    const ssl = sslTelling(news, listener);
    if (status === null && ssl === null) return [];
    const alertTypes = [...(status?.send ?? []), ...(ssl === null ? [] : (['ALERT_SSL'] as const))];
    const told: Told = {
      open: status === null ? listener.told.open : status.open,
      certificates: ssl === null ? listener.told.certificates : withCertificate(listener.told.certificates, ssl),
    };
    return [{ listener, alertTypes, told }];
  });
}

function statusTelling(news: News, listener: Listener): { send: AlertType[]; open: Told['open'] } | null {
  const { open } = listener.told;
  if (news.isPassing) {
    if (open === null) return null;
    const closing = open === 'failure' ? 'ALERT_RECOVERY' : 'ALERT_DEGRADED_RECOVERY';
    return { send: listener.sendRecovery ? [closing] : [], open: null };
  }
  if (!listener.isSubscribed) return null;
  if (news.opens === 'ALERT_FAILURE' && open !== 'failure') {
    if (listener.sendFailure) return { send: ['ALERT_FAILURE'], open: 'failure' };
    return listener.sendRecovery ? { send: [], open: 'failure' } : null;
  }
  if (news.opens === 'ALERT_DEGRADED' && open !== 'degraded' && listener.sendDegraded) {
    return { send: ['ALERT_DEGRADED'], open: 'degraded' };
  }
  return null;
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
