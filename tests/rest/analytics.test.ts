// Analytics and reports over HTTP, on results whose figures are known (reference §4.7).
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { JsonValue } from '#domain/json.ts';
import type { Outcome } from '#domain/results/result.ts';
import { newId } from '#lib/id.ts';
import { type Composed, startComposed } from '../support/service/composed.ts';
import { putResult } from '../support/store/rows.ts';
import { send } from './operation-calls.ts';
import { httpDetails, lightDetails } from './probe-details.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const now = Date.UTC(2026, 2, 10, 12, 30);

let on: Composed;
const ids: Record<string, string> = {};
const cleanups: (() => void | Promise<void>)[] = [];

before(async () => {
  const clocks = { clock: { now: () => now }, steadyNow: () => now };
  on = await startComposed({ after: (work) => void cleanups.push(work) }, { TOCSIN_ROLES: 'api' }, clocks);
  for (const name of ['shop', 'silent', 'parallel', 'old', 'codes']) {
    ids[name] = (await ask('POST', '/v1/checks/api', checkOf(name, name !== 'old' && name !== 'codes'))).body[
      'id'
    ] as string;
  }
  // Each minute of the two hours before noon: the second half of the first hour failed, ten minutes of the second were
  // missed in a row, and the rest took 1 to 60 ms.
  for (let minute = 0; minute < 120; minute++) {
    const outcome = minute >= 30 && minute < 60 ? 'failed' : 'passed';
    if (minute >= 70 && minute < 80) continue;
    const firstByte = outcome === 'failed' ? 300 : 100;
    const details = httpDetails({ wait: 0, dns: 0.5, tcp: 20 + minute / 1000, tls: 0, firstByte, download: 2 });
    result('shop', now - 150 * minuteMs + minute * minuteMs, outcome, ((minute % 60) + 1) * 1000, { details });
  }
  result('shop', now - 80 * minuteMs, 'missed', null, { slots: 10 });
  // Half an hour: every second failed with 503, one has no answer, two slots were missed.
  for (let minute = 0; minute < 30; minute++) {
    const [outcome, status] = minute % 2 === 0 ? (['passed', 200] as const) : (['failed', 503] as const);
    const at = now - 60 * minuteMs + minute * minuteMs;
    if (minute < 28) result('codes', at, outcome, status * 1000, { details: [status, '203.0.113.17'] });
  }
  result('codes', now - 32 * minuteMs, 'failed', null, { details: [] });
  result('codes', now - 31 * minuteMs, 'missed', null, { slots: 2 });
  for (const location of ['berlin', 'oslo']) {
    result('parallel', now - 5 * minuteMs, location === 'oslo' ? 'failed' : 'passed', 20_000, { location });
  }
});
after(async () => {
  for (const work of cleanups) await work();
});

function checkOf(name: string, activated: boolean) {
  const request = { method: 'GET', url: 'http://127.0.0.1:1/' };
  return { name, activated, frequency: 1, tags: ['all', name], request };
}

function result(
  check: string,
  at: number,
  outcome: Outcome,
  responseUs: number | null,
  inspect: { readonly slots?: number; readonly location?: string; readonly details?: JsonValue } = {},
): void {
  const time = at.toString(16).padStart(12, '0');
  const id = `${time.slice(0, 8)}-${time.slice(8)}${newId().slice(13)}`;
  putResult(on.raw, on.accountId, ids[check] ?? '', at, { id, outcome, responseUs, intervalMs: minuteMs, ...inspect });
}

interface Answer {
  readonly status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- answers are looked into deeply, and asserted whole
  readonly body: any;
}

async function ask(method: string, path: string, body?: object): Promise<Answer> {
  const headers = { authorization: `Bearer ${on.apiKey}`, 'content-type': 'application/json' };
  const answer = await send(on.port, { method, path, headers, body: body === undefined ? '' : JSON.stringify(body) });
  return { status: answer.status, body: JSON.parse(answer.text) as unknown };
}

