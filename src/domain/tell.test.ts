// Who is told of what: by a channel's switches and what it last heard.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AlertType, Told } from './alert.ts';
import { type Listener, type News, tellingsOf, toldNothing } from './tell.ts';

const listener: Listener = {
  alertChannelId: 1,
  isSubscribed: true,
  isViaGroup: false,
  sendFailure: true,
  sendRecovery: true,
  sendDegraded: false,
  sslExpiry: false,
  sslExpiryThreshold: 30,
  told: toldNothing,
};
const news: News = { opens: null, isPassing: false, isMuted: false, certificate: null };
const passing: News = { ...news, isPassing: true };
const failure: News = { ...news, opens: 'ALERT_FAILURE' };
const degraded: News = { ...news, opens: 'ALERT_DEGRADED' };
const toldOf = (open: Told['open']): Told => ({ ...toldNothing, open });

/** What a channel is sent and what it has heard then. */
function hear(given: News, change: Partial<Listener>): { sent: readonly AlertType[]; told: Told } {
  const channel = { ...listener, ...change };
  const [telling] = tellingsOf(given, [channel]);
  return { sent: telling?.alertTypes ?? [], told: telling?.told ?? channel.told };
}

describe('a channel', () => {
  const rows: readonly [string, News, Partial<Listener>, AlertType[], Told['open']][] = [
    ['is sent the failure', failure, {}, ['ALERT_FAILURE'], 'failure'],
    ['is not sent the same failure twice', failure, { told: toldOf('failure') }, [], 'failure'],
    ['is sent the failure after the degradation', failure, { told: toldOf('degraded') }, ['ALERT_FAILURE'], 'failure'],
    ['counts as told of a failure that its switch held back', failure, { sendFailure: false }, [], 'failure'],
    [
      'hears nothing of failures and recoveries with both off',
      failure,
      { sendFailure: false, sendRecovery: false },
      [],
      null,
    ],
    ['is not sent a degradation by default', degraded, {}, [], null],
    ['is sent a degradation when it asked', degraded, { sendDegraded: true }, ['ALERT_DEGRADED'], 'degraded'],
    [
      'is sent the easing of a failure',
      degraded,
      { sendDegraded: true, told: toldOf('failure') },
      ['ALERT_DEGRADED'],
      'degraded',
    ],
    [
      'still waits for the recovery after an easing it did not ask for',
      degraded,
      { told: toldOf('failure') },
      [],
      'failure',
    ],
    ['is sent the recovery of a failure', passing, { told: toldOf('failure') }, ['ALERT_RECOVERY'], null],
    ['is sent the recovery of a degradation', passing, { told: toldOf('degraded') }, ['ALERT_DEGRADED_RECOVERY'], null],
    ['is sent no recovery of what it was not told', passing, {}, [], null],
    [
      'is sent no recovery with that switch off, and nothing stays open',
      passing,
      { sendRecovery: false, told: toldOf('failure') },
      [],
      null,
    ],
    [
      'is sent the recovery under mute',
      { ...passing, isMuted: true },
      { told: toldOf('failure') },
      ['ALERT_RECOVERY'],
      null,
    ],
    [
      'is sent the recovery after its subscription ended',
      passing,
      { isSubscribed: false, told: toldOf('failure') },
      ['ALERT_RECOVERY'],
      null,
    ],
    [
      'is sent nothing new after its subscription ended',
      failure,
      { isSubscribed: false, told: toldOf('degraded') },
      [],
      'degraded',
    ],
  ];
  for (const [what, given, change, sent, open] of rows) {
    it(what, () => assert.deepEqual(hear(given, change), { sent, told: toldOf(open) }));
  }

  it('is told by its own switches alone', () => {
    const channels = [
      { ...listener, alertChannelId: 1 },
      { ...listener, alertChannelId: 2, sendFailure: false, sendRecovery: false },
      { ...listener, alertChannelId: 3, told: toldOf('degraded') },
    ];
    const tellings = tellingsOf(failure, channels);
    assert.deepEqual(
      tellings.map(({ listener: { alertChannelId }, alertTypes }) => [alertChannelId, alertTypes]),
      [
        [1, ['ALERT_FAILURE']],
        [3, ['ALERT_FAILURE']],
      ],
    );
  });
});

describe('a channel that asked for certificates', () => {
  const seen = (daysRemaining: number, fingerprint = 'first'): News => ({
    ...news,
    certificate: { fingerprint, daysRemaining },
  });
  /** The days at which it was sent ALERT_SSL, of days that follow each other. */
  const sentAt = (days: readonly (number | [number, string])[], change: Partial<Listener> = {}): number[] => {
    let told = toldNothing;
    return days.flatMap((given) => {
      const [left, fingerprint] = typeof given === 'number' ? [given, 'first'] : given;
      const heard = hear(seen(left, fingerprint), { sslExpiry: true, ...change, told });
      ({ told } = heard);
      return heard.sent.length === 0 ? [] : [left];
    });
  };
  const countdown = [...Array(40).keys()].map((day) => 35 - day);

  it('is told once at each step', () => assert.deepEqual(sentAt(countdown), [30, 14, 7, 3, 1, -1]));
  it('is told from its own threshold on', () => {
    assert.deepEqual(sentAt(countdown, { sslExpiryThreshold: 10 }), [10, 7, 3, 1, -1]);
  });
  it('is told once of several steps crossed at once', () => assert.deepEqual(sentAt([35, 2, 2, 1]), [2, 1]));
  it('is told again of the renewed certificate, when its time comes', () => {
    assert.deepEqual(sentAt([30, 29, [90, 'second'], [30, 'second'], [29, 'second']]), [30, 30]);
  });
  it('is told once of each, when several nodes take turns with certificates of their own', () => {
    assert.deepEqual(sentAt([10, [10, 'second'], 10, [10, 'second'], 10, [6, 'second'], 6]), [10, 10, 6, 6]);
  });
  it('is told nothing under mute, and the step that holds when it ends', () => {
    assert.deepEqual(hear({ ...seen(10), isMuted: true }, { sslExpiry: true }).sent, []);
    assert.deepEqual(hear(seen(6), { sslExpiry: true }).sent, ['ALERT_SSL']);
  });
  it('is told together with what the result means for the check, and each is remembered', () => {
    assert.deepEqual(hear({ ...seen(10), opens: 'ALERT_FAILURE' }, { sslExpiry: true }), {
      sent: ['ALERT_FAILURE', 'ALERT_SSL'],
      told: { open: 'failure', certificates: { first: 14 } },
    });
    const told: Told = { open: 'failure', certificates: { first: 14 } };
    assert.deepEqual(hear({ ...seen(10), isPassing: true }, { sslExpiry: true, told }), {
      sent: ['ALERT_RECOVERY'],
      told: { ...told, open: null },
    });
  });
  it('hears of it no more when it did not ask, or is not subscribed', () => {
    assert.deepEqual(sentAt(countdown, { sslExpiry: false }), []);
    assert.deepEqual(sentAt(countdown, { isSubscribed: false }), []);
  });
});
