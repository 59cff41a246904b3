// Failing channels, and their report to other channels.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { channelRules } from '#channels/rules.ts';
import { channelName } from '../alerts/alert-channel.ts';
import { deliveryStatuses } from './delivery.ts';
import { deliveryEnd, type DeliveryEnd, type DeliveryPurpose, purposeOf } from './delivery-purpose.ts';
import { afterEnd, type ChannelStanding, lostReason, reportVariables, withoutPaths } from './failing-channel.ts';

const answered = (status: number, location?: string, number = 1) => ({
  number,
  response: { status, headers: location === undefined ? {} : { location }, body: '' },
  error: status < 400 ? null : { class: 'status' as const, message: `the receiver answered with status ${status}` },
});

const well: ChannelStanding = {
  lostInARow: 0,
  failingSince: null,
  reason: null,
  lost: null,
  news: null,
  isKnown: false,
};

/** The standing after deliveries ended, in order; `at` is the time of the last one. */
const after = (standing: ChannelStanding, ...ends: readonly (readonly [DeliveryEnd, DeliveryPurpose, number?])[]) =>
  ends.reduce(
    (before, [end, purpose, attempts = 1], index) =>
      afterEnd(before, { end, purpose, attempts, deliveryId: `d${index}`, reason: `r${index}` }, index),
    standing,
  );

it('every status of a delivery has one meaning for its channel', () => {
  const ends = deliveryStatuses.map((status) => [status, deliveryEnd(answered(204), status)] as const);
  assert.deepEqual(
    ends.filter(([, end]) => end === 'lost').map(([status]) => status),
    ['exhausted', 'refused', 'failed'],
  );
  assert.deepEqual(
    ends.filter(([, end]) => end !== null && end !== 'lost').map(([status]) => status),
    ['delivered'],
  );
});

it('a redirect counts as lost although its delivery is delivered', () => {
  assert.deepEqual(
    [200, 299, 300, 308].map((status) => deliveryEnd(answered(status), 'delivered')),
    ['received', 'received', 'redirected', 'redirected'],
  );
});

it('a delivery with a long tail is lost for its channel after its first six attempts', () => {
  const pending = [1, 5, 6, 7].map((number) => deliveryEnd(answered(503, undefined, number), 'pending'));
  assert.deepEqual(pending, [null, null, 'overdue', null]);
  assert.equal(after(well, ['overdue', 'alert', 6]).news, 'failing');
  assert.equal(after(well, ['overdue', 'alert', 6], ['lost', 'alert', 10]).lostInARow, 1);
  // Another delivery arrived in between.
  const again = after(
    { ...well, isKnown: true },
    ['overdue', 'alert', 6],
    ['received', 'alert'],
    ['lost', 'alert', 10],
  );
  assert.deepEqual([again.lostInARow, again.failingSince], [1, 2]);
});

it('each lost delivery marks the channel, but only alerts and grouped notifications are reported', () => {
  const purposes = ['alert', 'digest', 'report', 'status', 'test', 'notice'] as const;
  const lost = purposes.map((purpose) => [purpose, after(well, ['lost', purpose])] as const);
  assert.deepEqual(
    lost.map(([, { failingSince, reason }]) => [failingSince, reason]),
    purposes.map(() => [0, 'r0']),
  );
  assert.deepEqual(
    lost.map(([purpose, { news }]) => [purpose, news]),
    [
      ['alert', 'failing'],
      ['digest', 'failing'],
      ['report', null],
      ['status', null],
      ['test', null],
      ['notice', null],
    ],
  );
});

it('a failing channel is reported once, when it loses its first alert', () => {
  const tested = after(well, ['lost', 'test'], ['lost', 'alert'], ['lost', 'digest']);
  assert.deepEqual(
    [tested.news, tested.lost?.deliveryId, tested.failingSince, tested.reason],
    ['failing', 'd1', 0, 'r2'],
  );
  const reported = { ...tested, news: null, isKnown: true };
  assert.equal(after(reported, ['lost', 'alert']).news, null);
  // There was no other channel to report it to.
  assert.equal(after({ ...tested, news: null }, ['lost', 'alert']).news, null);
});

it('whatever is received ends the failure, and is reported to those who know of it', () => {
  const failing = after(well, ['lost', 'alert']);
  assert.deepEqual([after(failing, ['received', 'test']).news, failing.news], [null, 'failing']);
  const received = after({ ...failing, news: null, isKnown: true }, ['received', 'test']);
  assert.deepEqual([received.news, received.failingSince, received.lostInARow], ['receiving', null, 0]);
  // Lost again before that was reported: others still know that it fails.
  assert.equal(after(received, ['lost', 'alert']).news, null);
});

it('one redirect may be intended, two in a row are not', () => {
  const once = after(well, ['redirected', 'alert']);
  assert.deepEqual([once.failingSince, once.news, once.lostInARow], [null, null, 1]);
  const twice = after(once, ['redirected', 'alert']);
  assert.deepEqual([twice.failingSince, twice.news], [0, 'failing']);
});

