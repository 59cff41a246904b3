// No secret appears in any output: each has a recognizable value and is used.
import assert from 'node:assert/strict';
import { everyOperation } from '#contract/operations.ts';
import { type Fixtures, pathOf } from '../rest/operation-calls.ts';
import { assertClean, canaries, type Canary, identity, issued, spellingsOf } from '../support/canaries.ts';
import { type Cleanup, openBrowser } from '../support/chromium.ts';
import { test } from '../support/service/each-topology.ts';
import { startReceiver } from '../support/receivers/receiver.ts';
import { startScriptedServer } from '../support/targets/scripted-server.ts';
import { apiKey, type Service } from '../support/service/service.ts';
import { assertPublishedClean, folderForPages } from '../support/service/published-bytes.ts';
import { codeFixtures } from '../support/service/code-fixtures.ts';
import { toolAnswers } from '../support/service/tool-answers.ts';
import { until } from '../support/until.ts';

/** Everything that was created, by path segment. */
async function putToUse(service: Service, targetUrl: string, receiverUrl: string): Promise<Record<string, string>> {
  const must = async (path: string, body: object): Promise<string> =>
    String((await service.must('POST', path, body))['id']);
  const secretOne = { locked: false, secret: true };
  await service.must('POST', '/v1/variables', { key: 'TOKEN', value: canaries['secret variable'], secret: true });
  await service.must('POST', '/v1/variables', { key: 'LOCKED', value: canaries['locked variable'], locked: true });
  const group = await must('/v2/check-groups', {
    name: 'group',
    environmentVariables: [{ key: 'GROUP_TOKEN', value: canaries['secret variable of the group'], ...secretOne }],
  });
  const channel = await must('/v1/alert-channels', {
    type: 'WEBHOOK',
    autoSubscribe: true,
    config: {
      url: `${receiverUrl}/{{LOCKED}}?q={{LOCKED}}`,
      template:
        '{"ALERT_TYPE":"{{ALERT_TYPE}}","error":{{{json CHECK_ERROR_MESSAGE}}},"link":"{{{RESULT_LINK}}}","acknowledge":"{{{ACK_LINK}}}","v":"{{{LOCKED}}}"}',
      headers: [{ key: 'x-token', value: canaries['locked header of the channel'], locked: true }],
      webhookSecret: canaries['webhook secret'],
    },
  });
  const definition = {
    name: 'shop',
    frequency: 0,
    frequencyOffset: 10,
    groupId: Number(group),
    environmentVariables: [{ key: 'CHECK_TOKEN', value: canaries['secret variable of the check'], ...secretOne }],
    request: {
      method: 'POST',
      url: `${targetUrl}/{{TOKEN}}?a={{GROUP_TOKEN}}&b={{LOCKED}}`,
      headers: [
        { key: 'x-locked', value: canaries['locked header of the check'], locked: true },
        { key: 'x-variables', value: '{{TOKEN}} {{GROUP_TOKEN}} {{CHECK_TOKEN}} {{LOCKED}}', locked: false },
      ],
      bodyType: 'JSON',
      body: '{"token":"{{TOKEN}}","check":"{{CHECK_TOKEN}}","locked":"{{LOCKED}}"}',
      basicAuth: { username: 'user', password: canaries['password of basic auth'] },
      assertions: [
        { source: 'TEXT_BODY', comparison: 'NOT_CONTAINS', target: '{{TOKEN}}' },
        { source: 'TEXT_BODY', property: 'token.*{{TOKEN}}', comparison: 'IS_NULL', target: '' },
        { source: 'HEADERS', property: 'x-echo', comparison: 'EQUALS', target: '{{CHECK_TOKEN}}' },
      ],
    },
  };
  const check = await must('/v1/checks/api', definition);
  const heartbeat = await service.must('POST', '/v1/checks/heartbeat', {
    name: 'backup',
    heartbeat: { period: 1, periodUnit: 'days', grace: 0, graceUnit: 'days' },
  });
  const { pingToken, pingUrl } = heartbeat['heartbeat'] as { pingToken: string; pingUrl: string };
  await fetch(pingUrl);
  const trigger = await service.must('POST', `/v1/triggers/checks/${check}`);
  const environmentVariables = [{ key: 'GROUP_TOKEN', value: canaries['variable of a call'] }];
  const called = await service.api('POST', `/checks/${check}/trigger/${String(trigger['token'])}`, {
    environmentVariables,
  });
  assertClean('the verdict of a call', JSON.stringify(called.body));
  const reader = await service.must('POST', '/v1/api-keys', { name: 'reader', role: 'read-only' });
  return {
    checks: check,
    'check-results': check,
    'check-statuses': check,
    'check-alerts': check,
    'check-groups': group,
    groups: group,
    'alert-channels': channel,
    heartbeats: String(heartbeat['id']),
    ping: pingToken,
    'maintenance-windows': await must('/v1/maintenance-windows', {
      name: 'window',
      startsAt: '2020-01-01T00:00:00Z',
      endsAt: '2020-01-01T01:00:00Z',
    }),
    'api-keys': String(reader['id']),
    reader: String(reader['key']),
    variables: 'TOKEN',
    'client-certificates': await must('/v1/client-certificates', { host: '127.0.0.1', ...identity }),
    trigger: String(trigger['token']),
    definition: JSON.stringify({ checkType: 'API', ...definition }),
  };
}

