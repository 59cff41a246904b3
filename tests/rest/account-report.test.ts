// The report on a week or month over HTTP, as JSON and CSV, on results whose figures are known.
import assert from 'node:assert/strict';
import { after, before, describe, it, test } from 'node:test';
import type { AccountReportDeliveryActions } from '#actions/results/account-report-deliveries.ts';
import type { AccountReportActions } from '#actions/results/account-reports.ts';
import { reportOf } from '../support/receivers/sample-alerts.ts';
import type { AccountReportBody } from '#contract/results/account-report.ts';
import type { ReportedRow } from '#domain/results/account-report.ts';
import type { Outcome } from '#domain/results/result.ts';
import { newId } from '#lib/id.ts';
import { accountReportRoutes } from '#rest/results/account-report.ts';
import type { Answer, AnyCall } from '#rest/route.ts';
import { type Composed, startComposed } from '../support/service/composed.ts';
import { putResult } from '../support/store/rows.ts';
import { send } from './operation-calls.ts';

const hourMs = 3_600_000;
/** A Tuesday. The week before is that from Monday, 2 March. */
const now = Date.parse('2026-03-10T12:30:00Z');
const monday = Date.parse('2026-03-02T00:00:00Z');
/** Nothing is sent: there is no deliverer. */
const environment = {
  TOCSIN_ROLES: 'api',
  TOCSIN_SMTP_URL: 'smtp://localhost:1',
  TOCSIN_MAIL_FROM: 'alerts@example.com',
};
const hostileName = '=HYPERLINK("https://evil.example","Cart, API")\r\n@x';

let on: Composed;
const cleanups: (() => void | Promise<void>)[] = [];
const ids: Record<string, string> = {};

before(async () => {
  const clocks = { clock: { now: () => now }, steadyNow: () => now };
  on = await startComposed({ after: (work) => void cleanups.push(work) }, environment, clocks);
  await ask('PUT', '/v1/accounts/me', { timeZone: 'UTC' });
  for (const name of ['shop', hostileName, 'new', 'old']) {
    const request = { method: 'GET', url: 'http://127.0.0.1:1/' };
    const check = { name, activated: name !== 'old', frequency: 60, tags: ['a', 'b'], request };
    const { body } = await ask('POST', '/v1/checks/api', check);
    ids[name] = (JSON.parse(body) as { id: string }).id;
  }
  // Every hour of the week and of the one before.
  for (let hour = -7 * 24; hour < 7 * 24; hour++) {
    result('shop', monday + hour * hourMs, hour < -84 ? 'failed' : 'passed', 20_000);
    // 21 hours failed, 42 hours are unknown.
    if (hour >= 0)
      result(hostileName, monday + hour * hourMs, hour < 21 ? 'failed' : hour < 63 ? 'unknown' : 'passed', 5000);
    result('old', monday + hour * hourMs, 'failed', 1000);
  }
});
after(async () => {
  for (const work of cleanups) await work();
});

function result(check: string, at: number, outcome: Outcome, responseUs: number): void {
  const time = at.toString(16).padStart(12, '0');
  const id = `${time.slice(0, 8)}-${time.slice(8)}${newId().slice(13)}`;
  putResult(on.raw, on.accountId, ids[check] ?? '', at, { id, outcome, responseUs, intervalMs: hourMs });
}

async function ask(method: string, path: string, written?: object) {
  const own = { authorization: `Bearer ${on.apiKey}`, 'content-type': 'application/json' };
  const sent = { method, path, headers: own, body: written === undefined ? '' : JSON.stringify(written) };
  const { status, text: body, headers } = await send(on.port, sent);
  return { status, body, headers };
}

async function report(query = ''): Promise<AccountReportBody> {
  const { status, body } = await ask('GET', `/v1/account-report${query}`);
  assert.equal(status, 200, body);
  return JSON.parse(body) as AccountReportBody;
}

