// Setup and teardown scripts of API checks through the whole service: real processes, a real target.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, describe, type TestContext, test } from 'node:test';
import { startComposed } from '../support/service/composed.ts';
import type { Cleanup } from '../support/targets/scripted-server.ts';
import { asker } from '../support/service/service.ts';
import { readBody, startTarget } from '../support/targets/target.ts';
import { until } from '../support/until.ts';

type Body = Record<string, unknown>;

interface Line {
  readonly level: string;
  readonly msg: string;
}

interface Part {
  readonly assertions: readonly { readonly passed: boolean; readonly actual: string | null }[];
  readonly request: { readonly method: string; readonly url: string; readonly headers: Body } | null;
  readonly response: { readonly status: number; readonly headers: Body | null; readonly body: string | null } | null;
  readonly scripts: {
    readonly runtimeVersion: string;
    readonly runs: readonly { readonly script: string; readonly durationMs: number }[];
  } | null;
  readonly jobLog: { readonly setup: readonly Line[]; readonly teardown: readonly Line[] } | null;
}

const endings: (() => void | Promise<void>)[] = [];
after(async () => {
  for (const end of endings) await end();
});
let usual: ReturnType<typeof start> | null = null;

/** The service that all tests share, or a separate one for other settings. */
function fixture(t: TestContext, environment?: Record<string, string>): ReturnType<typeof start> {
  if (environment !== undefined) return start(t, environment);
  return (usual ??= start({ after: (end) => void endings.push(end) }, {}));
}

async function start(t: Cleanup, environment: Record<string, string>) {
  const on = await startComposed(t, environment);
  const { must, api } = asker(() => on.address, on.apiKey);
  const resultOf = (id: unknown): Promise<Body> =>
    until('a result', async () => ((await must('GET', `/v1/check-results/${String(id)}`)) as unknown as Body[])[0], {
      withinMs: 90_000,
    });
  const run = async (check: Body): Promise<{ readonly result: Body; readonly part: Part; readonly all: string }> => {
    const { id } = await must('POST', '/v1/checks/api', { name: 'Cart', frequency: 1440, ...check });
    // It runs at once.
    const result = await resultOf(id);
    return { result, part: result['apiCheckResult'] as Part, all: JSON.stringify(result) };
  };
  return { on, must, api, run, resultOf };
}

const scriptsOf = ({ scripts }: Part) => scripts?.runs.map(({ script }) => script);
const verdictOf = ({ result }: { readonly result: Body }): unknown[] => [result['outcome'], result['reason']];

test('a setup script signs the request with a secret, and its time is no part of the response time', async (t) => {
  const secret = 'hush-hush-secret';
  const signed = (text: string): string => createHmac('sha256', secret).update(text).digest('hex');
  const target = await startTarget(t, async (request, response) => {
    const body = await readBody(request);
    const isRight = request.headers['x-signature'] === signed(`POST ${request.url} ${body}`);
    response.statusCode = isRight && request.headers['x-came'] === 'by setup' ? 200 : 401;
    response.end(`{"key":"${secret}"}`);
  });
  const { run, on } = await fixture(t);
  const ran = await run({
    environmentVariables: [{ key: 'KEY', value: secret, secret: true }],
    request: {
      method: 'POST',
      url: `${target.url}/orders?of=today`,
      bodyType: 'JSON',
      body: '{"n":1}',
      headers: [{ key: 'x-signature', value: '{{SIGNATURE}}' }],
    },
    localSetupScript: `
const { createHmac } = require('node:crypto');
const path: string = new URL(request.url).pathname + new URL(request.url).search;
await new Promise((resolve) => setTimeout(resolve, 1200));
console.log('with', process.env.KEY, process.env.CHECK_NAME);
const signature = createHmac('sha256', process.env.KEY).update(request.method + ' ' + path + ' ' + request.body);
process.env.SIGNATURE = signature.digest('hex');
request.headers['X-Came'] = 'by setup';
`,
  });
  const { result, part, all } = ran;
  assert.deepEqual(verdictOf(ran), ['passed', null], String(result['message']));
  assert.ok(Number(result['responseTime']) < 1000, `${String(result['responseTime'])} ms with the script`);
  assert.deepEqual(
    part.jobLog?.setup.map(({ msg }) => msg),
    ['with ******** Cart\n'],
  );
  assert.equal(part.scripts?.runtimeVersion, '2026.10');
  assert.deepEqual(scriptsOf(part), ['setup']);
  assert.ok(Number(part.scripts?.runs[0]?.durationMs) >= 1200);
  assert.equal(part.request?.headers['x-came'], 'by setup');
  assert.doesNotMatch(all, /hush-hush/);
  assert.deepEqual(
    on.logged.filter(({ level }) => level === 'error'),
    [],
  );
});

