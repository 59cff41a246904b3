// Channels that wait before they are notified: what the wait of each step of an incident becomes.
import assert from 'node:assert/strict';
import test from 'node:test';
import type { AlertEvent, Listener } from './listener.ts';
import { notificationsOf, notNotified } from './notify.ts';

const now = Date.UTC(2026, 2, 10);
const minute = 60_000;
const calm = {
  opens: null,
  escalates: null,
  isPassing: false,
  isMuted: false,
  flapping: null,
  reminders: null,
} as const;
const failing: AlertEvent = { ...calm, now, status: 'failing', certificate: null };
const alert: AlertEvent = { ...failing, opens: 'ALERT_FAILURE', escalates: 'ALERT_FAILURE' };
const passing: AlertEvent = { ...failing, isPassing: true, status: 'passing' };
const subscribed: Listener = {
  alertChannelId: 1,
  isSubscribed: true,
  isViaGroup: false,
  sendFailure: true,
  sendRecovery: true,
  sendDegraded: true,
  sslExpiry: true,
  sslExpiryThreshold: 30,
  escalationMs: 10 * minute,
  notified: notNotified,
};

/** What is sent after each of these events, and until when the channel then waits. */
function course(listener: Listener, ...events: readonly AlertEvent[]): unknown[] {
  let { notified } = listener;
  return events.map((event) => {
    const [found] = notificationsOf(event, [{ ...listener, notified }]);
    if (found !== undefined) notified = found.notified;
    return [found?.alertTypes ?? [], notified.escalatesAt ?? null];
  });
}

const at = (event: AlertEvent, minutes: number): AlertEvent => ({ ...event, now: now + minutes * minute });
const standing: AlertEvent = { ...failing, escalates: 'ALERT_FAILURE' };

test('a channel waits for its minutes, then is notified like any other', () => {
  assert.deepEqual(course(subscribed, alert, at(standing, 9), at(standing, 10), at(passing, 11), at(alert, 12)), [
    [[], now + 10 * minute],
    [[], now + 10 * minute],
    [['ALERT_FAILURE'], null],
    [['ALERT_RECOVERY'], null],
    [[], now + 22 * minute],
  ]);
});

test('a recovery ends the wait without a message, and the end of the subscription does', () => {
  assert.deepEqual(course(subscribed, alert, at(passing, 5)), [
    [[], now + 10 * minute],
    [[], null],
  ]);
  const ended = { ...subscribed, isSubscribed: false, notified: { ...notNotified, escalatesAt: now } };
  assert.deepEqual(course(ended, at(standing, 1)), [[[], null]]);
});

test('nothing is sent while the alert is acknowledged or muted, however long', () => {
  assert.deepEqual(course(subscribed, alert, at(failing, 60), at(standing, 61)), [
    [[], now + 10 * minute],
    [[], now + 10 * minute],
    [['ALERT_FAILURE'], null],
  ]);
});

test('a channel that is notified of a degradation is notified of the failure at once', () => {
  const degraded: AlertEvent = { ...alert, opens: 'ALERT_DEGRADED', escalates: 'ALERT_DEGRADED', status: 'degraded' };
  assert.deepEqual(course(subscribed, degraded, at({ ...degraded, opens: null }, 10), at(alert, 11)), [
    [[], now + 10 * minute],
    [['ALERT_DEGRADED'], null],
    [['ALERT_FAILURE'], null],
  ]);
});

test('a channel that receives only recoveries receives none of an alert that it would not have been notified of', () => {
  const recoveries = { ...subscribed, sendFailure: false };
  assert.deepEqual(course(recoveries, alert, at(passing, 5)), [
    [[], now + 10 * minute],
    [[], null],
  ]);
  assert.deepEqual(course(recoveries, alert, at(standing, 10), at(passing, 11)).at(-1), [['ALERT_RECOVERY'], null]);
});

test('a wait that is due while the channel receives nothing is considered again a minute later', () => {
  const failuresOnly = { ...subscribed, sendDegraded: false };
  const degraded: AlertEvent = { ...failing, status: 'degraded', escalates: 'ALERT_DEGRADED' };
  assert.deepEqual(course(failuresOnly, alert, at(degraded, 10), at(standing, 11)), [
    [[], now + 10 * minute],
    [[], now + 11 * minute],
    [['ALERT_FAILURE'], null],
  ]);
});

test('certificate alerts do not wait', () => {
  const certificate = { fingerprint: 'aa', daysRemaining: 3 };
  assert.deepEqual(course(subscribed, { ...alert, certificate }), [[['ALERT_SSL'], now + 10 * minute]]);
});

test('a flapping check is escalated once; a channel that knows that it flaps does not wait', () => {
  const flapping = {
    since: now,
    message: null,
    changes: 4,
    dueAt: 0,
    alerted: 'failing',
    incidentId: 'i',
    isTimed: false,
  };
  const grouping = { ...subscribed, grouping: true };
  const flaps = (event: AlertEvent): AlertEvent => ({ ...event, flapping: flapping as AlertEvent['flapping'] });
  const began = flaps({ ...alert, flapping: null });
  assert.deepEqual(course(grouping, began, at(flaps(standing), 10)), [
    [[], now + 10 * minute],
    [['ALERT_FAILURE'], null],
  ]);
  // Recoveries of a check that flaps do not end the wait, unless somebody has acknowledged it.
  const flap = flaps(at(passing, 2));
  assert.deepEqual(course(grouping, began, flap, flaps(at(alert, 12))), [
    [[], now + 10 * minute],
    [[], now + 10 * minute],
    [['ALERT_FAILURE'], null],
  ]);
  assert.deepEqual(course(grouping, began, { ...flap, wasAcknowledged: true }).at(-1), [[], null]);
  const ended = { ...flap, flapping: { ...flapping, message: 'ended' } as AlertEvent['flapping'] };
  assert.deepEqual(course(grouping, began, ended).at(-1), [[], null]);
  const knows = {
    ...grouping,
    notified: { ...notNotified, flapping: { since: now, collectingId: null, incidentId: 'i' } },
  };
  const [held] = notificationsOf(flaps(alert), [knows]);
  assert.deepEqual([held?.held, held?.notified.escalatesAt ?? null], [['ALERT_FAILURE'], null]);
});
