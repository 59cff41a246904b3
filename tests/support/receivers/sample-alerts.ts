// Alerts for tests of ready-made messages, and their expected bodies in tests/golden/channels/.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AlertFacts, systemVariables, type TemplateVariables } from '#domain/deliveries/template-variables.ts';
import { reportVariables } from '#domain/deliveries/failing-channel.ts';
import type { Message } from '#domain/deliveries/delivery.ts';
import type { Gateways } from '#domain/deliveries/gateways.ts';
import type { JsonObject } from '#domain/json.ts';
import type { AccountReport, ReportedRow } from '#domain/results/account-report.ts';
import type { DigestMessage } from '#channels/parts/digest-summary.ts';
import type { ReportMessage } from '#channels/parts/report-summary.ts';
import { channelRules } from '#channels/rules.ts';

/** Values that break naive messages. */
export const hostileTexts: readonly string[] = [
  '"',
  '\\',
  'a\nb\r\nBcc: x@evil.example\r\n\tc',
  '</b><script>alert(1)</script><!channel> <@U123> <https://evil.example|here> & @everyone @channel *b* `c`',
  '🔥\u202e\u2028\0\ud83d \u2067שלום',
  '{{CHECK_NAME}} {{NUMBER}} {{TEXT}} ${x} %s $& $1',
  'x'.repeat(4096),
  '"'.repeat(4096),
  '🔥'.repeat(2048),
  '\n'.repeat(4096),
  '<'.repeat(4096),
  '&'.repeat(4096),
  '*'.repeat(4096),
];

/** The variables of an alert. */
export function alertVariables(
  alertType: AlertFacts['alertType'],
  { hostile = null, ...more }: Partial<AlertFacts> & { readonly hostile?: string | null } = {},
): TemplateVariables {
  const or = (harmless: string): string => hostile ?? harmless;
  const isRecovery = alertType === 'ALERT_RECOVERY' || alertType === 'ALERT_DEGRADED_RECOVERY';
  return {
    ...systemVariables({
      alertType,
      deliveryId: '0197f3b0-0000-7000-8000-00000000d001',
      check: {
        id: '7c0e2f5a-1d34-4b8e-9a61-0f2d3c4b5a69',
        name: or('Cart API'),
        checkType: 'API',
        description: hostile,
        runbookUrl: or('https://wiki.example/cart'),
        notes: or('Restart the cache first.\nThen call the bank.'),
        tags: [or('shop'), or('env:production')],
        url: or('https://shop.example/cart'),
      },
      groupName: or('Shop'),
      result: {
        id: 'r',
        message: or('expected a status below 400, got 503 Service Unavailable'),
        responseTimeMs: 182.6,
        status: isRecovery ? 200 : 503,
        statusText: or(isRecovery ? 'OK' : 'Service Unavailable'),
        startedAt: Date.parse('2026-03-10T12:00:00Z'),
        link: 'https://tocsin.example/results/AbC',
      },
      location: { code: 'eu-1', name: or('Frankfurt') },
      ssl: {
        daysRemaining: 7,
        domain: or('shop.example'),
        sentence: `the certificate of ${or('shop.example')} expires in 7 days`,
      },
      reminder: null,
      isTest: false,
      ...more,
    }),
    ...(alertType !== 'ALERT_SSL' && {
      INCIDENT_ID: '0197f3b0-0000-7000-8000-000000000001',
      INCIDENT_STARTED_AT: '2026-03-10T11:58:30.000Z',
      INCIDENT_DURATION: 7530,
      ACK_LINK: 'https://tocsin.example/acknowledge/XyZ',
    }),
  };
}

