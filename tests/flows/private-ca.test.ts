// A private CA of NODE_EXTRA_CA_CERTS applies to checks, their scripts and webhooks.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAuthority } from '../support/targets/certificates.ts';
import { test } from '../support/service/one-process.ts';
import { startTlsTarget } from '../support/targets/target.ts';
import { until } from '../support/until.ts';

test('a private CA of NODE_EXTRA_CA_CERTS is trusted by a check, its script and a webhook', async ({
  t,
  startService,
}) => {
  const authority = createAuthority('Private CA');
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-ca-'));
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'ca.pem'), authority.cert);
  let alerts = '';
  const { url } = await startTlsTarget(t, authority.issue(), (request, response) => {
    if (request.method === 'POST') request.on('data', (bytes: Buffer) => (alerts += bytes.toString()));
    response.writeHead(request.method === 'POST' ? 200 : 503).end('private');
  });
  const service = await startService(t, { NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem') });
  const config = { url, method: 'POST' };
  await service.must('POST', '/v1/alert-channels', { type: 'WEBHOOK', autoSubscribe: true, config });
  const { id } = await service.must('POST', '/v1/checks/api', {
    name: 'private',
    frequency: 1440,
    request: { method: 'GET', url },
    localSetupScript: `request.headers['x-page'] = await (await fetch('${url}')).text();`,
  });
  await service.must('POST', `/v1/triggers/checks/${String(id)}`);
  await until('the webhook', () => alerts.includes('got 503'), { withinMs: 60_000, seen: () => alerts });
  assert.doesNotMatch(alerts, /certificate/);
});
