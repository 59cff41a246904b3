// Failing channels, and their report to other channels.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { channelRules } from '#channels/rules.ts';
import { deliveryEnd, lostReason, reportVariables, withoutPaths } from './failing-channel.ts';

const answered = (status: number, location?: string) => ({
  response: { status, headers: location === undefined ? {} : { location }, body: '' },
  error: null,
});

it('a redirect counts as lost although its delivery is delivered', () => {
  const delivered = { status: 'delivered', nextAttemptAt: null } as const;
  assert.deepEqual(
    [200, 299, 300, 308].map((status) => deliveryEnd(answered(status), delivered)),
    ['received', 'received', 'redirected', 'redirected'],
  );
  assert.equal(deliveryEnd(answered(410), { status: 'exhausted', nextAttemptAt: null }), 'exhausted');
  assert.equal(deliveryEnd(answered(550), { status: 'failed', nextAttemptAt: null }), 'exhausted');
  assert.equal(deliveryEnd(answered(200), { status: 'refused', nextAttemptAt: null }), null);
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
    checkResultId: null,
    deliveryId: null,
    through: [],
    variables: [{ key: 'HOOK', value: 'http://127.0.0.1:9', locked: true, secret: false }],
  } as const;
  const facts = { createdAt: 0, uuid: '', randomNumber: 0, userAgent: 'Tocsin/0' };
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
  const well = bodyOf('receiving');
  assert.deepEqual([well['ALERT_TYPE'], well['CHECK_ERROR_MESSAGE'], well['IS_REPLAY']], ['ALERT_RECOVERY', '', false]);
});