/** Every kind of alert, by name. */
export const alertCases: Readonly<Record<string, TemplateVariables>> = {
  failure: alertVariables('ALERT_FAILURE'),
  reminder: alertVariables('ALERT_FAILURE', { reminder: 2 }),
  recovery: alertVariables('ALERT_RECOVERY'),
  degraded: alertVariables('ALERT_DEGRADED'),
  'recovery from degraded': alertVariables('ALERT_DEGRADED_RECOVERY'),
  certificate: alertVariables('ALERT_SSL'),
  'deleted check': alertVariables('ALERT_RECOVERY', { isDeletion: true }),
  'test message': alertVariables('ALERT_FAILURE', { isTest: true }),
  replay: { ...alertVariables('ALERT_FAILURE'), IS_REPLAY: true, REPLAY_OF: 'd' },
  'other channel': reportVariables(
    {
      kind: 'failing',
      accountId: '0197f3b0-0000-7000-8000-00000000a001',
      name: 'Webhook of ops',
      alertChannelId: 3,
      check: { id: 'c', name: 'Cart API', tags: [], groupName: null },
      digest: null,
      since: Date.parse('2026-03-10T12:00:00Z'),
      reason: 'connection refused by 127.0.0.1:9 after 3 ms',
      variables: [],
    },
    '0197f3b0-0000-7000-8000-00000000d001',
    undefined,
  ),
};

const listed = (names: readonly string[], error: string | null) =>
  names.map((name, index) => ({
    checkId: `c${index}`,
    name,
    error,
    resultId: error === null ? null : `r${index}`,
    incidentId: error === null ? null : `i${index}`,
  }));

/** A digest of as many failing checks, one of which is listed by name for each name. */
export function digestOf(failing: readonly string[], count = failing.length): DigestMessage {
  const section = { state: 'failing', count, checks: listed(failing, failing[0] ?? '') } as const;
  return messageOf({ alerts: count, sections: [section] });
}

function messageOf(digest: Omit<DigestMessage['digest'], 'at'>, isReplay = false): DigestMessage {
  return {
    digest: { at: Date.parse('2026-03-10T12:01:05Z'), ...digest },
    variables: { DELIVERY_ID: '0197f3b0-0000-7000-8000-00000000d001', IS_REPLAY: isReplay },
    links: {
      overview: 'https://tocsin.example/',
      check: ({ checkId }) => `https://tocsin.example/checks/${checkId}`,
      result: ({ resultId }) => (resultId === null ? null : `https://tocsin.example/results/${resultId}`),
      acknowledge: ({ incidentId }) =>
        incidentId === null ? null : `https://tocsin.example/acknowledge/${incidentId}`,
    },
  };
}

const refused = 'connection refused by 192.0.2.7:443';
/** Every kind of digest, by name. */
export const digestCases: Readonly<Record<string, DigestMessage>> = {
  digest: messageOf({
    alerts: 33,
    sections: [
      { state: 'failing', count: 27, checks: listed(['Cart API', 'Checkout', 'Search'], refused) },
      { state: 'degraded', count: 1, checks: listed(['Reports'], 'answered after 3210 ms') },
      { state: 'certificate', count: 2, checks: listed(['Images', 'Shop'], null) },
      { state: 'recovered', count: 1, checks: listed(['Stock'], null) },
      { state: 'stillFailing', count: 1, checks: listed(['Login'], null) },
    ],
  }),
  'digest of recoveries': messageOf({
    alerts: 2,
    sections: [
      { state: 'recovered', count: 2, checks: listed(['Cart API', 'Checkout'], null) },
      { state: 'stillFailing', count: 1, checks: listed(['Login'], null) },
    ],
  }),
  'replayed digest': messageOf({ alerts: 0, sections: [] }, true),
};

const figures = (availability: number | null, downMs = 0, unknownMs = 0) => ({
  availability,
  availabilityBefore: 99.98,
  downMs,
  unknownMs,
  unknownRatio: unknownMs / 6_048_000,
  incidents: downMs === 0 ? 0 : 2,
});
const rowOf = (name: string, own: ReturnType<typeof figures>): ReportedRow => ({
  ...own,
  checkId: '7c0e2f5a-1d34-4b8e-9a61-0f2d3c4b5a69',
  name,
  checkType: 'API',
  tags: [],
  runs: { passed: 1, degraded: 0, failed: 0, unknown: 0, missed: 0 },
  successRatio: 100,
  avg: 190,
  p50: 182.6,
  p95: 1234.5,
  p99: 2000,
});

