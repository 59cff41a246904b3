// No secret comes out: each has a value that can be recognised, is put to use, and is then looked for in every output.
import assert from 'node:assert/strict';
import { everyOperation } from '#contract/operations.ts';
import { type Fixtures, pathOf } from '../rest/operation-calls.ts';
import { createAuthority } from '../support/certificates.ts';
import { test } from '../support/each-topology.ts';
import { startReceiver } from '../support/receiver.ts';
import { startScriptedServer } from '../support/scripted-server.ts';
import { apiKey, type Service } from '../support/service.ts';
import { until } from '../support/until.ts';

/** Its key begins as every key of that sort does. */
const identity = createAuthority().issue();

const canaries = {
  'secret variable': 'canary+account/variable==7Q',
  'secret variable of the group': 'canary+group/variable==7Q',
  'secret variable of the check': 'canary+check/variable==7Q',
  'variable of a call': 'canary+call/variable==7Q',
  'locked variable': 'canary+locked/variable==7Q',
  'locked header of the check': 'canary+check/header==7Q',
  'password of basic auth': 'canary+basic/password==7Q',
  'webhook secret': 'canary+webhook/secret==7Q',
  'locked header of the channel': 'canary+channel/header==7Q',
  'key of the client certificate': identity.key.split('\n')[2]?.slice(0, 48) ?? '',
  'installation key': 'c0ffee'.padEnd(64, '7d'),
  'admin key': apiKey,
} as const;
type Canary = keyof typeof canaries;

/** The value with its special characters each written so. */
function escaped(value: string, each: (code: string) => string): string {
  return value.replaceAll(/[^\w ]/g, (character) => each(character.charCodeAt(0).toString(16)));
}

/** Ways of writing a value that the target and the receiver use. */
function spellingsOf(value: string): string[] {
  const url = encodeURIComponent(value);
  return [
    value,
    url,
    encodeURIComponent(url),
    url.replaceAll('%2F', '/'),
    value.replaceAll('/', '\\/'),
    escaped(value, (code) => `\\u00${code}`),
    escaped(value, (code) => `&#x${code.toUpperCase()};`),
    escaped(value, (code) => `&#${Number.parseInt(code, 16)};`),
    escaped(value, (code) => `&amp;#x${code};`),
    value.replaceAll('=', '&#x3D;').replaceAll('/', '&#x2F;'),
    value.replaceAll('+', '%2B').replaceAll('=', '\\u003d'),
  ];
}

/** In base64 at each of its three alignments, and as JSON, HTML and URLs write it, which JSON writes again. */
function formsOf(value: string): string[] {
  const inBase64 = ['', 'a', 'ab'].map((before) => {
    const text = Buffer.from(before + value).toString('base64');
    // The first and last characters depend on what stands beside it.
    return text.slice(before.length === 0 ? 0 : 4, -4);
  });
  const spellings = spellingsOf(value);
  return [
    ...new Set([
      ...spellings,
      ...spellings.map((spelling) => JSON.stringify(spelling).slice(1, -1)),
      encodeURIComponent(value).toLowerCase(),
      new URLSearchParams({ v: value }).toString().slice(2),
      ...inBase64,
    ]),
  ];
}

/** Says that an output holds none of the canaries, but those that belong there. */
function assertClean(where: string, output: string, allowed: readonly Canary[] = []): void {
  for (const [name, value] of Object.entries(canaries) as [Canary, string][]) {
    if (allowed.includes(name)) continue;
    for (const form of formsOf(value)) {
      const at = output.indexOf(form);
      assert.ok(at === -1, `the ${name} stands in ${where}: …${output.slice(Math.max(0, at - 200), at + 100)}…`);
    }
  }
}

/** Everything that was put to use, by the part of the path that names it. */
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
        '{"ALERT_TYPE":"{{ALERT_TYPE}}","error":{{{json CHECK_ERROR_MESSAGE}}},"link":"{{{RESULT_LINK}}}","v":"{{{LOCKED}}}"}',
      headers: [{ key: 'x-token', value: canaries['locked header of the channel'], locked: true }],
      webhookSecret: canaries['webhook secret'],
    },
  });
  const check = await must('/v1/checks/api', {
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
  });
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
  };
}

const firstId = async (service: Service, path: string): Promise<string> => {
  const list = (await service.must('GET', path)) as unknown as { id: string }[];
  assert.ok(list[0], `${path} lists nothing`);
  return list[0].id;
};