const analyticsOf = (check: string, query: string): Promise<Answer> =>
  ask('GET', `/v1/analytics/api-checks/${ids[check]}?${query}`);

describe('the analytics of a check', () => {
  it('say what it came to, and how much of the time is known', async () => {
    const { status, body } = await analyticsOf('shop', 'quickRange=last24Hours');
    assert.equal(status, 200, JSON.stringify(body));
    const [series] = body.series;
    assert.equal(series.data.length, 1);
    const { responseTime_p50, responseTime_p95, responseTime_p99, ...entry } = series.data[0];
    assert.deepEqual(entry, {
      startsAt: '2026-03-09T12:00:00.000Z',
      endsAt: '2026-03-10T12:30:00.000Z',
      runs: { passed: 80, degraded: 0, failed: 30, unknown: 0, missed: 10 },
      knownTime: 110 * minuteMs,
      unknownTime: 10 * minuteMs,
      unknownRatio: 8.3333,
      availability: 72.7273,
      responseTime_avg: 31.864,
    });
    for (const [value, exact] of [
      [responseTime_p50, 33],
      [responseTime_p95, 58],
      [responseTime_p99, 60],
    ]) {
      assert.ok(Math.abs(value - exact) <= exact * 0.01, `${value} for ${exact}`);
    }
    assert.deepEqual(body.metadata.responseTime_p95, {
      unit: 'milliseconds',
      label: 'Response time, 95th percentile',
      aggregation: 'p95',
    });
    const { body: check } = await ask('GET', `/v1/checks/${ids['shop']}`);
    assert.equal(body.monitoredSince, check.created_at, 'nothing is claimed of the time before a check was created');
    assert.deepEqual([body.checkId, body.name, body.frequency, body.tags], [ids['shop'], 'shop', 1, ['all', 'shop']]);
  });

  it('are a chart of a day in hours, each beginning where a clock would cut it', async () => {
    const { body } = await analyticsOf('shop', 'quickRange=last24Hours&aggregationInterval=60&metrics=availability');
    const data = body.series[0].data as { startsAt: string; availability: number | null; unknownTime: number }[];
    assert.equal(data.length, 25);
    assert.deepEqual(
      data
        .slice(-4)
        .map(({ startsAt, availability, unknownTime }) => [startsAt.slice(11, 16), availability, unknownTime]),
      [
        ['09:00', null, 0],
        // 10:00 to 10:30 passed, then half an hour of failures.
        ['10:00', 50, 0],
        ['11:00', 100, 10 * minuteMs],
        ['12:00', null, 0],
      ],
    );
  });

  it('can be cut finer than an hour over a day at most, and say so beyond', async () => {
    const fine = await analyticsOf(
      'shop',
      `from=${(now - 2.5 * hourMs) / 1000}&aggregationInterval=10&metrics=retries`,
    );
    assert.deepEqual(
      fine.body.series[0].data.slice(0, 4).map((entry: { runs: { passed: number } }) => entry.runs.passed),
      [10, 10, 10, 0],
    );
    const long = await analyticsOf('shop', 'quickRange=last7Days&aggregationInterval=10');
    assert.equal(long.status, 400);
    assert.match(long.body.attributes.aggregationInterval, /multiple of 60.*longer than a day/);
    const tooMany = await analyticsOf('shop', 'from=2025-10-01&to=2026-03-01&aggregationInterval=60');
    assert.match(tooMany.body.attributes.aggregationInterval, /must be at least 180/);
  });

  it('are null where nothing is known, and never 0 or 100', async () => {
    const { body } = await analyticsOf('silent', 'quickRange=last30Days');
    const { availability, responseTime_avg, unknownRatio, knownTime } = body.series[0].data[0];
    assert.deepEqual([availability, responseTime_avg, unknownRatio, knownTime], [null, null, null, 0]);
  });

  it('are split by run location, and by what the results came to', async () => {
    const { body } = await analyticsOf('parallel', 'groupBy=runLocation&metrics=availability');
    assert.deepEqual(
      body.series.map(({ runLocation, data }: { runLocation: string; data: { availability: number }[] }) => [
        runLocation,
        data[0]?.availability,
      ]),
      [
        ['berlin', 100],
        ['oslo', 0],
      ],
    );
    const failures = await analyticsOf(
      'shop',
      'filterByStatus=failure&metrics[]=responseTime_min&metrics[]=responseTime_max',
    );
    const { responseTime_min, responseTime_max } = failures.body.series[0].data[0];
    assert.deepEqual([responseTime_min, responseTime_max], [31, 60]);
  });

  it('are split by status code, so that nothing is left out', async () => {
    const { status, body } = await analyticsOf('codes', 'groupBy=statusCode&metrics=responseTime_max');
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual(
      body.series.map(({ statusCode, data }: { statusCode: string; data: [Record<string, unknown>] }) => {
        const { runs, knownTime, unknownTime, responseTime_max } = data[0];
        return [statusCode, Object.values(runs as object), knownTime, unknownTime, responseTime_max];
      }),
      [
        ['200', [14, 0, 0, 0, 0], 14 * minuteMs, 0, 200],
        ['503', [0, 0, 14, 0, 0], 14 * minuteMs, 0, 503],
        ['none', [0, 0, 1, 0, 2], minuteMs, 2 * minuteMs, null],
      ],
    );
    const hours = await analyticsOf('codes', 'groupBy=statusCode&aggregationInterval=60&metrics=retries');
    assert.deepEqual(
      hours.body.series.map(({ data }: { data: object[] }) => data.length),
      [25, 25, 25],
    );
    const { series } = (await analyticsOf('silent', 'groupBy=statusCode')).body;
    assert.deepEqual(series, []);
  });

  it('have the phases of responses, of the results that were asked for', async () => {
    const metrics = [
      'wait_max',
      'dns_p95',
      'tcp_min',
      'firstByte_avg',
      'firstByte_stddev',
      'firstByte_p50',
      'download_sum',
    ];
    const of = async (query: string) => {
      const { status, body } = await analyticsOf(
        'shop',
        `${metrics.map((name) => `metrics=${name}`).join('&')}${query}`,
      );
      assert.equal(status, 200, JSON.stringify(body));
      return body.series.map(({ data }: { data: Record<string, number>[] }) =>
        data.map((entry) => metrics.map((name) => entry[name])),
      );
    };
    const near = (value: number, exact: number) => Math.abs(value - exact) <= 0.041 * (exact + 1);
    const [[all]] = await of('');
    const mean = (80 * 100 + 30 * 300) / 110;
    const stddev = Math.sqrt((80 * (100 - mean) ** 2 + 30 * (300 - mean) ** 2) / 110);
    assert.deepEqual([all[0], all[1], all[2], all[6]], [0, 0.5, 20, 220]);
    assert.ok(near(all[3], mean) && near(all[4], stddev) && near(all[5], 100), JSON.stringify(all));
    const [[failed]] = await of('&filterByStatus=failure');
    assert.deepEqual(failed, [0, 0.5, 20.03, 300, 0, 300, 60]);
    const [[located]] = await of('&groupBy=runLocation');
    assert.deepEqual(located, all);
    const [hours] = await of('&aggregationInterval=60');
    assert.deepEqual(
      hours.slice(-4).map((entry: number[]) => entry[6]),
      [null, 120, 100, null],
    );
    const [fine] = await of(`&from=${(now - 2.5 * hourMs) / 1000}&aggregationInterval=30`);
    assert.deepEqual(
      fine.slice(0, 2).map((entry: number[]) => entry[3]),
      [100, 300],
    );
  });

  it('have the phases that a light check has, and no others', async () => {
    const tcp = { name: 'queue', frequency: 1, activated: false, request: { hostname: '127.0.0.1', port: 1 } };
    const { id } = (await ask('POST', '/v1/checks/tcp', tcp)).body;
    ids['queue'] = id;
    result('queue', now - 20 * minuteMs, 'passed', 30_000, { details: lightDetails({ dns: 0.7, tcp: 21, data: 3 }) });
    const path = `/v1/analytics/tcp-checks/${id}?metrics=dns_avg&metrics=tcp_p99`;
    const { dns_avg, tcp_p99 } = (await ask('GET', path)).body.series[0].data[0];
    assert.deepEqual([dns_avg, tcp_p99], [0.7, 21]);
    const wrong = await ask('GET', `${path}&metrics=download_p95`);
    assert.match(
      wrong.body.attributes['metrics[2]'],
      /must be one of .*tcp_sum, availability.* TCP have no phase download/,
    );
  });

  it('say when a split into series would be too long an answer', async () => {
    for (let index = 0; index < 40; index++) {
      result('parallel', now - 2 * hourMs, 'passed', 1000, { details: [200 + index, '203.0.113.17'] });
    }
    const from = (now - dayMs) / 1000;
    const { status, body } = await analyticsOf('parallel', `from=${from}&groupBy=statusCode&aggregationInterval=1`);
    assert.equal(status, 400, JSON.stringify(body.series?.length));
    assert.match(body.attributes.aggregationInterval, /must be at least 60 .* each of 41 series/);
  });

  it('refuse what is not kept, with the name of the field and what there is', async () => {
    for (const [query, field, right] of [
      ['metrics=tls_p95', 'metrics[0]', /must be availability, retries, or one of responseTime, wait, .* as dns_p95/],
      [
        'metrics=dns_p95&groupBy=statusCode',
        'metrics[0]',
        /must be one of responseTime_avg, [^:]*retries: phases are not stored/,
      ],
      ['groupBy=resultType', 'groupBy', /must be runLocation or statusCode/],
      ['aggregationInterval=0', 'aggregationInterval', /from 1 to 43200/],
      ['from=2026-03-02&to=2026-03-01', 'from', /before to/],
      ['from=2027-01-01&to=2027-01-02', 'from', /in the past/],
      ['quickRange=lastYear', 'quickRange', /last24Hours/],
    ] as const) {
      const { status, body } = await analyticsOf('shop', query);
      assert.equal(status, 400, query);
      const attributes = body.attributes as Record<string, string>;
      assert.match(attributes[field] ?? JSON.stringify(attributes), right);
      assert.ok(field in attributes, JSON.stringify(attributes));
    }
    const tcp = { name: 'db', request: { hostname: '127.0.0.1', port: 1 } };
    const { id } = (await ask('POST', '/v1/checks/tcp', { ...tcp, frequency: 1, activated: false })).body;
    const { body } = await ask('GET', `/v1/analytics/tcp-checks/${id}?groupBy=statusCode`);
    assert.match(body.attributes.groupBy, /must be runLocation: .* type TCP have no status code/);
    assert.equal((await ask('GET', `/v1/analytics/ftp/${ids['shop']}`)).status, 400);
    assert.equal((await ask('GET', `/v1/analytics/api-checks/${newId()}`)).status, 404);
  });
});

