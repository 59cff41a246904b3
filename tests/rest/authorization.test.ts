// Who may do what: every operation of the contract against every sort of caller (spec §5; decisions: Accounts, keys).
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { everyOperation } from '#contract/operations.ts';
import { type Composed, startComposed } from '../support/service/composed.ts';
import { type DatabaseRows, databaseRowsAtRest } from '../support/store/database-rows.ts';
import { type AnyOperation, assertErrorShape, type Fixtures, makeFixtures, pathOf, send } from './operation-calls.ts';

const keyRoles = ['operator', 'admin', 'read-write', 'read-run', 'read-only'] as const;
/** `operator` = an owner who operates the installation. */
const personRoles = ['operator', 'owner', 'admin', 'read-write', 'read-run', 'read-only'] as const;
type Role = (typeof personRoles)[number];

/** What a role holds, as the decisions say it. */
const holds: Readonly<Record<Role, readonly AnyOperation['permission'][]>> = {
  operator: ['none', 'any', 'read', 'run', 'write', 'admin', 'operate'],
  owner: ['none', 'any', 'read', 'run', 'write', 'admin'],
  admin: ['none', 'any', 'read', 'run', 'write', 'admin'],
  'read-write': ['none', 'any', 'read', 'run', 'write'],
  'read-run': ['none', 'any', 'read', 'run'],
  'read-only': ['none', 'any', 'read'],
};

/** Every sort of caller with what it may do: a key of each role, and a signed-in person of each. */
const callers = [
  ...keyRoles.map((role) => ({ name: `a key with the role ${role}`, held: holds[role], highest: holds[role].at(-1) })),
  ...personRoles.map((role) => ({
    name: `a person with the role ${role}`,
    held: [...holds[role], 'user'],
    highest: holds[role].at(-1),
  })),
];

const bootstrap = { email: 'operator@example.com', password: 'correct horse battery' };

let on: Composed;
let fixtures: Fixtures;
let rows: DatabaseRows;
let clockMs = Date.now();
const keys = new Map<string, string>();
/** Session cookies by the role of their person. */
const cookies = new Map<string, string>();
const cleanups: (() => void | Promise<void>)[] = [];

before(async () => {
  const clocks = { clock: { now: () => clockMs }, steadyNow: () => clockMs };
  const environment = {
    TOCSIN_ROLES: 'api',
    TOCSIN_BOOTSTRAP_EMAIL: bootstrap.email,
    TOCSIN_BOOTSTRAP_PASSWORD: bootstrap.password,
  };
  on = await startComposed({ after: (work) => void cleanups.push(work) }, environment, clocks);
  fixtures = await makeFixtures(on);
  for (const role of keyRoles) keys.set(role, (await create('/v1/api-keys', { name: role, role })).key);
  await signInPeople();
  const expiresAt = new Date(clockMs + 1000).toISOString();
  keys.set('expired', (await create('/v1/api-keys', { name: 'soon', role: 'admin', expiresAt })).key);
  const revoked = await create('/v1/api-keys', { name: 'gone', role: 'admin' });
  keys.set('revoked', revoked.key);
  await ask('GET', '/v1/checks', { authorization: `Bearer ${revoked.key}` });
  await ask('DELETE', `/v1/api-keys/${revoked.id}`, as('admin'));
  clockMs += 1000;
  // A reads-everything key of one account, and another account that it does not reach.
  fixtures = { ...fixtures, foreign: (await create('/v1/accounts', { name: 'Foreign' })).id };
  rows = await databaseRowsAtRest(on.raw);
});
after(async () => {
  for (const work of cleanups) await work();
});

/** Signs in the operator of the configuration, and a person of each other role by an invitation. */
async function signInPeople(): Promise<void> {
  const cookieOf = async (path: string, body: object): Promise<string> => {
    const answer = await ask('POST', path, {}, body);
    assert.equal(answer.status, 201, answer.text);
    return String(answer.headers['set-cookie']).split(';', 1)[0] ?? '';
  };
  cookies.set('operator', await cookieOf('/v1/sessions', bootstrap));
  for (const role of personRoles.slice(1)) {
    const { url } = await create('/v1/invites', { email: `${role}@example.com`, role });
    const token = url.split('#')[1] ?? '';
    cookies.set(role, await cookieOf('/v1/invites/accept', { token, password: bootstrap.password }));
  }
  const [, own = ''] = cookies.get('read-only')?.split('=') ?? [];
  assert.equal(own.length, 43);
}