/** A weekly report that lists checks by these names. */
export function reportOf(names: readonly string[], every: AccountReport['every'] = 'week'): ReportMessage {
  const span = { from: Date.parse('2026-03-01T23:00:00Z'), to: Date.parse('2026-03-08T23:00:00Z') };
  const monthly = { from: Date.parse('2026-01-31T23:00:00Z'), to: Date.parse('2026-02-28T23:00:00Z') };
  const incident = { id: 'i', checkId: 'c', startedAt: Date.parse('2026-03-03T04:12:00Z') };
  return {
    report: {
      accountName: names[0] ?? null,
      groupId: null,
      groupName: null,
      tags: [],
      title: null,
      every,
      days: null,
      timeZone: 'Europe/Berlin',
      span: every === 'week' ? span : monthly,
      madeAt: Date.parse('2026-03-09T07:00:05Z'),
      checks: names.length,
      total: names.length === 0 ? figures(null) : figures(99.9512, 3_720_000, 60_000),
      rows: names.map((name) => rowOf(name, figures(99.2, 3_720_000))),
      leastAvailable: names.map((name) => rowOf(name, figures(99.2, 3_720_000))),
      slowest: names.map((name) => rowOf(name, figures(100))),
      leastKnown: names.map((name) => rowOf(name, figures(100, 0, 60_000))),
      incidents: names.map((checkName, index) => ({
        ...incident,
        checkName,
        endedAt: index === 0 ? null : incident.startedAt + 3_720_000,
      })),
      certificates: names.map((name, index) => ({
        checkId: 'c',
        name,
        domain: 'shop.example',
        validTo: Date.parse(index === 0 ? '2026-03-08T00:00:00Z' : '2026-03-16T12:00:00Z'),
      })),
    },
    variables: { DELIVERY_ID: '0197f3b0-0000-7000-8000-00000000d001', IS_REPLAY: false },
    linkOf: (checkId) => `https://tocsin.example/${checkId === null ? 'reports' : `checks/${checkId}`}`,
  };
}

/** Some days of a group and tag, under a heading. */
function customerReport(): ReportMessage {
  const message = reportOf(['Shop', 'Cart API']);
  const days = { fromOn: '2026-03-02', toOn: '2026-03-08' };
  const scope = { groupId: 7, groupName: 'Shops', tags: ['eu'], title: 'Acme Ltd' };
  return { ...message, report: { ...message.report, every: null, days, ...scope } };
}

/** Every kind of report, by name. */
export const reportCases: Readonly<Record<string, ReportMessage>> = {
  'weekly-report': reportOf(['Shop', 'Cart API']),
  'monthly-report-without-checks': reportOf([], 'month'),
  'report-for-a-customer': customerReport(),
};

/** Renders a digest for a channel. */
export function renderedDigest(type: string, config: JsonObject, message: DigestMessage, gateways?: Gateways): Message {
  return channelRules.renderDigest({ type, config }, message, renderFacts, gateways);
}

const renderFacts = {
  createdAt: Date.parse('2026-03-10T12:00:05Z'),
  uuid: 'u',
  randomNumber: 1,
  userAgent: 'Tocsin/0',
  timeZone: 'Europe/Berlin',
};

/** Renders an alert for a channel. */
export function rendered(type: string, config: JsonObject, variables: TemplateVariables, gateways?: Gateways): Message {
  return channelRules.render({ type, config }, variables, renderFacts, gateways);
}

/** Compares the messages of all cases with the golden file. Delete it to write a new one. */
export function assertGolden(type: string, config: JsonObject, gateways?: Gateways): void {
  const alerts = Object.entries(alertCases).map(([name, variables]) => {
    return [name, rendered(type, config, variables, gateways)] as const;
  });
  const digests = Object.entries(channelRules.isDigested(type) ? digestCases : {}).map(([name, message]) => {
    return [name, renderedDigest(type, config, message, gateways)] as const;
  });
  const messages = [...alerts, ...digests].map(([name, { method, url, body }]) => {
    const shown: unknown = body.startsWith('{') ? JSON.parse(body) : body;
    return [name, { request: `${method} ${url}`, body: shown }];
  });
  const path = join(import.meta.dirname, `../../golden/channels/${type.toLowerCase()}.json`);
  const text = `${JSON.stringify(Object.fromEntries(messages), null, 1)}\n`;
  if (!existsSync(path)) {
    writeFileSync(path, text);
    assert.fail(`${path} was written: check it and run the test again`);
  }
  assert.equal(text, readFileSync(path, 'utf8'));
}