test('a teardown script masks a field of the answer, and assertions are about what it leaves', async (t) => {
  const target = await startTarget(t, (_, response) => {
    response.statusCode = 503;
    response.setHeader('x-trace', 'trace-4711');
    response.end(JSON.stringify({ card: '4111-1111', state: 'open' }));
  });
  const { run } = await fixture(t);
  const assertions = [
    { source: 'JSON_BODY', property: '$.card', comparison: 'EQUALS', target: 'masked' },
    { source: 'HEADERS', property: 'x-trace', comparison: 'IS_EMPTY', target: '' },
    { source: 'STATUS_CODE', comparison: 'EQUALS', target: '200' },
  ];
  const ran = await run({
    request: { method: 'GET', url: target.url, assertions },
    localTearDownScript: `
import assert from 'node:assert';
const body = JSON.parse(response.body);
assert.equal(response.status, 503);
assert.ok(response.timingPhases.total > 0);
response.body = { ...body, card: 'masked' };
response.headers['x-trace'] = '';
response.statusCode = 200;
console.error('was', request.url.length > 0);
`,
  });
  const { result, part, all } = ran;
  assert.deepEqual(verdictOf(ran), ['passed', null], String(result['message']));
  assert.deepEqual([part.response?.status, part.response?.body], [200, '{"card":"masked","state":"open"}']);
  assert.deepEqual(
    part.jobLog?.teardown.map(({ level, msg }) => [level, msg]),
    [['ERROR', 'was true\n']],
  );
  assert.doesNotMatch(all, /4111|4711/);
});

test('scripts of a group go around those of its checks, each sees what the one before has left', async (t) => {
  const seen: unknown[] = [];
  const target = await startTarget(t, (request, response) => {
    seen.push(request.headers['x-trail'], request.url);
    response.end('answer');
  });
  const { run, must } = await fixture(t);
  const group = await must('POST', '/v2/check-groups', {
    name: 'Shop',
    environmentVariables: [{ key: 'BASE', value: target.url }],
    localSetupScript: `request.headers['x-trail'] = 'group'; process.env.PLACE = 'basket';`,
    localTearDownScript: `response.body += ' group'; console.log('last');`,
  });
  const ran = await run({
    groupId: group['id'],
    request: {
      method: 'GET',
      url: '{{BASE}}/{{PLACE}}',
      assertions: [{ source: 'TEXT_BODY', comparison: 'EQUALS', target: 'answer check basket group' }],
    },
    localSetupScript: `request.headers['x-trail'] += ' check'; request.queryParameters.page = 2;`,
    localTearDownScript: `response.body += ' check ' + process.env.PLACE; console.log('first');`,
  });
  assert.deepEqual(verdictOf(ran), ['passed', null], String(ran.result['message']));
  assert.deepEqual(seen, ['group check', '/basket?page=2']);
  assert.deepEqual(scriptsOf(ran.part), ['groupSetup', 'setup', 'teardown', 'groupTeardown']);
  assert.deepEqual(
    ran.part.jobLog?.teardown.map(({ msg }) => msg),
    ['first\n', 'last\n'],
  );
});

