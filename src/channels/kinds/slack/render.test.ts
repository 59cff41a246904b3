// Messages for Slack: complete, within its limits, and inert whatever names and errors contain.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { alertTypes } from '#domain/alerts/alert.ts';
import {
  alertVariables,
  assertGolden,
  digestOf,
  hostileTexts,
  rendered,
  renderedDigest,
} from '../../../../tests/support/receivers/sample-alerts.ts';

const config = { url: 'https://hooks.slack.com/********', channel: '' };
const text = (max: number) => z.string().min(1).max(max);
const plain = (max: number) =>
  z.strictObject({ type: z.literal('plain_text'), text: text(max), emoji: z.literal(false) });
const button = z.strictObject({ type: z.literal('button'), text: plain(75), url: z.url().max(3000) });

/** From Slack's reference of blocks. */
const message = z.strictObject({
  channel: z.string().exactOptional(),
  text: text(4000),
  blocks: z
    .array(
      z.union([
        z.strictObject({ type: z.literal('header'), text: plain(150) }),
        z.strictObject({ type: z.literal('section'), text: plain(3000) }),
        z.strictObject({
          type: z.literal('section'),
          fields: z
            .array(z.strictObject({ type: z.literal('mrkdwn'), text: text(2000), verbatim: z.literal(true) }))
            .min(1)
            .max(10),
        }),
        z.strictObject({ type: z.literal('actions'), elements: z.array(button).min(1).max(25) }),
      ]),
    )
    .max(50),
});

test('every alert has the golden message', () => assertGolden('SLACK', config));

test('messages stay valid and contain no mentions with hostile names', () => {
  for (const alertType of alertTypes) {
    for (const hostile of hostileTexts) {
      const { body, url } = rendered('SLACK', config, alertVariables(alertType, { hostile }));
      const parsed = message.parse(JSON.parse(body));
      assert.equal(url, config.url);
      const mrkdwn = [
        parsed.text,
        ...parsed.blocks.flatMap((block) => ('fields' in block ? block.fields.map((field) => field.text) : [])),
      ].join('\n');
      const tags = mrkdwn.match(/<[^>]*>/g) ?? [];
      assert.ok(
        tags.every((tag) => tag === '<https://tocsin.example/results/AbC|View result>'),
        tags.join(),
      );
      assert.doesNotMatch(mrkdwn, /@(?:everyone|channel)/);
      // oxlint-disable-next-line no-control-regex -- control characters are what must not appear
      assert.doesNotMatch(body, /[\u0000-\u001f\u202a-\u202e\u2066-\u2069]/);
    }
  }
});

test('digests stay valid and contain no mentions with a hundred hostile names', () => {
  for (const hostile of [...hostileTexts, 'x'.repeat(80)]) {
    const { body } = renderedDigest('SLACK', config, digestOf(Array<string>(100).fill(hostile), 5000));
    const parsed = message.parse(JSON.parse(body));
    assert.match(parsed.text, /^🔴 Failing: .* and 4997 more\n/);
    assert.doesNotMatch(parsed.text, /[<>]|@(?:everyone|channel)/);
    assert.match(JSON.stringify(parsed.blocks.at(-2)), /and 4900 more/);
    assert.equal(body.match(/•/g)?.length, 100);
    assert.ok(body.length < 100_000);
  }
});

test('a channel overrides that of the webhook', () => {
  const { body } = rendered('SLACK', { ...config, channel: '#ops' }, alertVariables('ALERT_FAILURE'));
  assert.equal((JSON.parse(body) as { channel: string }).channel, '#ops');
});

test('a preview masks a URL that is not stored yet', () => {
  const url = 'https://hooks.slack.com/services/T0/B0/secret';
  assert.equal(rendered('SLACK', { url }, {}).url, 'https://hooks.slack.com/********');
  assert.equal(rendered('SLACK', { url: '********' }, {}).url, 'https://hooks.slack.com/********');
});
