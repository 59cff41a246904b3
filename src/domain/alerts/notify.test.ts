// Which alerts a channel gets, by its switches and earlier alerts.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type AlertType, neverSent, type Notified } from './alert.ts';
import { newCheckState } from '../checks/check-state.ts';
import type { AlertEvent, Listener } from './listener.ts';
import { alertEventOf, notificationsOf, notNotified } from './notify.ts';

const listener: Listener = {
  alertChannelId: 1,
  isSubscribed: true,
  isViaGroup: false,
  sendFailure: true,
  sendRecovery: true,
  sendDegraded: false,
  sslExpiry: false,
  sslExpiryThreshold: 30,
  notified: notNotified,
};
const now = Date.UTC(2026, 2, 10);
const minuteMs = 60_000;
const event: AlertEvent = {
  opens: null,
  escalates: null,
  isPassing: false,
  isMuted: false,
  flapping: null,
  now,
  status: 'failing',
  reminders: null,
  certificate: null,
};
const passing: AlertEvent = { ...event, isPassing: true };
const failure: AlertEvent = { ...event, opens: 'ALERT_FAILURE' };
const degraded: AlertEvent = { ...event, opens: 'ALERT_DEGRADED' };
const notifiedOf = (open: Notified['open'], change: Partial<Notified> = {}): Notified => ({
  ...notNotified,
  open,
  ...change,
});

/** Alerts sent to a channel, and what the channel is notified of afterwards. */
function receive(given: AlertEvent, change: Partial<Listener>): { sent: readonly AlertType[]; notified: Notified } {
  const channel = { ...listener, ...change };
  const [notification] = notificationsOf(given, [channel]);
  return { sent: notification?.alertTypes ?? [], notified: notification?.notified ?? channel.notified };
}

describe('a channel', () => {
  const rows: readonly [string, AlertEvent, Partial<Listener>, AlertType[], Notified['open']][] = [
    ['is notified of a failure', failure, {}, ['ALERT_FAILURE'], 'failure'],
    ['is not notified of the same failure twice', failure, { notified: notifiedOf('failure') }, [], 'failure'],
    [
      'is notified of a failure after a degradation',
      failure,
      { notified: notifiedOf('degraded') },
      ['ALERT_FAILURE'],
      'failure',
    ],
    ['counts as notified of a failure suppressed by its switch', failure, { sendFailure: false }, [], 'failure'],
    [
      'is not notified of failures and recoveries with both switches off',
      failure,
      { sendFailure: false, sendRecovery: false },
      [],
      null,
    ],
    ['is not notified of a degradation by default', degraded, {}, [], null],
    ['is notified of a degradation if enabled', degraded, { sendDegraded: true }, ['ALERT_DEGRADED'], 'degraded'],
    [
      'is notified if a failure becomes a degradation',
      degraded,
      { sendDegraded: true, notified: notifiedOf('failure') },
      ['ALERT_DEGRADED'],
      'degraded',
    ],
    [
      'still expects the recovery if that degradation is not enabled',
      degraded,
      { notified: notifiedOf('failure') },
      [],
      'failure',
    ],
    [
      'is notified of the recovery from a failure',
      passing,
      { notified: notifiedOf('failure') },
      ['ALERT_RECOVERY'],
      null,
    ],
    [
      'is notified of the recovery from a degradation',
      passing,
      { notified: notifiedOf('degraded') },
      ['ALERT_DEGRADED_RECOVERY'],
      null,
    ],
    ['is not notified of a recovery without an earlier alert', passing, {}, [], null],
    [
      'is not notified of a recovery with that switch off, and nothing stays open',
      passing,
      { sendRecovery: false, notified: notifiedOf('failure') },
      [],
      null,
    ],
    [
      'is notified of a recovery while muted',
      { ...passing, isMuted: true },
      { notified: notifiedOf('failure') },
      ['ALERT_RECOVERY'],
      null,
    ],
    [
      'is notified of a recovery after its subscription ended',
      passing,
      { isSubscribed: false, notified: notifiedOf('failure') },
      ['ALERT_RECOVERY'],
      null,
    ],
    [
      'is not notified of anything new after its subscription ended',
      failure,
      { isSubscribed: false, notified: notifiedOf('degraded') },
      [],
      'degraded',
    ],
  ];
  for (const [what, given, change, sent, open] of rows) {
    it(what, () => {
      const received = receive(given, change);
      const unsent = open !== null && change.notified === undefined ? neverSent : (change.notified?.notifiedAt ?? null);
      const notifiedAt = sent.length > 0 && open !== null ? now : unsent;
      assert.deepEqual(received, { sent, notified: notifiedOf(open, { notifiedAt }) });
    });
  }

  it('is notified by its own switches only', () => {
    const channels = [
      { ...listener, alertChannelId: 1 },
      { ...listener, alertChannelId: 2, sendFailure: false, sendRecovery: false },
      { ...listener, alertChannelId: 3, notified: notifiedOf('degraded') },
    ];
    const notifications = notificationsOf(failure, channels);
    assert.deepEqual(
      notifications.map(({ listener: { alertChannelId }, alertTypes }) => [alertChannelId, alertTypes]),
      [
        [1, ['ALERT_FAILURE']],
        [3, ['ALERT_FAILURE']],
      ],
    );
  });
});