it('the new URL of a redirect is shown without user info and query', () => {
  const reason = lostReason(answered(301, 'https://me:secret@new.example/in?token=1#x'));
  assert.equal(reason, 'the receiver redirected to https://new.example/in (301); redirects are not followed');
  assert.equal(
    withoutPaths(reason ?? ''),
    'the receiver redirected to https://new.example/… (301); redirects are not followed',
  );
  assert.equal(lostReason(answered(302)), 'the receiver redirected (302); redirects are not followed');
});

it('a failing channel is reported with one alert type, whatever its name contains', () => {
  const name = 'Pager "night" {{SECRET}} \\ \n';
  const since = Date.UTC(2026, 0, 31);
  const report = {
    kind: 'failing',
    accountId: 'a',
    alertChannelId: 7,
    name,
    since,
    reason: 'the receiver answered with status 410',
    check: { id: 'c', name: 'Cart', tags: ['shop'], groupName: null },
    digest: null,
    checkResultId: null,
    deliveryId: null,
    through: [],
    variables: [{ key: 'HOOK', value: 'http://127.0.0.1:9', locked: true, secret: false }],
  } as const;
  const facts = { createdAt: 0, uuid: '', randomNumber: 0, userAgent: 'Tocsin/0', timeZone: 'UTC' };
  const bodyOf = (kind: 'failing' | 'receiving') => {
    const variables = reportVariables({ ...report, kind }, 'd', undefined);
    const { body, url } = channelRules.render(
      { type: 'WEBHOOK', config: { url: '{{{HOOK}}}/{{CHECK_ID}}' } },
      variables,
      facts,
    );
    assert.equal(url, 'http://127.0.0.1:9/alert-channel-a-7');
    return JSON.parse(body) as Record<string, unknown>;
  };
  const { ALERT_TITLE, ALERT_TYPE, CHECK_ERROR_MESSAGE, STARTED_AT, TAGS } = bodyOf('failing');
  assert.deepEqual(
    [ALERT_TITLE, ALERT_TYPE, CHECK_ERROR_MESSAGE, STARTED_AT, TAGS],
    [
      `Alert channel "${name}" does not receive alerts`,
      'ALERT_FAILURE',
      'The last alert could not be delivered: the receiver answered with status 410. It was for the check "Cart".',
      '2026-01-31T00:00:00.000Z',
      ['shop'],
    ],
  );
  const over = bodyOf('receiving');
  assert.deepEqual([over['ALERT_TYPE'], over['CHECK_ERROR_MESSAGE'], over['IS_REPLAY']], ['ALERT_RECOVERY', '', false]);
});

it('the report of a lost grouped notification names its first checks', () => {
  const check = (name: string) => ({ checkId: name, name, error: null, resultId: null, incidentId: null });
  const report = {
    kind: 'failing',
    accountId: 'a',
    alertChannelId: 7,
    name: 'Ops',
    since: 0,
    reason: 'no',
    check: null,
    variables: [],
  } as const;
  const messageOf = (failing: readonly string[], count = failing.length) => {
    const section = { state: 'failing', count, checks: failing.map(check) } as const;
    const digest = { at: 0, alerts: count, sections: [section] };
    return reportVariables({ ...report, digest }, 'd', undefined)['CHECK_ERROR_MESSAGE'];
  };
  const lost = 'The last grouped notification could not be delivered: no.';
  assert.equal(messageOf(['A']), `${lost} It was for 1 check: "A".`);
  assert.equal(messageOf(['A', 'B', 'C', 'D'], 27), `${lost} It was for 27 checks: "A", "B", "C" and 24 others.`);
});

it('a delivery has one purpose', () => {
  const alert = { isTest: false, checkId: 'c', alertType: 'ALERT_FAILURE' };
  const all = [
    alert,
    { ...alert, isTest: true },
    { ...alert, checkId: null },
    { ...alert, checkId: null, isDigest: true },
  ];
  const report = { ...alert, checkId: null, alertType: null };
  assert.deepEqual([...all, report, { ...report, pageChangeId: 'p' }].map(purposeOf), [
    'alert',
    'test',
    'notice',
    'digest',
    'report',
    'status',
  ]);
});

it('a channel without a name is named by its type, a part of its destination, and its ID', () => {
  const name = (type: string, config: Readonly<Record<string, string>>): string => channelName({ id: 7, type, config });
  assert.equal(name('EMAIL', { name: 'Ops', address: 'ops@example.com' }), 'Ops');
  assert.equal(name('EMAIL', { name: '', address: 'ops@example.com' }), 'email o…@example.com (channel 7)');
  assert.equal(name('SMS', { name: ' ', number: '+4915112345678' }), 'sms …5678 (channel 7)');
  const url = 'https://me:secret@hooks.example.com:8443/secret?token=1';
  assert.equal(name('WEBHOOK', { name: '', url }), 'webhook hooks.example.com:8443 (channel 7)');
  assert.equal(name('WEBHOOK', { url: '{{HOOK}}/x' }), 'webhook channel 7');
});
