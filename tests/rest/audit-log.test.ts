// The audit log over HTTP: who is named for keys, people, sign-ins and commands, and who may read it.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { unauditedOperations } from '#contract/unaudited.ts';
import { type Composed, startComposed } from '../support/service/composed.ts';
import { askAt, bodyOf, cookieOf, type Headers } from './session-calls.ts';

const operator = { email: 'operator@example.com', password: 'correct horse battery' };
const cleanups: (() => void | Promise<void>)[] = [];
let on: Composed;
let person: Headers;

before(async () => {
  on = await startComposed(
    { after: (work) => void cleanups.push(work) },
    { TOCSIN_ROLES: 'api', TOCSIN_BOOTSTRAP_EMAIL: operator.email, TOCSIN_BOOTSTRAP_PASSWORD: operator.password },
  );
  person = cookieOf(await askAt(on, 'POST', '/v1/sessions', {}, operator));
});
after(async () => {
  for (const work of cleanups) await work();
});

interface Entry {
  readonly operation: string;
  readonly actor: { readonly kind: string; readonly name: string | null };
  readonly resource: string | null;
  readonly resourceId: string | null;
  readonly resourceName: string | null;
  readonly address: string | null;
  readonly requestId: string | null;
  readonly changes: { action: string; fields: { path: string; from?: unknown; to?: unknown; isSecret?: true }[] }[];
}

async function entries(query = ''): Promise<Entry[]> {
  const answer = await askAt(on, 'GET', `/v1/audit-log?limit=100${query}`, person);
  assert.equal(answer.status, 200, answer.text);
  return bodyOf(answer).entries;
}

test('a sign-in, a refused one and an edited check are recorded with person, address and fields', async () => {
  const refused = await askAt(on, 'POST', '/v1/sessions', {}, { ...operator, password: 'wrong password here' });
  assert.equal(refused.status, 401);
  const made = await askAt(on, 'POST', '/v1/checks/api', person, {
    name: 'Shop',
    frequency: 10,
    activated: false,
    request: {
      method: 'GET',
      url: 'https://user:canary-url@shop.example/',
      basicAuth: { username: 'u', password: 'canary-password' },
    },
    environmentVariables: [{ key: 'TOKEN', value: 'canary-variable', secret: true }],
  });
  assert.equal(made.status, 201, made.text);
  const { id } = bodyOf(made);
  const changed = await askAt(on, 'PUT', `/v1/checks/${id}`, person, { name: 'Shop 2', frequency: 5 });
  assert.equal(changed.status, 200, changed.text);
  const [update, create, wrong] = await entries();
  assert.deepEqual(
    [wrong?.operation, wrong?.changes[0]?.action, wrong?.resourceName],
    ['createSession', 'refused', operator.email],
  );
  assert.equal(wrong?.actor.kind, 'anonymous');
  assert.deepEqual([create?.operation, create?.resource, create?.resourceId], ['createApiCheck', 'check', id]);
  assert.deepEqual([update?.actor.kind, update?.actor.name, update?.address], ['user', operator.email, '127.0.0.1']);
  assert.equal(update?.requestId, changed.headers['x-request-id']);
  const fields = update?.changes[0]?.fields ?? [];
  assert.deepEqual(
    fields.find(({ path }) => path === 'frequency'),
    { path: 'frequency', from: 10, to: 5 },
  );
  assert.deepEqual(
    fields.find(({ path }) => path === 'name'),
    { path: 'name', from: 'Shop', to: 'Shop 2' },
  );
  assert.ok(
    fields.every(({ isSecret }) => isSecret !== true),
    'unchanged secrets are not mentioned',
  );
  assert.ok(create?.changes[0]?.fields.some(({ path, isSecret }) => path.endsWith('password') && isSecret === true));
  const removed = await askAt(on, 'DELETE', `/v1/checks/${id}`, person);
  assert.equal(removed.status, 204);
  const ofCheck = await entries(`&resource=check&resourceId=${id}`);
  assert.deepEqual(
    ofCheck.map(({ operation }) => operation),
    ['deleteCheck', 'updateCheck', 'createApiCheck'],
  );
  assert.ok(!JSON.stringify(await entries()).includes('canary'));
  const csv = await askAt(on, 'GET', `/v1/audit-log/csv?resourceId=${id}`, person);
  assert.equal(csv.text.trimEnd().split('\r\n').length, 4);
  assert.ok(!csv.text.includes('canary'));
});

test('a key is named by its name and first characters, and only admins may read the log', async () => {
  const made = await askAt(on, 'POST', '/v1/api-keys', person, { name: 'CI', role: 'read-write' });
  const key: Headers = { authorization: `Bearer ${bodyOf(made).key}` };
  const variable = await askAt(on, 'POST', '/v1/variables', key, { key: 'A', value: 'b' });
  assert.equal(variable.status, 201, variable.text);
  const [added, created] = await entries();
  assert.match(added?.actor.name ?? '', /^CI \(\w+.*…\)$/);
  assert.equal(created?.operation, 'createApiKey');
  assert.ok(!JSON.stringify(await entries()).includes(bodyOf(made).key));
  for (const path of ['/v1/audit-log', '/v1/audit-log/csv']) {
    assert.equal((await askAt(on, 'GET', path, key)).status, 403);
  }
});

test('a refused change leaves no entry, and nothing can be written to the log', async () => {
  const before = await entries();
  assert.equal((await askAt(on, 'PUT', '/v1/variables/NOT_THERE', person, { value: 'x' })).status, 404);
  assert.equal((await askAt(on, 'POST', '/v1/variables', person, { key: 'not a name', value: 'x' })).status, 400);
  for (const method of ['POST', 'PUT', 'DELETE']) {
    assert.equal((await askAt(on, method, '/v1/audit-log', person, {})).status, 405);
  }
  assert.deepEqual(await entries(), before);
});

test('refused sign-ins of a person are recorded ten times an hour at most', async () => {
  for (let attempt = 0; attempt < 9; attempt++) {
    await askAt(on, 'POST', '/v1/sessions', {}, { ...operator, password: `wrong password ${attempt}` });
  }
  const wrong = (await entries('&operation=createSession')).filter(({ changes }) => changes[0]?.action === 'refused');
  assert.ok(wrong.length <= 10, String(wrong.length));
});

test('every operation without entries has a reason', () => {
  assert.ok(Object.values(unauditedOperations).every((reason) => reason.length > 10));
  assert.ok(Object.keys(unauditedOperations).length <= 30, 'the list stays short');
});
