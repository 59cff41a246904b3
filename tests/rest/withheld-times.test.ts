// Times that Tocsin was too busy to measure, as the API and the page of a result show them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withoutTimes } from '#checks/parts/findings/light.ts';
import { decodeDetails, encodeDetails } from '#checks/parts/http/details.ts';
import { honestFinding } from '#domain/results/honest-finding.ts';
import { bareFinding } from '#domain/results/result.ts';
import { idBytes, json } from '#store/base/codec.ts';
import { insertRow, putCheck, putResult } from '../support/store/rows.ts';
import { openServer } from './server-on-store.ts';

test('a result and its page show no times that Tocsin was too busy to measure', async () => {
  await using on = await openServer();
  const checkId = putCheck(on.raw, on.accountId);
  const isFast = {
    source: 'RESPONSE_TIME',
    comparison: 'LESS_THAN',
    property: '',
    target: '500',
    regex: null,
  } as const;
  const finding = honestFinding(
    {
      ...bareFinding(on.clock.now(), { verdict: 'passed', reason: null, message: null }),
      responseTimeMs: 321.1,
      details: encodeDetails({
        ...decodeDetails([200, '127.0.0.1', 1000, 200, 0, 319_500, 400, 100, 20]),
        assertions: [{ ...isFast, actual: '321.1', problem: null, passed: true, message: '' }],
      }),
    },
    { longestMs: 200, addedMs: 200 },
    withoutTimes,
  );
  const { responseTimeMs, details } = finding;
  const resultId = putResult(on.raw, on.accountId, checkId, on.clock.now(), { responseUs: responseTimeMs, details });
  const exchange = {
    request: { method: 'GET', url: 'http://127.0.0.1/', headers: {}, params: {}, data: '' },
    response: {
      status: 200,
      statusText: 'OK',
      headers: {},
      body: '',
      truncated: false,
      timings: { start: 1, end: 322.1 },
      timingPhases: { wait: 0, dns: 1, tcp: 0.2, tls: 0, firstByte: 319.5, download: 0.4, total: 321.1 },
    },
  };
  const ids = { account_id: idBytes(on.accountId), check_id: idBytes(checkId), result_id: idBytes(resultId) };
  insertRow(on.raw, 'exchanges', { ...ids, exchange: json(exchange) });
  const shown = (await on.server.inject({ url: `/v1/check-results/${checkId}/${resultId}`, headers: on.as() })).json<{
    responseTime: number;
    apiCheckResult: { response: Record<string, unknown>; assertions: Record<string, unknown>[] };
  }>();
  const { response, assertions } = shown.apiCheckResult;
  assert.deepEqual([shown.responseTime, response['timings'], response['timingPhases']], [0, null, null]);
  const said = 'response time in ms is less than 500, but Tocsin was too busy to measure it';
  assert.deepEqual([assertions[0]?.['actual'], assertions[0]?.['message']], [null, said]);
  assert.doesNotMatch(JSON.stringify(shown), /32[12]\.1|319/);
  const link = on.links.link(on.accountId, checkId, resultId, on.clock.now()).replace('http://tocsin.test', '');
  const { body } = await on.server.inject({ url: link });
  assert.match(body, /<h1>/);
  assert.doesNotMatch(body, /Duration|32[12]\.1|319/);
});
