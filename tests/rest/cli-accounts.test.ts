// What the `checkly` command line reads of the account, its limits and its members.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Composed, startComposed } from '../support/service/composed.ts';

type Json = Readonly<Record<string, unknown>>;

let on: Composed;
const cleanups: (() => void | Promise<void>)[] = [];
before(async () => {
  on = await startComposed({ after: (work) => void cleanups.push(work) }, { TOCSIN_ROLES: 'api' });
});
after(async () => {
  for (const work of cleanups) await work();
});

async function ask(method: string, path: string, body?: object): Promise<{ status: number; body: Json }> {
  const headers = { authorization: `Bearer ${on.apiKey}`, 'content-type': 'application/json' };
  const answer = await fetch(on.address + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  const text = await answer.text();
  return { status: answer.status, body: (text === '' ? {} : JSON.parse(text)) as Json };
}

test('the account names the runtime that checks get, and an account of others is unknown', async () => {
  const { body } = await ask('GET', `/next/accounts/${on.accountId}`);
  const runtimes = (await ask('GET', '/v1/runtimes')).body as unknown as { name: string; stage: string }[];
  const current = runtimes.find(({ stage }) => stage === 'CURRENT')?.name;
  assert.deepEqual(body, { id: on.accountId, name: body['name'], runtimeId: current, features: [] });
  assert.deepEqual((await ask('GET', '/next/accounts')).body, [body]);
  assert.equal((await ask('GET', '/next/accounts/0199f0c4-0000-7000-8000-0000000000ff')).status, 404);
  assert.equal((await ask('GET', '/next/users/me')).body['name'], 'an API key with the role operator');
});

test('the plan lists the limits of the account with what is used', async () => {
  await ask('POST', '/v1/variables', { key: 'ONE', value: '1' });
  const { entitlements } = (await ask('GET', '/v1/accounts/me/entitlements')).body as { entitlements: Json[] };
  assert.deepEqual(
    entitlements.find(({ key }) => key === 'VARIABLES'),
    { key: 'VARIABLES', name: 'variables', description: '1 used', type: 'metered', enabled: true, quantity: 1000 },
  );
  const certificates = entitlements.find(({ key }) => key === 'CLIENT_CERTIFICATES');
  assert.equal(certificates?.['name'], 'client certificates');
});

test('members and invitations are found, listed in parts and changed', async () => {
  const invited: string[] = [];
  for (const name of ['ada', 'bob', 'cyd']) {
    const { body } = await ask('POST', '/v1/invites', { email: `${name}@example.com`, role: 'read-write' });
    invited.push(String(body['url']));
  }
  const token = invited[0]?.split('#')[1];
  await ask('POST', '/v1/invites/accept', { token, password: 'correct horse battery' });
  const list = async (query: string) => (await ask('GET', `/v1/accounts/me/members?${query}`)).body;
  const emails = (listed: Json) => (listed['members'] as Json[]).map(({ email }) => email);
  assert.deepEqual(emails(await list('type=member&status=ACTIVE&role=READ_WRITE')), ['ada@example.com']);
  assert.deepEqual(emails(await list('search=BOB')), ['bob@example.com']);
  assert.deepEqual(emails(await list('status=EXPIRED')), []);
  const first = await list('limit=2');
  const second = await list(`limit=2&nextId=${String(first['nextId'])}`);
  assert.deepEqual([first['length'], second['length'], second['nextId']], [2, 1, null]);
  assert.deepEqual([...emails(first), ...emails(second)], emails(await list('')));

  const [ada] = (await list('search=ada'))['members'] as Json[];
  const path = `/v1/accounts/me/members/${String(ada?.['userId'])}`;
  assert.deepEqual((await ask('PATCH', path, { role: 'READ_ONLY' })).body['role'], 'READ_ONLY');
  assert.deepEqual(emails(await list('role=READ_ONLY')), ['ada@example.com']);
  assert.equal((await ask('PATCH', path, { role: 'EMPEROR' })).status, 400);
  assert.equal((await ask('DELETE', path)).status, 204);
  assert.deepEqual(emails(await list('search=ada')), []);
});