describe('the analytics of several checks', () => {
  it('are the figures of each, in the order that was asked for', async () => {
    const { status, body } = await ask('POST', '/v1/analytics/checks?quickRange=last7Days', {
      checkIds: [ids['silent'], ids['shop']],
    });
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual(
      body.map(({ checkId, availability, unknownRatio }: Record<string, unknown>) => [
        checkId,
        availability,
        unknownRatio,
      ]),
      [
        [ids['silent'], null, null],
        [ids['shop'], 72.7273, 8.3333],
      ],
    );
    const unknown = await ask('POST', '/v1/analytics/checks', { checkIds: [newId(), ids['parallel']] });
    assert.deepEqual(
      unknown.body.map(({ checkId }: Record<string, unknown>) => checkId),
      [ids['parallel']],
    );
    assert.deepEqual((await ask('POST', '/v1/analytics/checks', { checkIds: [] })).body, []);
  });
});

describe('the metrics', () => {
  it('are listed with what they mean, and each can be asked for', async () => {
    const { body } = await ask('GET', '/v1/analytics/metrics?checkType=API');
    const names = (body as { metric: string }[]).map(({ metric }) => metric);
    assert.equal(names.length, 62);
    const answer = await analyticsOf('shop', names.map((name) => `metrics=${name}`).join('&'));
    assert.deepEqual(Object.keys(answer.body.metadata), names);
    for (const name of names) assert.equal(typeof answer.body.series[0].data[0][name], 'number', name);
    const ofTcp = (await ask('GET', '/v1/analytics/metrics?checkType=TCP')).body as { metric: string; label: string }[];
    assert.equal(ofTcp.length, 32);
    assert.equal(ofTcp.find(({ metric }) => metric === 'dns_p95')?.label, 'Resolution of the name, 95th percentile');
    assert.equal((await ask('GET', '/v1/analytics/metrics?checkType=HEARTBEAT')).body.length, 12);
    assert.equal((await ask('GET', '/v1/analytics/metrics')).status, 400);
  });
});

