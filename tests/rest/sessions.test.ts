// Check sessions and test sessions through the whole service: what a session runs, and what it leaves.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startComposed } from '../support/service/composed.ts';
import { asker } from '../support/service/service.ts';
import { until } from '../support/until.ts';
import { startTarget } from '../support/targets/target.ts';

type Body = Record<string, unknown>;

interface Session extends Body {
  readonly checkSessionId: string;
  readonly testSessionId: string;
  readonly testSessionLink: string;
  readonly status: string;
  readonly results: readonly (Body & {
    readonly testSessionResultId: string;
    readonly testSessionResultLink: string;
  })[];
}

const endings: (() => void | Promise<void>)[] = [];
after(async () => {
  for (const end of endings.toReversed()) await end();
});
let shared: ReturnType<typeof start> | null = null;
const fixture = (): ReturnType<typeof start> => (shared ??= start());

async function start() {
  const t = { after: (end: () => void | Promise<void>): void => void endings.push(end) };
  const requests: string[] = [];
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const target = await startTarget(t, (request, response) => {
    requests.push(String(request.headers['x-token'] ?? request.url));
    if (request.url === '/held') void released.then(() => response.end());
    else response.writeHead(request.url === '/broken' ? 500 : 200).end('answer of the shop');
  });
  const on = await startComposed(t);
  const { must, api } = asker(() => on.address, on.apiKey);
  const add = async (name: string, more: Body = {}): Promise<string> => {
    const request = { method: 'GET', url: `${target.url}/${name}`, headers: [{ key: 'x-token', value: '{{TOKEN}}' }] };
    const variables = [{ key: 'TOKEN', value: `/${name}` }];
    const body = { name, request, environmentVariables: variables, frequency: 1440, activated: true, ...more };
    return String((await must('POST', '/v1/checks/api', body))['id']);
  };
  const wait = async (path: string): Promise<Session> => {
    for (;;) {
      const answer = await api('GET', `${path}/completion?maxWaitSeconds=20`);
      if (answer.status !== 408) return answer.body as unknown as Session;
    }
  };
  return { on, must, api, add, wait, release, requests, target };
}

test('a check session runs matching checks for real, and ends with their results', async () => {
  const { must, api, add, wait } = await fixture();
  await add('good', { tags: ['shop', 'eu'] });
  const broken = await add('broken', { tags: ['shop', 'us'] });
  await add('off', { tags: ['shop', 'eu'], activated: false });
  const { sessions } = (await must('POST', '/v2/check-sessions/trigger', {
    target: { matchTags: [['shop', 'eu'], ['us']] },
    refreshCache: false,
  })) as unknown as { sessions: Session[] };
  assert.deepEqual(new Set(sessions.map(({ name }) => name)), new Set(['broken', 'good']));
  const ended = await Promise.all(sessions.map(({ checkSessionId }) => wait(`/v2/check-sessions/${checkSessionId}`)));
  assert.deepEqual(Object.fromEntries(ended.map(({ name, status }) => [name, status])), {
    broken: 'FAILED',
    good: 'PASSED',
  });
  assert.equal(ended.find(({ name }) => name === 'broken')?.results[0]?.['outcome'], 'failed');
  const status = await must('GET', `/v1/check-statuses/${broken}`);
  assert.equal(status['hasFailures'], true, 'the run drives the state');
  const none = await api('POST', '/v1/check-sessions/trigger', { target: { matchTags: [['nowhere']] } });
  assert.equal(none.status, 404);
  const id = ended[0]?.checkSessionId ?? '';
  assert.equal((await api('POST', `/v1/check-sessions/${id}/cancel`)).body['status'], ended[0]?.status, 'it has ended');
});

