// URL checks against real targets.
import assert from 'node:assert/strict';
import test from 'node:test';
import type { JsonObject } from '#domain/json.ts';
import { groupWith } from '../../../../tests/support/checks/api-check.ts';
import { verdictOf } from '../../../../tests/support/checks/api-probe.ts';
import { describedKind, probeKind, problemsOfKind } from '../../../../tests/support/checks/kind-probe.ts';
import { startTarget } from '../../../../tests/support/targets/target.ts';

const assertion = (target: string, source = 'STATUS_CODE'): JsonObject => ({ source, comparison: 'EQUALS', target });

test('sends a GET and passes below status 400, or by its status assertions', async (t) => {
  const seen: string[] = [];
  const target = await startTarget(t, (request, response) => {
    seen.push(request.method ?? '');
    response.writeHead(Number(request.url?.slice(1))).end();
  });
  const inspect = async (status: number, request: JsonObject = {}, shouldFail = false) =>
    verdictOf(
      await probeKind('URL', { request: { url: `${target.url}/${status}`, ...request } }, { check: { shouldFail } }),
    );
  assert.equal(await inspect(204), 'passed');
  assert.equal(await inspect(404), 'failed status');
  assert.equal(await inspect(404, {}, true), 'passed');
  assert.equal(await inspect(404, { assertions: [assertion('404')] }, true), 'passed');
  assert.equal(await inspect(200, { assertions: [assertion('204')] }), 'failed assertion');
  assert.deepEqual([...new Set(seen)], ['GET']);
});

test('has its own limits and no group request defaults', async (t) => {
  const target = await startTarget(t, (request, response) => {
    response.setHeader('x-seen', request.headers['x-group'] ?? 'none');
    setTimeout(() => response.end(), 60);
  });
  const settings = { request: { url: target.url }, degradedResponseTime: 20, maxResponseTime: 20_000 };
  const group = groupWith({ headers: [{ key: 'x-group', value: 'yes' }], assertions: [assertion('500')] });
  const finding = await probeKind('URL', settings, { check: { groupId: group.id } });
  assert.equal(verdictOf(finding), 'degraded slow');
  const { response } = describedKind('URL', finding) as { response: { headers: JsonObject } };
  assert.equal(response.headers['x-seen'], 'none');
});

test('refuses an address of the egress policy before connecting', async () => {
  const finding = await probeKind('URL', { request: { url: 'http://127.0.0.1:1/' } }, { egress: { mode: 'public' } });
  assert.equal(verdictOf(finding), 'failed egress-refused');
  assert.match(finding.message ?? '', /TOCSIN_EGRESS=any would allow it/);
});

test('rejects invalid settings', () => {
  const url = 'https://shop.example/';
  assert.deepEqual(problemsOfKind('URL', { request: { url } }), []);
  assert.match(
    problemsOfKind('URL', { request: { url: 'http://{{NAME}} x/' } }).join(),
    /^request\.url: .* is not a valid URL/,
  );
  const times = { degradedResponseTime: 5001, maxResponseTime: 5000 };
  assert.match(problemsOfKind('URL', { request: { url }, ...times }).join(), /^degradedResponseTime: 5001 exceeds/);
});