describe('a report', () => {
  it('has every activated check, its figures and those of each day', async () => {
    const { status, body } = await ask('GET', '/v1/reporting?quickRange=last7Days&granularity=day');
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual(body.map(({ name }: { name: string }) => name).sort(), ['parallel', 'shop', 'silent']);
    const shop = body.find(({ name }: { name: string }) => name === 'shop');
    const { p95, p99, avg, ...aggregate } = shop.aggregate;
    assert.deepEqual(aggregate, {
      successRatio: 72.7273,
      availability: 72.7273,
      runs: { passed: 80, degraded: 0, failed: 30, unknown: 0, missed: 10 },
      knownTime: 110 * minuteMs,
      unknownTime: 10 * minuteMs,
      unknownRatio: 8.3333,
    });
    assert.ok(avg > 31 && p95 > 55 && p99 >= p95);
    assert.equal(shop.aggregates.length, 8);
    assert.deepEqual(
      [
        shop.aggregates[0].from,
        shop.aggregates[0].runs.passed,
        shop.aggregates[7].from,
        shop.aggregates[7].runs.passed,
      ],
      ['2026-03-03T12:00:00.000Z', 0, '2026-03-10T00:00:00.000Z', 80],
    );
  });

  it('is cut by days of a time zone, and filtered by tags and activation', async () => {
    const path =
      '/v1/reporting?from=2026-03-08&granularity=day&timezone=Asia/Tokyo&filterByTags[]=all&filterByTags[]=shop';
    const { body } = await ask('GET', path);
    assert.deepEqual(
      body.map(({ name }: { name: string }) => name),
      ['shop'],
    );
    assert.equal(body[0].aggregates[1].from, '2026-03-08T15:00:00.000Z');
    const off = await ask('GET', '/v1/reporting?deactivated=true&filterByTags=old');
    assert.deepEqual(
      off.body.map(({ name, deactivated, aggregates }: Record<string, unknown>) => [name, deactivated, aggregates]),
      [['old', true, []]],
    );
    const wrong = await ask('GET', '/v1/reporting?timezone=Mars/Olympus');
    assert.match(wrong.body.attributes.timezone, /IANA/);
  });

  it('shows a stretch in which nothing ran as unknown, day by day', async () => {
    result('silent', now - 2 * dayMs, 'missed', null, { slots: 2 * 24 * 60 });
    const { body } = await ask('GET', '/v1/reporting?quickRange=last7Days&granularity=day&filterByTags=silent');
    const [silent] = body;
    assert.deepEqual([silent.aggregate.availability, silent.aggregate.unknownRatio], [null, 100]);
    assert.deepEqual(
      silent.aggregates.slice(-3).map(({ unknownTime }: { unknownTime: number }) => unknownTime / hourMs),
      [11.5, 24, 12.5],
    );
  });
});