const definitions = /^\/v1\/(variables|checks|check-groups|alert-channels)\b/;
const lockedOnes: readonly Canary[] = ['locked variable', 'locked header of the check', 'locked header of the channel'];

/** What has to be asked with it. */
const questions: Readonly<Record<string, string>> = { '/v1/analytics/metrics': '?checkType=API' };

/** Every answer to a GET by this key; `mayWrite`: what is locked is shown to whoever may change it, in definitions only. */
async function assertNoAnswerTells(
  service: Service,
  fixtures: Fixtures,
  key: string,
  mayWrite: boolean,
): Promise<void> {
  const reads = everyOperation().filter(({ method, id }) => method === 'GET' && !id.startsWith('call'));
  assert.ok(reads.length > 30);
  for (const operation of reads) {
    const path = pathOf(operation, fixtures) + (questions[operation.path] ?? '');
    const answer = await fetch(service.address + path, { headers: { authorization: `Bearer ${key}` } });
    const headers = JSON.stringify([...answer.headers]);
    const allowed = mayWrite && definitions.test(path) ? lockedOnes : [];
    assertClean(`the answer to GET ${path}`, headers + (await answer.text()), allowed);
    // Assets are of browser checks; an event is shown in the list as well.
    const isElsewhere =
      /^\/v1\/(triggers\/check-groups|runtimes)\/|\/assets\/|\/screenshots\/|\/events\/|\/client-certificates\//.test(
        path,
      );
    const isThere = ![400, 404].includes(answer.status) || isElsewhere;
    assert.ok(isThere, `GET ${path} answered ${answer.status}: there is nothing to look through`);
  }
}

async function assertNoErrorTells(service: Service, { checks, 'alert-channels': channel }: Fixtures): Promise<void> {
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

/** Settings that a secret makes wrong: the sentence that says so stands in results and in alerts. */
async function assertNoRefusalTells(
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

/** @param least of how many places there are files or tables to look through */
function assertStoredClean(stored: Readonly<Record<string, string>>, least: number): void {
  assert.ok(Object.keys(stored).length >= least, Object.keys(stored).join());
  // What is locked is hidden in logs and is no secret at rest: deliveries send it again after a restart.
  for (const [where, text] of Object.entries(stored)) assertClean(where, text, lockedOnes);
}

test('what is secret reaches the target of the check, and no output of the service', async ({
  t,
  startService,
  topology,
}) => {
  const service = await startService(t, {
    LOG_LEVEL: 'trace',
    TOCSIN_SECRET_KEY: canaries['installation key'],
  });
  const target = await startScriptedServer(t);
  const receiver = await startReceiver(t, canaries['webhook secret']);
  // Both tell back all that they were told, and every value in every spelling.
  const echo = (hit: { method: string; url: string; headers: object; body: Buffer }): string => {
    const told = [hit.body.toString(), decodeURIComponent(hit.url), ...(Object.values(hit.headers) as string[])].join();
    const values = Object.values(canaries).filter((value) => told.includes(value));
    return `${values.flatMap(spellingsOf).join(' ')} ${JSON.stringify({ ...hit, body: hit.body.toString(), decoded: decodeURIComponent(hit.url) })}`;
  };
  target.answer((hit) => ({ status: 500, body: echo(hit) }));
  receiver.answer(({ hit }) => ({ status: 500, body: echo(hit) }));
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
  const link = new URL(String(message.json['link'])).pathname.split('/').at(-1) ?? '';
  const resultId = await firstId(service, `/v1/check-results/${fixtures['check-results']}`);
  const all = {
    ...fixtures,
    deliveries: deliveryId,
    results: link,
    '{checkId}': resultId,
    '{id}': fixtures['checks'] ?? '',
    '{type}': fixtures['checks'] ?? '',
    accounts: await firstId(service, '/v1/accounts'),
  };
  await assertNoAnswerTells(service, all, apiKey, true);
  await assertNoAnswerTells(service, all, fixtures['reader'] ?? '', false);
  await assertNoErrorTells(service, fixtures);
  await assertNoRefusalTells(service, target.url, receiver);
  const places = topology === 'one process, SQLite' ? 2 : 20;
  assertStoredClean(service.stored(), places);
  assert.equal((await service.stop()).code, 0);
  assertStoredClean(service.stored(), places);
  assertClean('what the processes printed', service.printed, ['admin key']);
  // The first key is printed once where it was made up; one that was given is known already.
  const told = service.printed.split(apiKey).length - 1;
  assert.ok(told <= 1, `the first key was printed ${told} times`);
});