/** Signs the first user in and makes an invitation; answers the cookie. */
async function signInPerson(service: Service): Promise<Readonly<Record<string, string>>> {
  const post = (path: string, headers: Readonly<Record<string, string>>, body: object) =>
    fetch(service.address + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const person = { email: 'first@example.com', password: canaries['password of the first user'] };
  for (const wrong of [
    { ...person, email: '' },
    { ...person, other: 1 },
  ]) {
    assertClean('a refused sign-in', await (await post('/v1/sessions', {}, wrong)).text());
  }
  const answer = await post('/v1/sessions', {}, person);
  const cookie = answer.headers.getSetCookie()[0]?.split(';', 1)[0] ?? '';
  issued.set(`token of session ${issued.size}`, cookie.split('=')[1] ?? '');
  assertClean('the answer to a sign-in', await answer.text());
  const invited = await post(
    '/v1/invites',
    { cookie, 'sec-fetch-site': 'same-origin' },
    { email: 'a@b.test', role: 'admin' },
  );
  const { url } = (await invited.json()) as { url: string };
  issued.set(`token of invitation ${issued.size}`, url.split('#')[1] ?? '');
  for (const token of issued.values()) assert.equal(token.length, 43);
  return { cookie };
}

const firstId = async (service: Service, path: string): Promise<string> => {
  const list = (await service.must('GET', path)) as unknown as { id: string }[];
  assert.ok(list[0], `${path} lists nothing`);
  return list[0].id;
};

const definitions = /^\/v1\/(variables|checks|check-groups|alert-channels)\b/;
const lockedOnes: readonly Canary[] = ['locked variable', 'locked header of the check', 'locked header of the channel'];

/** Required query parameters. */
const questions: Readonly<Record<string, string>> = {
  '/v1/analytics/metrics': '?checkType=API',
  '/v1/check-trials/{id}': '?waitSeconds=25',
};

/** Checks every GET response for this key. `mayWrite`: locked values are shown, but only in definitions. */
async function assertNoAnswerLeaks(
  service: Service,
  fixtures: Fixtures,
  credentials: Readonly<Record<string, string>>,
  mayWrite: boolean,
): Promise<void> {
  const reads = everyOperation().filter(({ method, id }) => method === 'GET' && !id.startsWith('call'));
  assert.ok(reads.length > 30);
  // A trial is gone once it was read.
  const check: unknown = JSON.parse(fixtures['definition'] ?? '');
  const trial = String((await service.must('POST', '/v1/check-trials', { check }))['id']);
  const tagged = { checkIds: [fixtures['checks']], change: { addTags: ['canary'] } };
  const change = String((await service.must('POST', '/v1/check-changes', tagged))['id']);
  for (const operation of reads) {
    const path =
      pathOf(operation, { ...fixtures, 'check-trials': trial, 'check-changes': change }) +
      (questions[operation.path] ?? '');
    const answer = await fetch(service.address + path, { headers: credentials });
    const headers = JSON.stringify([...answer.headers]);
    const allowed = mayWrite && definitions.test(path) ? lockedOnes : [];
    assertClean(`the answer to GET ${path}`, headers + (await textOf(answer)), allowed);
    // Only browser checks have assets, and events are in the list as well; test sessions are looked through when they are made.
    const isElsewhere =
      /^\/v1\/(triggers\/check-groups|runtimes)\/|\/assets\/|\/screenshots\/|\/events\/|\/client-certificates\/|^\/test-sessions\/|\/test-sessions\/(scheduling\/|.*\/results\/)/.test(
        path,
      );
    const isThere = ![400, 404].includes(answer.status) || isElsewhere;
    assert.ok(isThere, `GET ${path} answered ${answer.status}: there is nothing to look through`);
  }
}

/** The body; of a stream, its beginning. */
async function textOf(answer: Response): Promise<string> {
  if (answer.headers.get('content-type')?.startsWith('text/event-stream') !== true) return answer.text();
  const reader = answer.body?.getReader();
  const { value } = (await reader?.read()) ?? {};
  await reader?.cancel();
  return Buffer.from(value ?? []).toString();
}

/** Opens every page of the web UI as a person who may do everything, and looks through what the browser made of it. */
async function assertNoPageLeaks(
  t: Cleanup,
  service: Service,
  cookie: string,
  paths: readonly string[],
): Promise<void> {
  const browser = await openBrowser(t);
  const context = await browser.newContext({ baseURL: service.address, locale: 'en-US' });
  const [name = '', value = ''] = cookie.split('=');
  await context.addCookies([{ name, value, url: service.address }]);
  const page = await context.newPage();
  const printed: string[] = [];
  page.on('console', (message) => printed.push(message.text()));
  for (const path of paths) {
    await page.goto(path);
    // The page, not only the facts of a RESULT_LINK that it replaces.
    await page.locator('main.result').waitFor({ state: 'detached' });
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' });
    assert.equal(new URL(page.url()).pathname, path, 'a page leads elsewhere');
    // What is folded away counts, too.
    await page.evaluate(`for (const each of document.querySelectorAll('details')) each.open = true`);
    assertClean(`the page ${path}`, await page.content());
  }
  assertClean('the console of the pages', printed.join('\n'));
  await browser.close();
}

/** Reads the events of an account until it is asked for them. */
async function followEvents(service: Service): Promise<() => Promise<string>> {
  const ended = new AbortController();
  const headers = { authorization: `Bearer ${apiKey}` };
  const answer = await fetch(`${service.address}/v1/events`, { headers, signal: ended.signal });
  const text = (async () => {
    const chunks: Uint8Array[] = [];
    try {
      for await (const chunk of answer.body ?? []) chunks.push(chunk as Uint8Array);
    } catch {
      // It was ended here, or by the end of the service.
    }
    return Buffer.concat(chunks).toString();
  })();
  return () => {
    ended.abort();
    return text;
  };
}

async function assertNoErrorLeaks(service: Service, { checks, 'alert-channels': channel }: Fixtures): Promise<void> {
  for (const [method, path, body] of [
    ['POST', '/v1/variables', { key: 'TOKEN', value: 'another' }],
    ['PUT', '/v1/variables/TOKEN', { secret: false }],
    ['PUT', `/v1/checks/${checks}`, { request: { method: 'NONE' } }],
    ['PUT', `/v1/alert-channels/${channel}`, { config: { url: 'http://{{TOKEN}}/', template: '{{TOKEN}} {{#if' } }],
    ['POST', '/v1/alert-channels/preview', { config: { url: 'http://127.0.0.1/{{TOKEN}}', template: '{{TOKEN}}' } }],
    ['POST', `/v1/alert-channels/${channel}/test`, {}],
  ] as const) {
    const answer = await service.api(method, path, body);
    assertClean(`the answer to ${method} ${path}`, JSON.stringify(answer.body));
  }
}

/** Settings that a secret makes invalid; the message is in results and alerts. */
async function assertNoRefusalLeaks(
  service: Service,
  targetUrl: string,
  receiver: Awaited<ReturnType<typeof startReceiver>>,
): Promise<void> {
  const assertion = (facts: object) => ({ assertions: [{ comparison: 'EQUALS', ...facts }] });
  const wrong = [
    assertion({ source: 'STATUS_CODE', target: '{{TOKEN}}' }),
    assertion({ source: 'JSON_BODY', property: '$.[{{LOCKED}}' }),
    assertion({ source: 'TEXT_BODY', property: '({{TOKEN}}' }),
    { headers: [{ key: 'x {{TOKEN}}', value: '' }] },
  ];
  const before = receiver.all.length;
  for (const [index, request] of wrong.entries()) {
    const check = await service.must('POST', '/v1/checks/api', {
      name: `wrong ${index}`,
      frequency: 60,
      request: { method: 'GET', url: targetUrl, ...request },
    });
    await service.must('POST', `/v1/triggers/checks/${String(check['id'])}`);
    const path = `/v1/check-results/${String(check['id'])}`;
    const result = await until('the result of the wrong settings', async () => {
      const list = (await service.must('GET', path)) as unknown as { id: string }[];
      return list[0];
    });
    const shown = JSON.stringify([result, await service.must('GET', `${path}/${result.id}`)]);
    assert.match(shown, /\*{8}/, `the result of wrong settings does not quote them: ${shown}`);
    assertClean(`the result of wrong settings ${index}`, shown);
  }
  await until('the alerts of the wrong settings', () => receiver.all.length >= before + wrong.length);
  for (const { hit } of receiver.all.slice(before)) {
    assertClean('an alert about wrong settings', hit.body.toString(), ['locked variable']);
  }
}

/** @param least minimum number of files or tables to search */
function assertStoredClean(stored: Readonly<Record<string, string>>, least: number): void {
  assert.ok(Object.keys(stored).length >= least, Object.keys(stored).join());
  // Locked values are masked in logs, but stored unencrypted; deliveries send them again after a restart.
  for (const [where, text] of Object.entries(stored)) assertClean(where, text, lockedOnes);
}

test('secrets reach the target of the check, and no output of the service', async ({ t, startService, topology }) => {
  const folder = folderForPages(t);
  const service = await startService(t, {
    LOG_LEVEL: 'trace',
    TOCSIN_PUBLISH_FOLDER: folder,
    TOCSIN_SECRET_KEY: canaries['installation key'],
    TOCSIN_BOOTSTRAP_EMAIL: 'first@example.com',
    TOCSIN_BOOTSTRAP_PASSWORD: canaries['password of the first user'],
  });
  const target = await startScriptedServer(t);
  const receiver = await startReceiver(t, canaries['webhook secret']);
  // Both echo the whole request, and every value in every encoding.
  const echo = (hit: { method: string; url: string; headers: object; body: Buffer }): string => {
    const reported = [
      hit.body.toString(),
      decodeURIComponent(hit.url),
      ...(Object.values(hit.headers) as string[]),
    ].join();
    const values = Object.values(canaries).filter((value) => reported.includes(value));
    return `${values.flatMap(spellingsOf).join(' ')} ${JSON.stringify({ ...hit, body: hit.body.toString(), decoded: decodeURIComponent(hit.url) })}`;
  };
  target.answer((hit) => ({ status: 500, body: echo(hit) }));
  receiver.answer(({ hit }) => ({ status: 500, body: echo(hit) }));
  const events = await followEvents(service);
  const fixtures = await putToUse(service, target.url, receiver.url);
  const message = await receiver.alert('ALERT_FAILURE');

  const [hit] = await target.hits(1);
  const seen = `${decodeURIComponent(hit?.url ?? '')} ${JSON.stringify(hit?.headers)} ${String(hit?.body)}`;
  for (const name of [
    'secret variable',
    'secret variable of the group',
    'secret variable of the check',
    'locked variable',
  ] as const)
    assert.ok(seen.includes(canaries[name]), `the target was not sent the ${name}`);
  assert.ok(seen.includes(canaries['locked header of the check']));
  const calledWith = canaries['variable of a call'];
  assert.ok(
    target.all.some(({ url }) => decodeURIComponent(url).includes(calledWith)),
    'the call brought its variable',
  );
  for (const { hit } of receiver.all) {
    const request = `${hit.url} ${JSON.stringify(hit.headers)} ${hit.body.toString()}`;
    assertClean('a webhook', request, ['locked variable', 'locked header of the channel']);
    assert.ok(
      request.includes(canaries['locked header of the channel']) && request.includes(canaries['locked variable']),
    );
  }

  const deliveryId = message.deliveryId;
  await until('the attempt to be logged', async () => {
    const read = await service.must('GET', `/v1/deliveries/${deliveryId}`);
    return (read['attempts'] as unknown[]).length > 0;
  });
  const tokenOf = (url: unknown): string => new URL(String(url)).pathname.split('/').at(-1) ?? '';
  const link = tokenOf(message.json['link']);
  const resultId = await firstId(service, `/v1/check-results/${fixtures['check-results']}`);
  const all = {
    ...fixtures,
    ...(await codeFixtures(service, fixtures['checks'] ?? '')),
    deliveries: deliveryId,
    results: link,
    acknowledge: tokenOf(message.json['acknowledge']),
    '{checkId}': resultId,
    '{id}': fixtures['checks'] ?? '',
    '{type}': fixtures['checks'] ?? '',
    accounts: await firstId(service, '/v1/accounts'),
    'check-incidents': await firstId(service, '/v1/check-incidents'),
  };
  await assertNoAnswerLeaks(service, all, { authorization: `Bearer ${apiKey}` }, true);
  await assertNoAnswerLeaks(service, all, { authorization: `Bearer ${fixtures['reader'] ?? ''}` }, false);
  const person = await signInPerson(service);
  await assertNoAnswerLeaks(service, all, person, true);
  // Pages show answers of the API, which are the same on each topology.
  if (topology === 'one process, SQLite')
    await assertNoPageLeaks(t, service, person['cookie'] ?? '', [
      '/',
      `/checks/${fixtures['checks']}`,
      `/checks/${fixtures['checks']}/results/${resultId}`,
      `/checks/${fixtures['heartbeats']}`,
      '/groups',
      `/groups/${fixtures['check-groups']}`,
      '/alerts',
      '/deliveries',
      `/deliveries/${deliveryId}`,
      '/notices',
      '/settings/system',
      '/settings/profile',
      '/settings/people',
      '/wall',
      `/results/${link}`,
    ]);
  const tools = await toolAnswers(service, fixtures['checks'] ?? '', Number(fixtures['check-groups']));
  for (const [name, answer] of Object.entries(tools)) assertClean(`the answer of the tool ${name}`, answer);
  const published = { checkId: fixtures['checks'] ?? '', groupId: Number(fixtures['check-groups']) };
  await assertPublishedClean(service, folder, published, ['shop', new URL(target.url).host, all.accounts]);
  await assertNoErrorLeaks(service, fixtures);
  await assertNoRefusalLeaks(service, target.url, receiver);
  const heard = await events();
  assert.match(heard, /^event: change$/m, 'the stream of events is empty');
  assertClean('the stream of events', heard);
  const places = topology === 'one process, SQLite' ? 2 : 20;
  assertStoredClean(service.stored(), places);
  assert.equal((await service.stop()).code, 0);
  assertStoredClean(service.stored(), places);
  assertClean('what the processes printed', service.printed);
});
