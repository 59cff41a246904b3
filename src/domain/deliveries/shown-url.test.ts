// URLs as shown to readers without access to all of their parts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasSecretUrl, maskAddress, maskUserInfo, withoutUserInfo } from './shown-url.ts';

test('masks or omits user info, and nothing else', () => {
  for (const [url, masked, without] of [
    ['http://a:b@shop.example/x?y#z', 'http://********@shop.example/x?y#z', 'http://shop.example/x?y#z'],
    ['https://token@shop.example', 'https://********@shop.example', 'https://shop.example'],
    ['https://{{USER}}:{{PASS}}@{{HOST}}/', 'https://********@{{HOST}}/', 'https://{{HOST}}/'],
    ['https://a@b@shop.example/', 'https://********@shop.example/', 'https://shop.example/'],
    ['https://shop.example/@me?to=a@b', 'https://shop.example/@me?to=a@b', 'https://shop.example/@me?to=a@b'],
    ['{{URL}}', '{{URL}}', '{{URL}}'],
  ] as const) {
    assert.deepEqual([maskUserInfo(url), withoutUserInfo(url)], [masked, without]);
  }
});

test('shows only the host of a secret URL', () => {
  assert.equal(maskAddress('https://hooks.slack.com/services/T0/B0/x?y'), 'https://hooks.slack.com/********');
  assert.equal(maskAddress('https://a:b@hooks.slack.com/x'), 'https://********@hooks.slack.com/********');
  assert.equal(maskAddress('https://hooks.slack.com/'), 'https://hooks.slack.com/');
  assert.ok(hasSecretUrl({ webhookType: 'WEBHOOK_MATTERMOST', url: 'https://chat.corp.example/hooks/x' }));
  assert.ok(hasSecretUrl({ url: 'https://hooks.slack.com/services/x' }));
  assert.ok(hasSecretUrl({ url: 'https://alert.victorops.com/integrations/generic/20131114/alert/key/team' }));
  assert.ok(hasSecretUrl({ url: 'https://apprise.example/notify/x', webhookType: 'WEBHOOK_APPRISE' }));
  assert.ok(hasSecretUrl({ url: 'https://corp.webhook.office.com/x' }));
  assert.ok(!hasSecretUrl({ url: 'https://shop.example/hook', webhookType: 'WEBHOOK_PAGERDUTY' }));
  assert.ok(!hasSecretUrl({ url: 'https://notslack.com/x' }));
});