const as = (name: string): Record<string, string> => ({ authorization: `Bearer ${keys.get(name) ?? on.apiKey}` });

/** Headers of one of `callers`. */
function headersOf(name: string): Record<string, string> {
  const role = name.split(' ').at(-1) ?? '';
  if (name.startsWith('a key')) return as(role);
  return { cookie: cookies.get(role) ?? '', 'sec-fetch-site': 'same-origin' };
}

function ask(method: string, path: string, headers: Record<string, string>, body?: object) {
  const type = { 'content-type': 'application/json' };
  return send(on.port, { method, path, headers: { ...type, ...headers }, body: JSON.stringify(body ?? {}) });
}

async function create(path: string, body: object): Promise<{ id: string; key: string; url: string }> {
  const made = await ask('POST', path, { authorization: `Bearer ${on.apiKey}` }, body);
  assert.equal(made.status, 201, made.text);
  return JSON.parse(made.text) as { id: string; key: string; url: string };
}

/** A PUT is asked as a PATCH as well. */
const operations = everyOperation().flatMap((operation) => [
  operation,
  ...(operation.method === 'PUT' ? [{ ...operation, method: 'PATCH' as 'PUT' }] : []),
]);
const guarded = operations.filter(({ permission }) => permission !== 'none');

const badKeys: readonly (readonly [string, () => Record<string, string>])[] = [
  ['with an empty header', () => ({ authorization: '' })],
  ['with another scheme', () => ({ authorization: `Basic ${on.apiKey}` })],
  ['with the bare key', () => ({ authorization: on.apiKey })],
  ['with two keys', () => ({ authorization: `Bearer ${on.apiKey} ${on.apiKey}` })],
  ['with an unknown key', () => ({ authorization: `Bearer tsn_${'u'.repeat(43)}` })],
  ['with a key cut short', () => ({ authorization: `Bearer ${on.apiKey.slice(0, -1)}` })],
  ['with an expired key', () => as('expired')],
  ['with a revoked key', () => as('revoked')],
  ['with an unknown session', () => ({ cookie: `tocsin_session=${'u'.repeat(43)}`, 'sec-fetch-site': 'same-origin' })],
  ['with an empty cookie', () => ({ cookie: 'tocsin_session=', 'sec-fetch-site': 'same-origin' })],
  ['with a session beside a bad key', () => ({ ...headersOf('a person with the role operator'), authorization: '' })],
];

describe('every operation that asks for a key', () => {
  // Each is asked without a key, and with one of the others: who calls is found out before what is asked for.
  const ways = [{ who: 'without a key', headers: (): Record<string, string> => ({}), asked: guarded }];
  for (const [nth, [who, headers]] of badKeys.entries())
    ways.push({ who, headers, asked: guarded.filter((_, index) => index % badKeys.length === nth) });
  for (const { who, headers, asked } of ways) {
    test(`${who} answers 401 with a challenge and does nothing`, async () => {
      const present = rows.all();
      assert.ok(asked.length > 10);
      for (const operation of asked) {
        const answer = await ask(operation.method, pathOf(operation, fixtures), headers());
        assert.equal(answer.status, 401, `${operation.id}: ${answer.text}`);
        assert.equal(answer.headers['www-authenticate'], 'Bearer');
        assertErrorShape(answer);
      }
      assert.deepEqual(rows.all(), present, 'nothing was written');
    });
  }

  for (const name of ['a key with the role read-write', 'a person with the role owner']) {
    test(`on an account that ${name} does not reach answers 403, the same whether it exists or not`, async () => {
      const present = rows.all();
      const existing = fixtures['foreign'] ?? '';
      for (const [index, operation] of guarded.entries()) {
        const answers = new Set<string>();
        for (const account of [existing, index % 2 === 0 ? '0199f0c4-0000-7000-8000-0000000000ff' : 'nonsense']) {
          const headers = { ...headersOf(name), 'x-service-account': account };
          const answer = await ask(operation.method, pathOf(operation, fixtures), headers);
          assert.equal(answer.status, 403, `${operation.id}: ${answer.text}`);
          assertErrorShape(answer);
          answers.add(answer.text);
        }
        assert.equal(answers.size, 1, operation.id);
      }
      assert.deepEqual(rows.all(), present);
    });
  }
});

