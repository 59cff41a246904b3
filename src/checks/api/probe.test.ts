import assert from 'node:assert/strict';
import test from 'node:test';
import type { Finding } from '#domain/result.ts';
import { apiCheck, inputOf } from '../../../tests/support/api-check.ts';
import { startTarget } from '../../../tests/support/target.ts';
import { createGuard } from '#egress/guard.ts';
import { decodeDetails } from './details.ts';
import { createApiProbe } from './probe.ts';

test('a plain GET passes, and says what came and how long each phase took', async (t) => {
  const target = await startTarget(t, (_, response) => {
    response.setHeader('content-type', 'application/json').end('{"status":"ok"}');
  });
  const finding = await probe({ url: `${target.url}/health` });
  assert.equal(finding.verdict, 'passed');
  assert.equal(finding.message, null);
  const details = decodeDetails(finding.details);
  assert.equal(details.status, 200);
  assert.equal(details.statusText, 'OK');
  assert.equal(details.address, '127.0.0.1');
  assert.equal(details.sizes.body, 15);
  const { dns, tcp, firstByte, download } = details.phases;
  assert.equal(dns >= 0 && tcp > 0 && firstByte > 0 && download > 0, true, JSON.stringify(details.phases));
  assert.equal(Math.abs(dns + tcp + firstByte + download - (finding.responseTimeMs ?? 0)) < 0.5, true);
});

async function probe(request: Parameters<typeof apiCheck>[0]): Promise<Finding> {
  const run = createApiProbe({ guard: createGuard({ mode: 'any', allow: [] }), version: '9.9' });
  return run(inputOf(apiCheck(request)), new AbortController().signal);
}