describe('the report', () => {
  it('is about the last complete week by default', async () => {
    const found = await report();
    assert.deepEqual([found.from, found.to], ['2026-03-02T00:00:00.000Z', '2026-03-09T00:00:00.000Z']);
    assert.equal(found.checks, 3);
    // 168 of 168 h, and 21 of 126 known hours down, 42 h unknown.
    assert.deepEqual(found.total, {
      availability: 92.8571,
      availabilityBefore: 50,
      downTime: 21 * hourMs,
      unknownTime: 42 * hourMs,
      unknownRatio: 12.5,
      incidents: 0,
    });
    assert.deepEqual(
      found.leastAvailable.map(({ name, availability, successRatio }) => [name, availability, successRatio]),
      [[hostileName, 83.3333, 83.3333]],
    );
    assert.deepEqual(
      found.slowest.map(({ name, p95 }) => [name, Math.round(p95 ?? 0)]),
      [
        ['shop', 20],
        [hostileName, 5],
      ],
    );
    assert.deepEqual(
      found.leastKnown.map(({ name, unknownRatio }) => [name, unknownRatio]),
      [[hostileName, 25]],
    );
  });

  it('is about any week or month, up to now', async () => {
    const before = await report('?at=2026-02-25');
    assert.deepEqual([before.from, before.total.downTime], ['2026-02-23T00:00:00.000Z', 84 * hourMs]);
    const current = await report('?every=month&at=2026-03-05T10:00:00Z&timezone=Europe/Berlin');
    assert.deepEqual([current.from, current.to], ['2026-02-28T23:00:00.000Z', '2026-03-10T12:30:00.000Z']);
    assert.equal(current.total.downTime, 21 * hourMs);
  });

  it('is about weeks in the zone of the account, unless it names another one', async () => {
    await ask('PUT', '/v1/accounts/me', { timeZone: 'Asia/Tokyo' });
    const found = await report();
    assert.deepEqual([found.timeZone, found.from], ['Asia/Tokyo', '2026-03-01T15:00:00.000Z']);
    assert.equal((await report('?timezone=UTC')).from, '2026-03-02T00:00:00.000Z');
    await ask('PUT', '/v1/accounts/me', { timeZone: null });
    assert.equal((await report()).timeZone, new Intl.DateTimeFormat().resolvedOptions().timeZone);
    await ask('PUT', '/v1/accounts/me', { timeZone: 'UTC' });
  });

  it('is about any days of a group or tag, under a heading', async () => {
    const { body: made } = await ask('POST', '/v1/check-groups', { name: 'Acme' });
    const { id: groupId } = JSON.parse(made) as { id: number };
    await ask('PUT', `/v1/checks/api/${ids['shop']}`, { groupId });
    const found = await report(`?fromOn=2026-03-02&toOn=2026-03-03&groupId=${groupId}&title=Acme%20Ltd`);
    const { title, groupName, every, fromOn, toOn, from, to, checks } = found;
    assert.deepEqual(
      [title, groupName, every, fromOn, toOn, from, to, checks],
      ['Acme Ltd', 'Acme', null, '2026-03-02', '2026-03-03', '2026-03-02T00:00:00.000Z', '2026-03-04T00:00:00.000Z', 1],
    );
    // 48 passed hours, after 48 of which nothing failed either.
    assert.deepEqual([found.total.availability, found.total.availabilityBefore], [100, 100]);
    assert.deepEqual(
      found.rows?.map(({ name }) => name),
      ['shop'],
    );
    const tagged = await report('?tag=a&tag=b&every=quarter&at=2026-03-10');
    assert.deepEqual(
      [tagged.checks, tagged.from, tagged.total.downTime],
      [3, '2026-01-01T00:00:00.000Z', 105 * hourMs],
    );
    const csv = await ask('GET', `/v1/account-report/csv?fromOn=2026-03-02&toOn=2026-03-03&groupId=${groupId}`);
    assert.match(csv.body, /^check_id,[^\n]*\n[\w-]{36},shop,[^\n]*\n$/);
    assert.match(String(csv.headers['content-disposition']), /tocsin-report-2026-03-02\.csv/);
    await ask('PUT', `/v1/checks/api/${ids['shop']}`, { groupId: null });
  });

  it('refuses what has no report, with the reason', async () => {
    for (const [query, path, message] of [
      ['?fromOn=2026-03-05&toOn=2026-03-04', 'toOn', 'must not be before fromOn, 2026-03-05'],
      ['?fromOn=2026-03-05', 'toOn', 'is required: fromOn and toOn are the first and the last day'],
      ['?fromOn=2026-03-11&toOn=2026-03-12', 'fromOn', 'must be in the past'],
      ['?fromOn=2020-03-11&toOn=2026-03-01', 'fromOn', 'must be in the last 731 days, for which data is stored'],
      ['?groupId=77', 'groupId', 'must be the ID of a group: group 77 not found'],
      ['?at=2026-03-16', 'at', 'must be in the past'],
      ['?at=2020-01-01', 'at', 'must be in the last 731 days, for which data is stored'],
      ['?timezone=Mars/Olympus', 'timezone', 'must be an IANA time zone name, such as Europe/Berlin'],
      ['?every=day', 'every', ''],
    ] as const) {
      for (const kind of ['', '/csv']) {
        const { status, body } = await ask('GET', `/v1/account-report${kind}${query}`);
        assert.equal(status, 400, body);
        assert.ok(body.includes(`${path} ${message}`), body);
      }
    }
  });

  it('is CSV with a line per active check, and without formulas', async () => {
    const { status, body, headers } = await ask('GET', '/v1/account-report/csv');
    assert.deepEqual([status, headers['content-type']], [200, 'text/csv; charset=utf-8']);
    assert.match(String(headers['content-disposition']), /^attachment; filename="tocsin-report-week.csv"$/);
    const [head, ...lines] = body.split(/\r\n(?=[\w-]{36},|$)/);
    assert.match(head ?? '', /^check_id,name,type,tags,availability_percent,/);
    assert.deepEqual(lines, [
      `${ids['shop']},shop,API,"a, b",100,50,0,0,0,0,168,0,0,0,0,100,20,${lines[0]?.split(',').slice(-3).join(',')}`,
      `${ids[hostileName]},"'=HYPERLINK(""https://evil.example"",""Cart, API"")\r\n@x",API,"a, b",83.3333,,75600,151200,25,0,105,0,21,42,0,83.3333,5,${lines[1]?.split(',').slice(-3).join(',')}`,
      `${ids['new']},new,API,"a, b",,,0,0,,0,0,0,0,0,0,,,,,`,
      '',
    ]);
  });
});

