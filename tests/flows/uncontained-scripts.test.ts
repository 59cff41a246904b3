// Scripts can only be saved and run where they are contained, unless the operator allows more (docs/decisions/0081).
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Cleanup } from '../support/targets/scripted-server.ts';
import { type Place, startService } from '../support/service/service.ts';
import { startTarget } from '../support/targets/target.ts';
import { until } from '../support/until.ts';

const script = "console.log('ran');";
const setting = /TOCSIN_SCRIPTS_UNCONTAINED=yes/;

/** A machine without namespaces. */
function withoutNamespaces(t: Cleanup): Place {
  const dataDir = mkdtempSync(join(tmpdir(), 'tocsin-uncontained-'));
  t.after(() => rmSync(dataDir, { recursive: true, force: true }));
  const hide =
    'for name in unshare bwrap; do path=$(command -v $name) && mount --bind /bin/false "$path"; done; exec "$@"';
  const user = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user'];
  return { dataDir, enter: ['unshare', ...user, '--mount', 'sh', '-c', hide, 'sh'] };
}

test('about the file: without containment, scripts are rejected on save and at run time, naming the setting', async (t) => {
  const target = await startTarget(t, (_request, response) => void response.end('ok'));
  const request = { method: 'GET', url: target.url };
  const service = await startService(t, {}, withoutNamespaces(t));
  const multiStep = { name: 'Steps', frequency: 1440, script };
  const api = { name: 'Signed', frequency: 1440, request };
  const { id: plain } = await service.must('POST', '/v1/checks/api', api);
  const { id: group } = await service.must('POST', '/v2/check-groups', { name: 'Group' });
  const refused: readonly (readonly [string, string, object])[] = [
    ['POST', '/v1/checks/multistep', multiStep],
    ['POST', '/v1/checks/api', { ...api, localSetupScript: script }],
    ['PUT', `/v1/checks/api/${String(plain)}`, { localTearDownScript: script }],
    ['POST', '/v2/check-groups', { name: 'Signed', localSetupScript: script }],
    ['PUT', `/v2/check-groups/${String(group)}`, { localTearDownScript: script }],
  ];
  for (const [method, route, body] of refused) {
    const { status, body: answer } = await service.api(method, route, body);
    assert.deepEqual([status, setting.test(String(answer['message']))], [400, true], `${method} ${route}`);
  }

  // Saved where scripts ran, for example before an update.
  service.rows((raw) =>
    raw
      .prepare(
        'UPDATE checks SET definition = replace(definition, \'"localSetupScript":null\', \'"localSetupScript":"1;"\')',
      )
      .run(),
  );
  // Makes the service reload the account.
  await service.must('POST', '/v1/variables', { key: 'ANY', value: 'any' });
  await service.must('POST', `/v1/triggers/checks/${String(plain)}`);
  const result = await until('a result that names the setting', async () => {
    const list = await service.must('GET', `/v1/check-results/${String(plain)}`);
    return (list as unknown as Record<string, string>[]).find(({ message }) => setting.test(message ?? ''));
  });
  assert.equal(result['outcome'], 'unknown');

  const allowed = await startService(t, { TOCSIN_SCRIPTS_UNCONTAINED: 'yes' }, withoutNamespaces(t));
  const { id } = await allowed.must('POST', '/v1/checks/multistep', multiStep);
  await allowed.must('POST', `/v1/triggers/checks/${String(id)}`);
  await until('the script to run', async () => {
    const list = await allowed.must('GET', `/v1/check-results/${String(id)}`);
    return (list as unknown as Record<string, string>[]).some(({ outcome }) => outcome === 'passed');
  });
});
