// Requests for Opsgenie: complete and within its limits, whatever names and errors contain.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { alertTypes } from '#domain/alerts/alert.ts';
import { noGateways } from '#domain/deliveries/gateways.ts';
import {
  alertCases,
  alertVariables,
  assertGolden,
  hostileTexts,
  rendered,
} from '../../../../tests/support/receivers/sample-alerts.ts';

const config = { region: 'US', priority: 'P2' };
const text = (max: number) => z.string().min(1).max(max);

/** From the reference of the Alert API. */
const create = z.strictObject({
  message: text(130),
  alias: text(512),
  description: text(15_000).exactOptional(),
  entity: text(512),
  source: text(100),
  priority: z.enum(['P1', 'P2', 'P3', 'P4', 'P5']),
  tags: z.array(text(50)).max(20),
  details: z.record(z.string(), z.string()).refine((details) => JSON.stringify(details).length <= 8000),
});
const close = z.strictObject({ source: text(100), note: text(25_000) });

test('every alert has the golden request', () => assertGolden('OPSGENIE', config));

test('requests stay valid with hostile names', () => {
  for (const alertType of alertTypes) {
    for (const hostile of hostileTexts) {
      const { url, body } = rendered('OPSGENIE', config, alertVariables(alertType, { hostile }));
      (url.includes('/close?') ? close : create).parse(JSON.parse(body));
      assert.match(url, /^https:\/\/api\.opsgenie\.com\/v2\/alerts(?:\/[\w-]+\/close\?identifierType=alias)?$/);
    }
  }
});

test('closes what was created, in the region of the channel or at the address that the operator set', () => {
  const failure = rendered('OPSGENIE', { ...config, region: 'EU' }, alertCases['failure'] ?? {});
  assert.equal(failure.url, 'https://api.eu.opsgenie.com/v2/alerts');
  const { alias } = create.parse(JSON.parse(failure.body));
  const gateways = { ...noGateways, opsgenieUrl: 'http://alerts.example:8080' };
  const recovery = rendered('OPSGENIE', config, alertCases['recovery'] ?? {}, gateways);
  assert.equal(recovery.url, `http://alerts.example:8080/v2/alerts/${alias}/close?identifierType=alias`);
});

test('an alias cannot leave its place in the path', () => {
  const variables = { ...alertVariables('ALERT_RECOVERY'), INCIDENT_ID: '../../admin?x#y' };
  const { pathname, search } = new URL(rendered('OPSGENIE', config, variables).url);
  assert.equal(pathname, '/v2/alerts/..%2F..%2Fadmin%3Fx%23y/close');
  assert.equal(search, '?identifierType=alias');
});