test('a test session changes no state, uses its own variables, and is listed with its results', async () => {
  const { must, api, add, wait, requests } = await fixture();
  const id = await add('broken', { tags: ['untested'], activated: false });
  const session = (await must('POST', '/v1/test-sessions/trigger', {
    name: 'Before the release',
    runLocation: { type: 'PUBLIC', region: 'local' },
    target: { checkId: [id], allowDeactivated: true },
    environmentVariables: [{ key: 'TOKEN', value: 'token of the session' }],
    retryStrategy: { type: 'FIXED', baseBackoffSeconds: 0, maxRetries: 1 },
    metadata: { branchName: 'main' },
  })) as unknown as Session;
  const ended = await wait(`/v1/test-sessions/${session.testSessionId}`);
  assert.equal(ended.status, 'FAILED');
  assert.equal(requests.filter((one) => one === 'token of the session').length, 2, 'it was retried');
  const status = await must('GET', `/v1/check-statuses/${id}`);
  assert.notEqual(status['hasFailures'], true);
  assert.deepEqual(await must('GET', `/v1/check-results/${id}`), []);
  const [result] = ended.results;
  const path = `/v1/test-sessions/${session.testSessionId}/results/${result?.testSessionResultId}`;
  const found = await must('GET', path);
  assert.deepEqual([found['outcome'], found['attempts'], found['runSource']], ['failed', 2, 'TRIGGER_RECORD']);
  assert.ok(!JSON.stringify(found).includes('token of the session'), 'secret values are masked');
  const list = (await must('GET', '/v1/test-sessions?statuses[]=FAILED&branches=main&textSearch=release')) as {
    entries: Body[];
  };
  assert.deepEqual(
    list.entries.map((entry) => entry['failed']),
    [['broken']],
  );
  const others = (await must('GET', '/v1/test-sessions?statuses=PASSED')) as { entries: Body[] };
  assert.deepEqual(others.entries, []);
  const page = await fetch(ended.testSessionLink);
  assert.match(await page.text(), /Failed: Before the release[\s\S]*Branch[\s\S]*broken/);
  const linked = await fetch(result?.testSessionResultLink ?? '');
  assert.deepEqual([linked.status, (await linked.text()).includes('Failed: broken')], [200, true]);
  assert.equal((await fetch(`${ended.testSessionLink}x`)).status, 404);
  const elsewhere = { name: 'x', runLocation: 'mars-1', target: { checkId: [id], allowDeactivated: true } };
  const refused = await api('POST', '/v1/test-sessions/trigger', elsewhere);
  assert.deepEqual(
    [refused.status, String(refused.body['message'])],
    [400, 'runLocation "mars-1" is not an available run location. Available: local.'],
  );
});

test('a cancelled test session ends at once, and its runs are reported as cancelled', async () => {
  const { must, api, add, wait, requests, release } = await fixture();
  const id = await add('held', { tags: ['slow'] });
  const body = { name: 'Slow', runLocation: 'local', target: { checkId: [id] } };
  const session = (await must('POST', '/v1/test-sessions/trigger', body)) as unknown as Session;
  const path = `/v1/test-sessions/${session.testSessionId}`;
  while (!requests.includes('/held')) await new Promise((resolve) => setImmediate(resolve));
  assert.equal((await api('GET', `${path}/completion?maxWaitSeconds=1`)).status, 408);
  assert.equal((await api('POST', `${path}/cancel`, {})).body['status'], 'CANCELLED');
  const ended = await wait(path);
  assert.deepEqual([ended.results[0]?.['status'], ended.results[0]?.['aborted']], ['CANCELLED', true]);
  const { sessions } = (await must('POST', '/v2/check-sessions/trigger', { target: { checkId: [id] } })) as {
    sessions: Session[];
  };
  const real = `/v1/check-sessions/${sessions[0]?.checkSessionId}`;
  const left = (await api('POST', `${real}/cancel`)).body;
  assert.deepEqual([left['status'], left['openRuns'], left['results']], ['CANCELLED', 1, []], 'its run continues');
  release();
  const recorded = await until('its result', async () => {
    const { openRuns, results, status } = await must('GET', real);
    return openRuns === 0 ? { results: (results as unknown[]).length, status } : undefined;
  });
  assert.deepEqual(recorded, { results: 1, status: 'PASSED' });
  const result = await must('GET', `${path}/results/${ended.results[0]?.testSessionResultId}`);
  assert.equal(result['isCancelled'], true);
});
