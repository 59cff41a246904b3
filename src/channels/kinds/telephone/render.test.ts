// SMS messages and calls: short, in one line, and encoded for the template around them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { alertTypes } from '#domain/alerts/alert.ts';
import {
  alertVariables,
  assertGolden,
  digestOf,
  hostileTexts,
  rendered,
  renderedDigest,
} from '../../../../tests/support/receivers/sample-alerts.ts';
import { filled } from './send.ts';

const config = { number: '+15551234567' };

test('every alert has the golden text', () => {
  assertGolden('SMS', config);
  assertGolden('CALL', config);
});

test('texts stay short and in one line with hostile names, and keep the link', () => {
  for (const alertType of alertTypes) {
    for (const hostile of hostileTexts) {
      for (const type of ['SMS', 'CALL']) {
        const { body, url } = rendered(type, config, alertVariables(alertType, { hostile }));
        assert.ok(body.length > 0 && body.length <= 300, body);
        assert.ok(body.isWellFormed());
        // oxlint-disable-next-line no-control-regex -- control characters are what must not appear
        assert.doesNotMatch(body, /[\u0000-\u001f\u202a-\u202e]/);
        assert.match(url, /^(?:sms|tel):\+15551234567$/);
        if (type === 'SMS') assert.ok(body.endsWith(' https://tocsin.example/results/AbC'), body);
      }
    }
  }
});

test('digests stay short, too, and show the number of checks', () => {
  for (const hostile of hostileTexts) {
    for (const type of ['SMS', 'CALL']) {
      const { body } = renderedDigest(type, config, digestOf(Array<string>(100).fill(hostile), 5000));
      assert.ok(body.length > 0 && body.length <= 300, body);
      assert.ok(body.isWellFormed());
      assert.match(body, /^5000 failing: .* and 49\d\d more$/);
      // oxlint-disable-next-line no-control-regex -- control characters are what must not appear
      assert.doesNotMatch(body, /[\u0000-\u001f\u202a-\u202e]/);
    }
  }
});

test('a template of JSON or of a form takes any text, once', () => {
  for (const text of hostileTexts.map((each) => each.toWellFormed())) {
    const json = filled('{"to":"{{NUMBER}}","text":"{{TEXT}}","x":"{{OTHER}}"}', '+1', text);
    assert.deepEqual(JSON.parse(json.body), { to: '+1', text, x: '{{OTHER}}' });
    assert.equal(json.contentType, 'application/json');
    const form = filled('To={{NUMBER}}&Body={{TEXT}}&From=%2B2', '+1', text);
    assert.deepEqual(
      [...new URLSearchParams(form.body)],
      [
        ['To', '+1'],
        ['Body', text],
        ['From', '+2'],
      ],
    );
    assert.equal(form.contentType, 'application/x-www-form-urlencoded');
  }
});
