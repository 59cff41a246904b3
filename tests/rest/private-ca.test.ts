// A private CA of TOCSIN_CA_FILE holds for checks of each type, scripts around them and browsers; webhooks are tried with
// client certificates.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createAuthority } from '../support/targets/certificates.ts';
import { startComposed } from '../support/service/composed.ts';
import { asker } from '../support/service/service.ts';
import { startTlsTarget } from '../support/targets/target.ts';
import { until } from '../support/until.ts';

type Body = Record<string, unknown>;

test('a private CA is trusted by checks of each type, their scripts and browsers', async (t) => {
  const authority = createAuthority('Private CA');
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-ca-'));
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'ca.pem'), authority.cert);
  const { url, port } = await startTlsTarget(t, authority.issue(), (_, response) => response.end('<p>private</p>'));
  const on = await startComposed(t, { TOCSIN_CA_FILE: join(folder, 'ca.pem') });
  const { must } = asker(() => on.address, on.apiKey);
  const fetching = `if ((await (await fetch('${url}')).text()) !== '<p>private</p>') throw new Error('another page');`;
  const spec = (given: string, body: string): string =>
    `import { test } from '@playwright/test'; test('a', async ({ ${given} }) => { ${body} });`;
  const checks: readonly (readonly [string, Body])[] = [
    ['api', { request: { method: 'GET', url }, localSetupScript: fetching }],
    ['url', { request: { url } }],
    ['ssl', { sslConfig: { hostname: 'localhost', port } }],
    ['multistep', { script: spec('request', `await request.get('${url}'); ${fetching}`) }],
    ['browser', { script: spec('page', `await page.goto('${url}');`) }],
  ];
  for (const [type, check] of checks) {
    const { id } = await must('POST', `/v1/checks/${type}`, { name: type, frequency: 1440, ...check });
    // What this machine was too busy for says nothing: a run on demand follows.
    const result = await until(
      `a result of ${type}`,
      async () => {
        const [newest] = (await must('GET', `/v1/check-results/${String(id)}`)) as unknown as Body[];
        if (newest?.['outcome'] !== 'unknown') return newest;
        await must('POST', `/v1/triggers/checks/${String(id)}`);
        return undefined;
      },
      { withinMs: 120_000 },
    );
    assert.equal(result['outcome'], 'passed', `${type}: ${String(result['message'])}`);
  }
});