// Two scripts here last until their deadline.
describe('a setup script that fails', { concurrency: 2 }, () => {
  test('a setup script that throws, takes too long or leaves no request sends nothing, and says where', async (t) => {
    let requests = 0;
    const target = await startTarget(t, (_, response) => {
      requests++;
      response.end();
    });
    const { run } = await fixture(t);
    const request = { method: 'GET', url: target.url };
    const judge = async (localSetupScript: string, reason: string, message: RegExp): Promise<void> => {
      const ran = await run({ request, localSetupScript, localTearDownScript: 'throw 1;' });
      assert.deepEqual(verdictOf(ran), ['failed', reason], String(ran.result['message']));
      assert.match(String(ran.result['message']), message);
      assert.deepEqual([ran.part.request, ran.part.response], [null, null]);
      assert.deepEqual(scriptsOf(ran.part), ['setup']);
    };
    const endless = judge(`setInterval(() => {}, 1000);`, 'deadline', /^setup script: .*more than 10 s/);
    for (const [script, reason, message] of [
      [`const a = 1;\nthrow new Error('no token');`, 'script', /^setup script: throw .*\(setup\.ts:2\): no token$/],
      [`request.method = 'BREW';`, 'script', /^setup script: request\.method must be one of .*"BREW" \(setup\.ts\)$/],
      [`request.url = 'nowhere';`, 'settings', /the URL "nowhere" is not an absolute/],
    ] as const) {
      await judge(script, reason, message);
    }
    await endless;
    assert.equal(requests, 0);
  });

  test('of a setup script that fails nothing shows what it had made secret until then', async (t) => {
    const { run } = await fixture(t);
    const environmentVariables = [{ key: 'KEY', value: 'the-old-key', secret: true }];
    const request = { method: 'GET', url: 'http://127.0.0.1:9/' };
    const beginning = `const [key, token] = ['key', 'token'].map((each) => 'fresh-' + each);
console.log('got', key, token, 'instead of', process.env.KEY);
process.env.KEY = key;
request.headers.Authorization = 'Bearer ' + token;
console.error('sends', request.headers);
`;
    // It goes on without another turn, and is ended.
    const endless = run({
      request,
      environmentVariables,
      localSetupScript: `process.env.KEY = ['fresh', 'key'].join('-'); console.log(process.env.KEY);
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);`,
    });
    for (const [ending, verdict, reason] of [
      [`throw new Error('refused: ' + key + ', ' + token);`, 'failed', 'script'],
      [`request.url = 'http://' + key + '.example/{{MISSING}}';`, 'unknown', 'settings'],
      [`process.exit(1);`, 'failed', 'script'],
    ] as const) {
      const ran = await run({ request, environmentVariables, localSetupScript: `${beginning}${ending}` });
      assert.deepEqual(verdictOf(ran), [verdict, reason], String(ran.result['message']));
      if (ending.startsWith('process'))
        assert.match(String(ran.result['message']), /^setup script: process\.exit\(1\)/);
      assert.equal(ran.part.jobLog?.setup.length, 2);
      assert.doesNotMatch(ran.all, /fresh-|the-old-key/);
    }
    const late = await endless;
    assert.deepEqual(verdictOf(late), ['failed', 'deadline']);
    assert.equal(late.part.jobLog?.setup[0]?.msg, '********\n');
    assert.doesNotMatch(late.all, /fresh-/);
  });
});