describe('a channel with certificate alerts', () => {
  const seen = (daysRemaining: number, fingerprint = 'first'): AlertEvent => ({
    ...event,
    certificate: { fingerprint, daysRemaining },
  });
  /** The consecutive days on which it was sent ALERT_SSL. */
  const sentAt = (days: readonly (number | [number, string])[], change: Partial<Listener> = {}): number[] => {
    let notified = notNotified;
    return days.flatMap((given) => {
      const [left, fingerprint] = typeof given === 'number' ? [given, 'first'] : given;
      const received = receive(seen(left, fingerprint), { sslExpiry: true, ...change, notified });
      ({ notified } = received);
      return received.sent.length === 0 ? [] : [left];
    });
  };
  const countdown = [...Array(40).keys()].map((day) => 35 - day);

  it('is notified once at each step', () => assert.deepEqual(sentAt(countdown), [30, 14, 7, 3, 1, -1]));
  it('is notified from its own threshold on', () => {
    assert.deepEqual(sentAt(countdown, { sslExpiryThreshold: 10 }), [10, 7, 3, 1, -1]);
  });
  it('is notified once if several steps are crossed at once', () => assert.deepEqual(sentAt([35, 2, 2, 1]), [2, 1]));
  it('is notified again of a renewed certificate when that one is about to expire', () => {
    assert.deepEqual(sentAt([30, 29, [90, 'second'], [30, 'second'], [29, 'second']]), [30, 30]);
  });
  it('is notified once of each certificate if several nodes alternate', () => {
    assert.deepEqual(sentAt([10, [10, 'second'], 10, [10, 'second'], 10, [6, 'second'], 6]), [10, 10, 6, 6]);
  });
  it('is not notified while muted, and of the current step afterwards', () => {
    assert.deepEqual(receive({ ...seen(10), isMuted: true }, { sslExpiry: true }).sent, []);
    assert.deepEqual(receive(seen(6), { sslExpiry: true }).sent, ['ALERT_SSL']);
  });
  it('is notified together with a state change of the check, and both are stored', () => {
    assert.deepEqual(receive({ ...seen(10), opens: 'ALERT_FAILURE' }, { sslExpiry: true }), {
      sent: ['ALERT_FAILURE', 'ALERT_SSL'],
      notified: notifiedOf('failure', { notifiedAt: now, certificates: { first: 14 } }),
    });
    const notified = notifiedOf('failure', { notifiedAt: now, certificates: { first: 14 } });
    assert.deepEqual(receive({ ...seen(10), isPassing: true }, { sslExpiry: true, notified }), {
      sent: ['ALERT_RECOVERY'],
      notified: notifiedOf(null, { certificates: { first: 14 } }),
    });
  });
  it('is not notified if certificate alerts are off or it is not subscribed', () => {
    assert.deepEqual(sentAt(countdown, { sslExpiry: false }), []);
    assert.deepEqual(sentAt(countdown, { isSubscribed: false }), []);
  });
});

