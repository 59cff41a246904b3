// What the API of monitoring as code has to look through: sessions of a check, a project with secrets, and a file.
import assert from 'node:assert/strict';
import { assertClean, canaries } from '../canaries.ts';
import { until } from '../until.ts';
import type { Service } from './service.ts';

/**
 * Runs a check in a check session and in a test session, deploys a project, and looks through results and the page of the
 * test session, whose paths have IDs that occur nowhere else. Returns the others by path segment.
 */
export async function codeFixtures(service: Service, checkId: string): Promise<Record<string, string>> {
  const target = { checkId: [checkId] };
  const { sessions } = await service.must('POST', '/v1/check-sessions/trigger', { target });
  const [session] = sessions as { checkSessionId: string }[];
  const test = await service.must('POST', '/v1/test-sessions/trigger', {
    name: 'canary',
    runLocation: 'local',
    target,
    environmentVariables: [{ key: 'GROUP_TOKEN', value: canaries['variable of a call'] }],
  });
  const testId = String(test['testSessionId']);
  const ended = await until('the end of the test session', async () => {
    const read = await service.must('GET', `/v1/test-sessions/${testId}`);
    return read['stoppedAt'] !== null && read;
  });
  for (const { testSessionResultId } of ended['results'] as { testSessionResultId: string }[]) {
    const result = await service.must('GET', `/v1/test-sessions/${testId}/results/${testSessionResultId}`);
    assert.equal(result['outcome'], 'failed');
    assertClean('the result of a test session', JSON.stringify(result));
  }
  const page = await fetch(String(ended['testSessionLink']));
  assert.equal(page.status, 200);
  assertClean('the page of a test session', await page.text());
  const deployment = await service.must('POST', '/v1/projects/canary/deployments', {
    resources: [
      {
        type: 'variable',
        logicalId: 'DEPLOYED_TOKEN',
        payload: { key: 'DEPLOYED_TOKEN', value: canaries['secret variable'], secret: true },
      },
      {
        type: 'check',
        logicalId: 'deployed',
        payload: {
          checkType: 'API',
          name: 'deployed',
          activated: false,
          request: {
            method: 'GET',
            url: 'http://127.0.0.1:1/',
            headers: [{ key: 'x-locked', value: canaries['locked header of the check'], locked: true }],
            basicAuth: { username: 'user', password: canaries['password of basic auth'] },
          },
        },
      },
    ],
  });
  const done = await service.must('GET', `/v1/projects/canary/deployments/${String(deployment['id'])}/completion`);
  assert.equal(done['status'], 'SUCCEEDED', JSON.stringify(done));
  const { key } = await service.must('POST', '/v1/script-files', { content: 'a snapshot' });
  const location = await service.must('POST', '/v1/private-locations', { name: 'Canary', slugName: 'canary-cage' });
  const snippet = await service.must('POST', '/v1/snippets', { name: 'Canary', script: 'const tweet = 1;' });
  const statusService = await service.must('POST', '/v1/status-pages/services', { name: 'Canary' });
  const incident = await service.must('POST', '/v1/status-pages/incidents', {
    name: 'Canary',
    incidentUpdates: [{ status: 'INVESTIGATING', description: 'A canary.' }],
  });
  const [update] = incident['incidentUpdates'] as { readonly id: string }[];
  const statusPage = await service.must('POST', '/v1/status-pages', {
    name: 'Canary',
    url: 'canary',
    visibility: 'PASSWORD',
    password: canaries['password of a status page'],
  });
  const subscribers = `/v1/status-pages/${String(statusPage['id'])}/subscriptions`;
  const subscriptions = [{ address: 'canary@example.com' }];
  await service.must('POST', `${subscribers}/bulk`, { subscriptions, autoVerify: true });
  return {
    'status-pages': String(statusPage['id']),
    services: String(statusService['id']),
    incidents: String(incident['id']),
    'incident-updates': update?.id ?? '',
    'private-locations': String(location['id']),
    snippets: String(snippet['id']),
    'script-files': String(key),
    'check-sessions': session?.checkSessionId ?? '',
    'test-sessions': testId,
    projects: 'canary',
    deployments: String(deployment['id']),
  };
}