test('texts that a spreadsheet would evaluate are text in the CSV', async () => {
  const names = [
    '=1',
    '+1',
    '-1',
    '@a',
    ' =1',
    '\t=1',
    '\u00a0=1',
    '\u200b=1',
    '\u202e=1',
    '\uff1d1',
    '\uff0b1',
    '\n=1',
    'a=1',
  ];
  const tags = ['=2'];
  const made = names.map((name): ReportedRow => ({ ...reportOf([name]).report.slowest[0], name, tags }) as ReportedRow);
  const [, route = assert.fail()] = accountReportRoutes(
    { rows: () => [made] } as unknown as AccountReportActions,
    {} as AccountReportDeliveryActions,
  );
  const call = { query: { every: 'week', timezone: 'UTC' }, signal: AbortSignal.any([]) } as unknown as AnyCall;
  const { body } = (await route.run(call)) as Answer;
  const cells = String(body)
    .split('\r\n')
    .slice(1, -1)
    .map((line) => line.split(',').slice(1, 4));
  const written = names.map((name) => (name === 'a=1' ? name : name === '\n=1' ? `"'${name}"` : `'${name}`));
  assert.deepEqual(
    cells,
    written.map((name) => [name, 'API', "'=2"]),
  );
});

describe('the report of a channel', () => {
  it('is only for kinds that can send it', async () => {
    const url = 'https://hooks.example/x';
    const weekly = { every: 'week' };
    const refused = await ask('POST', '/v1/alert-channels', { type: 'WEBHOOK', config: { url }, report: weekly });
    assert.match(refused.body, /must be null: only channels of type EMAIL receive reports/);
    const { body } = await ask('POST', '/v1/alert-channels', { type: 'WEBHOOK', config: { url } });
    const { id } = JSON.parse(body) as { id: number };
    assert.equal((await ask('PUT', `/v1/alert-channels/${id}`, { report: weekly })).status, 400);
  });

  it('is on a group or tags if its schedule says so', async () => {
    const { body } = await ask('POST', '/v1/check-groups', { name: 'Acme' });
    const { id: groupId } = JSON.parse(body) as { id: number };
    const report = { every: 'month', timeZone: 'UTC', groupId, tags: ['eu'], title: 'Acme Ltd' };
    const config = { address: 'ops@example.com' };
    const made = await ask('POST', '/v1/alert-channels', { type: 'EMAIL', config, report });
    assert.equal(made.status, 201, made.body);
    const channel = JSON.parse(made.body) as { id: number; report: object };
    assert.deepEqual(channel.report, report);
    const put = (change: object) => ask('PUT', `/v1/alert-channels/${channel.id}`, { report: change });
    const refused = await put({ groupId: 99 });
    assert.match(refused.body, /report\.groupId must be the ID of a group: group 99 not found/);
    const { body: changed } = await put({ groupId: null, tags: [] });
    assert.deepEqual((JSON.parse(changed) as typeof channel).report, { ...report, groupId: null, tags: [] });
  });
});