describe('a reminder', () => {
  const reminders = { amount: 2, intervalMs: 5 * minuteMs };

  /** Minutes in which a channel is notified of a check that fails every minute, with the number of the reminder. */
  function notifiedIn(
    minutes: number,
    change: (minute: number) => Partial<AlertEvent>,
    listenerChange: Partial<Listener> = {},
  ) {
    let channel: Listener = { ...listener, ...listenerChange };
    return Array.from({ length: minutes }, (_, minute) => minute).flatMap((minute) => {
      const opens = minute === 0 ? ('ALERT_FAILURE' as const) : null;
      const [notification] = notificationsOf(
        { ...event, opens, reminders, now: now + minute * minuteMs, ...change(minute) },
        [channel],
      );
      if (notification === undefined) return [];
      channel = { ...channel, notified: notification.notified };
      return notification.alertTypes.map((type) => `${minute} ${type} ${notification.reminder ?? '-'}`);
    });
  }

  it('is sent after each interval, as often as configured', () => {
    assert.deepEqual(
      notifiedIn(30, () => ({})),
      ['0 ALERT_FAILURE -', '5 ALERT_FAILURE 1', '10 ALERT_FAILURE 2'],
    );
    const forEver = { reminders: { amount: Infinity, intervalMs: 10 * minuteMs } };
    assert.deepEqual(
      notifiedIn(31, () => forEver),
      ['0 ALERT_FAILURE -', '10 ALERT_FAILURE 1', '20 ALERT_FAILURE 2', '30 ALERT_FAILURE 3'],
    );
    assert.deepEqual(
      notifiedIn(30, () => ({ reminders: null })),
      ['0 ALERT_FAILURE -'],
    );
  });

  it('is not sent after a recovery, and is counted from 1 after the next failure', () => {
    const ended = (minute: number): Partial<AlertEvent> =>
      minute === 7 ? { status: 'passing', isPassing: true } : minute === 8 ? { opens: 'ALERT_FAILURE' } : {};
    assert.deepEqual(notifiedIn(14, ended), [
      '0 ALERT_FAILURE -',
      '5 ALERT_FAILURE 1',
      '7 ALERT_RECOVERY -',
      '8 ALERT_FAILURE -',
      '13 ALERT_FAILURE 1',
    ]);
  });

  it('is not sent while muted, but with the first result afterwards', () => {
    const muted = (minute: number): Partial<AlertEvent> => ({ isMuted: minute > 2 && minute < 8 });
    assert.deepEqual(notifiedIn(12, muted), ['0 ALERT_FAILURE -', '8 ALERT_FAILURE 1']);
  });

  it('is not sent to a channel that was not notified or is no longer subscribed', () => {
    assert.deepEqual(
      notifiedIn(12, () => ({}), { sendFailure: false }),
      [],
    );
    assert.deepEqual(
      notifiedIn(12, () => ({}), { isSubscribed: false, notified: notifiedOf('failure', { notifiedAt: now }) }),
      [],
    );
  });

  it('is not sent to a channel whose switch suppressed the alert, even if it is on now', () => {
    const failing: AlertEvent = { ...event, reminders };
    const { notified } = receive({ ...failing, opens: 'ALERT_FAILURE' }, { sendFailure: false });
    for (const minute of [1, 10, 100]) {
      const later = { ...failing, now: now + minute * minuteMs };
      assert.deepEqual(receive(later, { notified }), { sent: [], notified }, `after ${minute} minutes`);
    }
    assert.deepEqual(receive({ ...passing, reminders }, { notified }).sent, ['ALERT_RECOVERY']);
  });

  it('is not sent with a result that does not affect the state', () => {
    const rules = { isMuted: false, reminders };
    const state = { ...newCheckState, status: 'failing', alerted: 'failing' } as const;
    const asked = [true, false].map((isMoved) => {
      const step = { state, change: null, opens: null, isMoved };
      return alertEventOf({ step, rules, certificate: null }, now).reminders;
    });
    assert.deepEqual(asked, [reminders, null]);
  });

  it('is not sent while the check has another state', () => {
    const eased = (minute: number): Partial<AlertEvent> => (minute > 2 ? { status: 'degraded' } : {});
    assert.deepEqual(notifiedIn(12, eased), ['0 ALERT_FAILURE -']);
    const degraded = (minute: number): Partial<AlertEvent> => ({
      status: 'degraded',
      opens: minute === 0 ? 'ALERT_DEGRADED' : null,
    });
    assert.deepEqual(notifiedIn(7, degraded, { sendDegraded: true }), ['0 ALERT_DEGRADED -', '5 ALERT_DEGRADED 1']);
  });

  it('is sent an interval after the first result if an older version sent the alert', () => {
    assert.deepEqual(
      notifiedIn(8, () => ({ opens: null }), { notified: notifiedOf('failure') }),
      ['5 ALERT_FAILURE 1'],
    );
  });

  it('is sent early rather than never if the clock was set back', () => {
    const back = (minute: number): Partial<AlertEvent> =>
      minute > 2 ? { now: now - 3_600_000 + minute * minuteMs } : {};
    assert.deepEqual(notifiedIn(9, back), ['0 ALERT_FAILURE -', '3 ALERT_FAILURE 1', '8 ALERT_FAILURE 2']);
  });
});
