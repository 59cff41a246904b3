// The message that an alert channel does not receive any more.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { channelKinds } from '#channels/registry.ts';
import { failingTemplate, failingVariables } from './failing-channel.ts';

it('a failing channel is told of as JSON, whatever its name and its last error hold', () => {
  const name = 'Pager "night" {{SECRET}} \\ \n';
  const since = Date.UTC(2026, 0, 31);
  const failing = { accountId: 'a', alertChannelId: 7, name, since, exhaustedInARow: 5, lastError: null };
  const hook = { key: 'HOOK', value: 'http://127.0.0.1:9', locked: true, secret: false };
  const variables = failingVariables(failing, [hook]);
  const facts = { createdAt: 0, uuid: '', randomNumber: 0, userAgent: 'Tocsin/0' };
  const config = { url: '{{{HOOK}}}/{{CHECK_NAME}}', template: failingTemplate };
  const { body, url } = channelKinds.WEBHOOK.render(config, variables, facts);
  assert.equal(url, 'http://127.0.0.1:9/');
  assert.deepEqual(JSON.parse(body), {
    text: `The alert channel "${name}" does not receive its alerts: the last 5 did not arrive`,
    alertType: 'CHANNEL_FAILING',
    alertChannelId: 7,
    alertChannelName: name,
    failingSince: '2026-01-31T00:00:00.000Z',
    exhaustedInARow: 5,
    lastError: null,
  });
});