describe('a caller', () => {
  for (const { name, held, highest } of callers) {
    test(`${name} is refused with 403 what it does not hold, and nothing is changed`, async () => {
      const present = rows.all();
      for (const operation of guarded.filter(({ permission }) => !held.includes(permission))) {
        const answer = await ask(operation.method, pathOf(operation, fixtures), headersOf(name));
        assert.equal(answer.status, 403, `${operation.id}: ${answer.text}`);
        assertErrorShape(answer);
      }
      assert.deepEqual(rows.all(), present);
    });

    test(`${name} is not kept from what it holds`, async () => {
      // Of things that do not exist, so that nothing is lost by asking.
      const kept = new Set(['signOut', 'deleteSessions']);
      const isHeld = ({ permission, id }: AnyOperation) => held.includes(permission) && !kept.has(id);
      // Of the permissions that a lesser role holds as well, some operations.
      const isAsked = ({ permission }: AnyOperation, index: number) =>
        [highest, 'user', 'any'].includes(permission) || index % 6 === 0;
      for (const operation of guarded.filter(isHeld).filter(isAsked)) {
        const answer = await ask(operation.method, pathOf(operation, {}), headersOf(name), { nothing: 'known' });
        assert.ok(![401, 403].includes(answer.status), `${operation.id}: ${answer.status} ${answer.text}`);
        assert.ok(answer.status < 500, `${operation.id}: ${answer.text}`);
      }
    });
  }

  test('none of the operations that change something is open to a read-only key, or needs none but the token', () => {
    const open = operations.filter(({ method, permission }) => method !== 'GET' && permission === 'none');
    assert.deepEqual(
      open.map(({ id }) => id),
      [
        'readInvite',
        'acceptInvite',
        'createSetup',
        'createSession',
        'createPasswordReset',
        'usePasswordReset',
        'createProviderSignIn',
        'createProviderSession',
        'postPing',
        'postPingSignal',
        'acknowledgeLinkedIncident',
        'postGroupTrigger',
        'postCheckTrigger',
      ],
    );
    const readable = operations.filter(({ method, permission }) => method !== 'GET' && permission === 'read');
    assert.deepEqual(
      readable.map(({ id }) => id),
      [
        'createCheckBacktest',
        'getAnalyticsOfChecks',
        'previewAlertChannel',
        'previewMaintenanceWindow',
        'previewStatusPage',
        'callMcp',
        'downloadCliSnapshot',
      ],
    );
    assert.ok(guarded.length >= 55, `${guarded.length} operations`);
  });
});

describe('an operation that asks for no key', () => {
  test('answers without one, and takes no notice of a bad one', async () => {
    for (const operation of operations.filter(({ permission }) => permission === 'none')) {
      for (const headers of [{}, { authorization: 'Bearer tsn_bad' }]) {
        const answer = await ask(operation.method, pathOf(operation, fixtures), headers);
        assert.ok(![401, 403, 500].includes(answer.status), `${operation.id}: ${answer.status} ${answer.text}`);
      }
    }
  });
});

describe('of two accounts', () => {
  test('the key of one cannot find anything of the other by its id', async () => {
    const key = (await create('/v1/api-keys', { name: 'f', role: 'admin', accountIds: [fixtures['foreign']] })).key;
    const present = rows.all();
    for (const operation of guarded.filter(
      // Each account has runtimes, and projects of any name.
      ({ id, path }) => path.includes('{') && !path.includes('runtimes') && id !== 'createDeployment',
    )) {
      if (operation.permission === 'user') continue;
      const { example } = operation;
      const headers = { authorization: `Bearer ${key}` };
      const answer = await ask(operation.method, pathOf(operation, fixtures), headers, example as object);
      assert.equal(answer.status, 404, `${operation.id}: ${answer.status} ${answer.text}`);
    }
    assert.deepEqual(rows.all(), present);
  });
});

test('an account that has reached a limit gets 402 with the figures', async () => {
  const operator = { authorization: `Bearer ${on.apiKey}` };
  const { id } = await create('/v1/accounts', { name: 'Small', limits: { variables: 1 } });
  const inIt = { ...operator, 'x-service-account': id };
  assert.equal((await ask('POST', '/v1/variables', inIt, { key: 'ONE', value: '1' })).status, 201);
  const refused = await ask('POST', '/v1/variables', inIt, { key: 'TWO', value: '2' });
  assert.equal(refused.status, 402);
  assertErrorShape(refused);
  const { message, attributes } = JSON.parse(refused.text) as { message: string; attributes: object };
  assert.match(message, /^1 of 1 variables used\. /);
  assert.deepEqual(attributes, { limited: 'variables', used: 1, limit: 1 });
});