describe('sending a report on request', () => {
  const send = (order: object) => ask('POST', '/v1/account-report/deliveries', order);
  const channel = async (config: object, type = 'EMAIL'): Promise<number> => {
    const { body } = await ask('POST', '/v1/alert-channels', { type, config });
    return (JSON.parse(body) as { id: number }).id;
  };

  it('adds a delivery and an entry to the audit log, at most 20 per hour', async () => {
    const alertChannelId = await channel({ address: 'customer@example.com' });
    const sent = await send({ alertChannelId, fromOn: '2026-03-02', toOn: '2026-03-03', tags: ['a'], title: 'Acme' });
    assert.equal(sent.status, 201, sent.body);
    const delivery = JSON.parse(sent.body) as { id: string; status: string; alertType: null };
    assert.deepEqual([delivery.status, delivery.alertType], ['pending', null]);
    const { body: listed } = await ask('GET', `/v1/deliveries?alertChannelId=${alertChannelId}`);
    assert.deepEqual(
      (JSON.parse(listed) as { id: string }[]).map(({ id }) => id),
      [delivery.id],
    );
    const { body: log } = await ask('GET', '/v1/audit-log?resource=delivery');
    const [entry] = (JSON.parse(log) as { entries: { operation: string; resourceId: string }[] }).entries;
    assert.deepEqual([entry?.operation, entry?.resourceId], ['sendAccountReport', delivery.id]);
    for (let count = 1; count < 20; count++) assert.equal((await send({ alertChannelId })).status, 201);
    const refused = await send({ alertChannelId });
    assert.deepEqual([refused.status, refused.headers['retry-after']], [429, '1800']);
    assert.match(refused.body, /At most 20 reports can be sent per hour on request/);
  });

  it('refuses other channels, and reports that do not exist', async () => {
    const url = 'https://hooks.example/x';
    const webhook = await channel({ url }, 'WEBHOOK');
    const email = await channel({ address: 'customer@example.com' });
    for (const [order, message] of [
      [{ alertChannelId: webhook }, /alertChannelId must be a channel of type EMAIL: this one is WEBHOOK/],
      [{ alertChannelId: 99 }, /alertChannelId must be the ID of a channel: 99 not found/],
      [{ alertChannelId: email, groupId: 99 }, /groupId must be the ID of a group/],
      [{ alertChannelId: email, fromOn: '2026-03-02' }, /toOn is required/],
      [{ alertChannelId: email, address: 'x@example.com' }, /address/],
    ] as const) {
      const { status, body } = await send(order);
      assert.equal(status, 400, body);
      assert.match(body, message);
    }
  });
});
