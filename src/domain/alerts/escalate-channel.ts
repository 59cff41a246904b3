// Lets a channel wait after an alert, and notifies it if nobody has acknowledged the alert by then (docs/decisions/0145).
import type { AlertEvent, Listener, StatusNotification } from './listener.ts';

type Find = (event: AlertEvent, listener: Listener) => StatusNotification | null;

const nothing = { send: [], reminder: null, notified: { open: null, notifiedAt: null, reminders: 0 } } as const;

/**
 * The notification of a channel that may wait. The wait begins with the first alert that the channel would receive, and
 * ends with its recovery or when the channel is notified. A mute or an acknowledgement prolongs it, and so does a
 * recovery that is none: the check flaps, and nobody has acknowledged it.
 * @param find the notification of a channel that does not wait
 */
export function escalatedNotification(event: AlertEvent, listener: Listener, find: Find): StatusNotification | null {
  const { escalationMs = 0, isSubscribed, notified } = listener;
  const { escalatesAt = null, flapping, open } = notified;
  if (escalatesAt === null) {
    // It was notified of this incident, or that the check flaps.
    const isKnown = open !== null || (flapping !== null && flapping.since === event.flapping?.since);
    const found = find(event, listener);
    if (escalationMs === 0 || isKnown || found === null || found.notified.open === null) return found;
    return againAt(event.now + escalationMs, flapping);
  }
  const isFlap = event.isPassing && event.flapping !== null && event.flapping.message !== 'ended';
  if (isFlap && isSubscribed && event.wasAcknowledged !== true) return null;
  const isDue = event.escalates !== null && escalatesAt <= event.now;
  if (event.isPassing || !isSubscribed || isDue) {
    const found = find({ ...event, opens: event.opens ?? event.escalates }, listener);
    // It receives no alert of the present state: what follows finds it due.
    if (found === null && isDue && isSubscribed && !event.isPassing) return againAt(event.now + againMs, flapping);
    const { notified: next } = found ?? { notified: { ...nothing.notified, flapping } };
    return { ...(found ?? nothing), notified: { ...next, escalatesAt: null } };
  }
  // Another alert of the same incident: the wait is for that one now, and does not begin again.
  return event.opens === null ? null : againAt(escalatesAt, flapping);
}

/** Time after which a wait that found nothing to send is considered again, ms. */
const againMs = 60_000;

function againAt(escalatesAt: number, flapping: Listener['notified']['flapping']): StatusNotification {
  return { ...nothing, notified: { ...nothing.notified, flapping, escalatesAt } };
}