test('of an answer whose teardown script fails nothing is shown that it might have taken out', async (t) => {
  const target = await startTarget(t, (request, response) => {
    response.statusCode = request.url === '/bad' ? 500 : 200;
    response.setHeader('x-card', '4111-1111');
    response.end('4111-1111');
  });
  const { run } = await fixture(t);
  const assertions = [{ source: 'TEXT_BODY', comparison: 'EQUALS', target: 'masked' }];
  const localTearDownScript = `response.status = response.status;\nJSON.parse('{');`;
  const ran = await run({ request: { method: 'GET', url: target.url, assertions }, localTearDownScript });
  assert.deepEqual(verdictOf(ran), ['failed', 'script']);
  assert.match(String(ran.result['message']), /^teardown script: JSON\.parse.*\(teardown\.ts:2\): /);
  assert.deepEqual([ran.part.response?.status, ran.part.response?.headers, ran.part.response?.body], [200, null, null]);
  assert.ok(Number(ran.result['responseTime']) >= 0);
  assert.doesNotMatch(ran.all, /4111/);
  const both = await run({ request: { method: 'GET', url: `${target.url}/bad` }, localTearDownScript });
  assert.deepEqual(verdictOf(both), ['failed', 'status']);
  assert.match(String(both.result['message']), /got 500 .*; teardown script: /);
});

test('the egress policy judges the URL that a setup script has written as any other', async (t) => {
  const target = await startTarget(t, (_, response) => response.end('ok'));
  const { run } = await fixture(t, { TOCSIN_EGRESS: 'public', TOCSIN_EGRESS_ALLOW: '127.0.0.1/32' });
  const request = { method: 'GET', url: target.url };
  const allowed = await run({ request, localSetupScript: `request.headers.a = 'b';` });
  assert.deepEqual(verdictOf(allowed), ['passed', null], String(allowed.result['message']));
  const refused = await run({ request, localSetupScript: `request.url = 'http://127.0.0.2:${target.port}/';` });
  assert.deepEqual(verdictOf(refused), ['failed', 'egress-refused'], String(refused.result['message']));
});

test('a retry repeats the scripts as well', async (t) => {
  const seen: unknown[] = [];
  const target = await startTarget(t, (request, response) => {
    seen.push(request.headers['x-turn']);
    response.statusCode = seen.length === 1 ? 500 : 200;
    response.end();
  });
  const { run } = await fixture(t);
  const ran = await run({
    request: { method: 'GET', url: target.url },
    localSetupScript: `request.headers['x-turn'] = require('node:crypto').randomUUID();`,
    retryStrategy: { type: 'FIXED', baseBackoffSeconds: 0, maxRetries: 1 },
  });
  assert.deepEqual(verdictOf(ran), ['passed', null]);
  assert.deepEqual([seen.length, new Set(seen).size], [2, 2]);
});

test('checks with scripts around their requests wait for each other, for no other script, and nothing else for them', async (t) => {
  let open = 0;
  let peakOpen = 0;
  let releaseHung: (() => void) | null = null;
  const release = Promise.withResolvers<void>();
  const target = await startTarget(t, (request, response) => {
    if (request.url === '/quick') return void response.end();
    if (request.url === '/hang') return void (releaseHung = () => response.end());
    assert.equal(request.headers['x-of'], 'group');
    peakOpen = Math.max(peakOpen, ++open);
    return void release.promise.then(() => {
      open--;
      response.end();
    });
  });
  const { run, must, resultOf } = await fixture(t, { TOCSIN_SCRIPTS_AT_ONCE: '1' });
  const script = `await fetch('${target.url}/hang');`;
  const hung = await must('POST', '/v1/checks/multistep', {
    name: 'Hung',
    frequency: 1440,
    scriptPath: 'check.mjs',
    script,
  });
  await must('POST', `/v1/triggers/checks/${String(hung['id'])}`);
  const endHung = await until('a script that hangs', () => releaseHung, { withinMs: 60_000 });
  // The scripts of the group are enough.
  const localSetupScript = `request.headers['x-of'] = 'group';`;
  const group = await must('POST', '/v2/check-groups', { name: 'Shop', localSetupScript });
  const ids: string[] = [];
  for (const name of ['one', 'two']) {
    const request = { method: 'GET', url: `${target.url}/${name}` };
    const check = await must('POST', '/v1/checks/api', { name, frequency: 1440, groupId: group['id'], request });
    ids.push(String(check['id']));
  }
  await must('POST', `/v1/triggers/check-groups/${String(group['id'])}`);
  await until('the first request', () => open === 1, { withinMs: 60_000 });
  const quick = await run({ request: { method: 'GET', url: `${target.url}/quick` } });
  assert.deepEqual([verdictOf(quick), quick.part.scripts, open], [['passed', null], null, 1]);
  release.resolve();
  for (const id of ids) assert.equal((await resultOf(id))['outcome'], 'passed');
  const stillNone = await must('GET', `/v1/check-results/${String(hung['id'])}`);
  assert.deepEqual([peakOpen, stillNone], [1, []], 'while the script of another kind still hangs');
  endHung();
});

