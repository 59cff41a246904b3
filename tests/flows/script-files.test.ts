// A script of several files with a snapshot runs in the process that has the runners, which reads them from the database.
import assert from 'node:assert/strict';
import { test } from '../support/service/two-processes.ts';
import { apiKey } from '../support/service/service.ts';
import { until } from '../support/until.ts';

const script = `import { test, expect } from '@playwright/test';
import { greeting } from '../pages/shop';
import texts from '../data/texts.json';
test('it greets as before', () => expect(greeting(texts.name)).toMatchSnapshot('greeting.txt'));`;

test('a check with imported files and a snapshot runs in whichever process, and a test session as well', async ({
  t,
  startService,
}) => {
  const service = await startService(t, { TOCSIN_SCRIPTS_WARM: '0' });
  const must = (method: string, path: string, body?: unknown) => service.must(method, path, body);
  const uploaded = await fetch(`${service.address}/v1/script-files`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/octet-stream' },
    body: 'Hello, shop!',
  });
  const { key } = (await uploaded.json()) as { readonly key: string };
  const check = {
    name: 'Greets',
    frequency: 1440,
    trace: 'off',
    scriptPath: 'tests/greets.spec.ts',
    script,
    dependencies: [
      { path: 'pages/shop.ts', content: 'export const greeting = (name: string): string => `Hello, ${name}!`;' },
      { path: 'data/texts.json', content: '{ "name": "shop" }' },
    ],
    snapshots: [{ path: 'tests/greets.spec.ts-snapshots/greeting-linux.txt', key }],
  };
  const { id } = await must('POST', '/v1/checks/multistep', check);
  const read = async () => ((await must('GET', `/v1/check-results/${String(id)}`)) as unknown as object[])[0];
  const result = (await until('a result', read, { withinMs: 120_000 })) as Record<string, unknown>;
  assert.deepEqual([result['outcome'], result['message']], ['passed', null]);
  const sourceInfo = { checkRunSuiteId: 'suite', checkRunId: 'run' };
  const { dependencies, ...rest } = check;
  const job = { ...rest, checkType: 'MULTI_STEP', logicalId: 'greets', dependencies: [0, 1], sourceInfo };
  const session = await must('POST', '/v1/test-sessions/run', {
    name: 'Release',
    project: { logicalId: 'shop' },
    runLocation: 'local',
    sharedFiles: dependencies,
    checkRunJobs: [job],
  });
  const completed = async () => {
    const body = await must('GET', `/v1/test-sessions/${String(session['testSessionId'])}`);
    return body['status'] !== 'RUNNING' && body['status'];
  };
  assert.equal(await until('the end of the session', completed, { withinMs: 120_000 }), 'PASSED');
});
