// Events for PagerDuty: complete and within its limits, whatever names and errors contain.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { alertTypes } from '#domain/alerts/alert.ts';
import {
  alertCases,
  alertVariables,
  assertGolden,
  hostileTexts,
  rendered,
} from '../../../../tests/support/receivers/sample-alerts.ts';

const text = (max: number) => z.string().min(1).max(max);
const head = { routing_key: z.literal('********'), dedup_key: text(255) };

/** From the reference of the Events API v2. */
const event = z.discriminatedUnion('event_action', [
  z.strictObject({ ...head, event_action: z.literal('resolve') }),
  z.strictObject({
    ...head,
    event_action: z.literal('trigger'),
    client: z.literal('Tocsin'),
    client_url: z.url().exactOptional(),
    links: z.array(z.strictObject({ href: z.url(), text: text(100) })).exactOptional(),
    payload: z.strictObject({
      summary: text(1024),
      source: text(1000),
      severity: z.enum(['critical', 'error', 'warning', 'info']),
      timestamp: z.iso.datetime().exactOptional(),
      component: text(1000).exactOptional(),
      group: text(1000).exactOptional(),
      class: z.enum(alertTypes),
      custom_details: z.record(z.string(), text(5000)),
    }),
  }),
]);
const eventOf = (name: string) => event.parse(JSON.parse(rendered('PAGERDUTY', {}, alertCases[name] ?? {}).body));

test('every alert has the golden event', () => assertGolden('PAGERDUTY', {}));

test('events stay valid with hostile names', () => {
  for (const alertType of alertTypes) {
    for (const hostile of hostileTexts) {
      const { body } = rendered('PAGERDUTY', {}, alertVariables(alertType, { hostile }));
      event.parse(JSON.parse(body));
      assert.ok(body.length < 512 * 1024);
    }
  }
});

test('reminders and recoveries have the key of their failure; certificates and tests have their own', () => {
  const { dedup_key: key } = eventOf('failure');
  for (const name of ['reminder', 'recovery', 'degraded', 'recovery from degraded', 'deleted check', 'replay']) {
    assert.equal(eventOf(name).dedup_key, key, name);
  }
  const keys = ['failure', 'certificate', 'test message', 'other channel'].map((name) => eventOf(name).dedup_key);
  assert.equal(new Set(keys).size, 4, keys.join());
  assert.equal(eventOf('certificate').event_action, 'trigger');
  const test = alertVariables('ALERT_RECOVERY', { isTest: true });
  const closing = event.parse(JSON.parse(rendered('PAGERDUTY', {}, test).body));
  assert.deepEqual([closing.event_action, closing.dedup_key], ['resolve', eventOf('test message').dedup_key]);
});

test('without an incident, the check is the key', () => {
  const { INCIDENT_ID: _, ...failure } = alertVariables('ALERT_FAILURE');
  const { dedup_key: key } = event.parse(JSON.parse(rendered('PAGERDUTY', {}, failure).body));
  assert.equal(key, failure['CHECK_ID']);
});