test('a script that cannot be read is refused when a check or a group is saved, with line and column', async (t) => {
  const { api } = await fixture(t);
  const request = { method: 'GET', url: 'https://shop.example/' };
  for (const [path, body, field, message] of [
    [
      '/v1/checks/api',
      { name: 'Cart', request, localSetupScript: 'const a = 1;\nrequest.headers.a = ;' },
      'localSetupScript',
      /^is not a valid script: Expression expected \(line 2, column 21\)$/,
    ],
    [
      '/v1/checks',
      { checkType: 'API', name: 'Cart', request, localTearDownScript: ')' },
      'localTearDownScript',
      /line 1/,
    ],
    ['/v2/check-groups', { name: 'Shop', localSetupScript: 'await (' }, 'localSetupScript', /\(line 1, column \d+\)$/],
    [
      '/v1/checks/api',
      { name: 'Cart', request, localSetupScript: '('.repeat(100_000) },
      'localSetupScript',
      /too large or nested too deeply/,
    ],
  ] as const) {
    const answer = await api('POST', path, body);
    const { attributes = {} } = answer.body as { attributes?: Record<string, string> };
    assert.equal(answer.status, 400, JSON.stringify(answer.body));
    assert.match(attributes[field] ?? '', message, JSON.stringify(answer.body));
  }
  const localSetupScript = `import _ from 'lodash';\nconst n: number = await Promise.resolve(1);`;
  assert.equal((await api('POST', '/v1/checks/api', { name: 'Cart', request, localSetupScript })).status, 201);
});

test('what a setup script puts where credentials are, or into a field that is hidden, is shown nowhere', async (t) => {
  const target = await startTarget(t, (_, response) => response.end('{}'));
  const { run } = await fixture(t);
  const { result, all } = await run({
    request: { method: 'GET', url: target.url, headers: [{ key: 'X-Api-Key', value: 'first-token-0', locked: true }] },
    localSetupScript: `
request.headers.authorization = 'Bearer fetched-token-1';
request.headers['X-Api-Key'] = 'fetched-token-2';
console.log(request.headers);
`,
    localTearDownScript: `console.log('sent', request.headers); throw new Error('with ' + request.headers.authorization);`,
  });
  assert.deepEqual([result['outcome'], result['reason']], ['failed', 'script']);
  assert.doesNotMatch(all, /fetched-token/);
});

test('of an answer that teardown scripts cannot read nothing is shown that they might have taken out', async (t) => {
  const target = await startTarget(t, (_, response) => {
    response.setHeader('set-cookie', 'session=not-for-anybody').setHeader('content-encoding', 'gzip');
    response.end('not-for-anybody, and no gzip');
  });
  const { run } = await fixture(t);
  const { result, all } = await run({
    request: { method: 'GET', url: target.url },
    localTearDownScript: `delete response.headers['set-cookie'];`,
  });
  assert.equal(result['outcome'], 'failed');
  assert.doesNotMatch(all, new RegExp(`not-for-anybody|${Buffer.from('not-for-anybody').toString('base64')}`));
});
