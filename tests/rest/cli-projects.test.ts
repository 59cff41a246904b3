// Deployments as the `checkly` command line sends and reads them.
import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { after, before, test } from 'node:test';
import { type Composed, startComposed } from '../support/service/composed.ts';
import { until } from '../support/until.ts';

type Json = Readonly<Record<string, unknown>>;

let on: Composed;
const cleanups: (() => void | Promise<void>)[] = [];
before(async () => {
  on = await startComposed({ after: (work) => void cleanups.push(work) }, { TOCSIN_ROLES: 'api' });
});
after(async () => {
  for (const work of cleanups) await work();
});

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly body: Json;
}

/** Bodies are compressed and of unknown length, as the command line sends them. */
async function ask(method: string, path: string, body?: object, key = on.apiKey): Promise<Answer> {
  const answer = await fetch(on.address + path, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      'x-checkly-source': 'CLI',
      ...(body && { 'content-type': 'application/json', 'content-encoding': 'gzip' }),
    },
    ...(body && { body: new Blob([gzipSync(JSON.stringify(body))]).stream(), duplex: 'half' }),
  });
  const text = await answer.text();
  const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true;
  return { status: answer.status, text, body: (isJson ? JSON.parse(text) : {}) as Json };
}

const check = (logicalId: string, payload: object = {}) => ({
  logicalId,
  type: 'check',
  member: true,
  payload: { checkType: 'URL', name: logicalId, request: { url: 'http://127.0.0.1:1/' }, ...payload },
});
const project = (logicalId: string, ...resources: readonly object[]) => ({
  project: { logicalId, name: 'Shop' },
  sharedFiles: [],
  resources,
  repoInfo: null,
});
const deploy = (sent: object, query = 'dryRun=false&scheduleOnDeploy=true') =>
  ask('POST', `/v1/projects/deploy?${query}`, sent);

/** The last event of a deployment. */
async function ended(logicalId: string, { body }: Answer): Promise<Json> {
  const { status, text } = await ask('GET', `/v1/projects/${logicalId}/deployments/${String(body['id'])}/events`);
  assert.equal(status, 200, text);
  const [, data = ''] = /event: complete\ndata: (.*)\n\n$/.exec(text) ?? assert.fail(text);
  const [, progress = ''] = /^event: progress\ndata: (.*)\n\n/.exec(text) ?? assert.fail(text);
  assert.equal(typeof (JSON.parse(progress) as Json)['progress'], 'number');
  return JSON.parse(data) as Json;
}

const diffOf = (deployment: Json) => (deployment['result'] as { diff: Json[] }).diff;

test('a dry run answers with the diff, and a deployment is followed to its end', async () => {
  const sent = project('shop', check('home'));
  const preview = await deploy(sent, 'dryRun=true&scheduleOnDeploy=true');
  assert.deepEqual(
    [preview.status, preview.body],
    [
      200,
      {
        project: { logicalId: 'shop', name: 'Shop', repoUrl: null },
        diff: [{ type: 'check', logicalId: 'home', physicalId: null, action: 'CREATE' }],
      },
    ],
  );
  const started = await deploy(sent);
  assert.equal(started.status, 202, started.text);
  const deployment = await ended('shop', started);
  assert.deepEqual([deployment['status'], deployment['progress'], deployment['error']], ['SUCCEEDED', 100, null]);
  const [created] = diffOf(deployment);
  assert.equal((await ask('GET', `/v1/checks/${String(created?.['physicalId'])}`)).body['name'], 'home');

  const id = String(deployment['id']);
  for (const [method, end] of [
    ['GET', ''],
    ['GET', '/completion?maxWaitSeconds=30'],
    ['POST', '/cancel'],
  ] as const)
    assert.deepEqual((await ask(method, `/v1/projects/shop/deployments/${id}${end}`)).body, deployment, end);
  assert.deepEqual(diffOf(await ended('shop', await deploy(sent))), [], 'there is nothing to do');
});

test('what is no longer declared is deleted, or kept without an owner', async () => {
  await ended('pruned', await deploy(project('pruned', check('one'), check('two'), check('three'))));
  const kept = await deploy(project('pruned', check('two'), check('three')), 'dryRun=false&preserveResources=true');
  assert.deepEqual(
    diffOf(await ended('pruned', kept)).map(({ logicalId, action }) => [logicalId, action]),
    [['one', 'DETACHED']],
  );
  const pruned = diffOf(await ended('pruned', await deploy(project('pruned', check('two')))));
  assert.deepEqual(
    pruned.map(({ logicalId, action }) => [logicalId, action]),
    [['three', 'DELETE']],
  );
  const names = ((await ask('GET', '/v1/checks?limit=100')).body as unknown as Json[]).map(({ name }) => name);
  assert.deepEqual([names.includes('one'), names.includes('two'), names.includes('three')], [true, true, false]);
});

test('a check runs at a private location that the project refers to', async () => {
  const { id } = (await ask('POST', '/v1/private-locations', { name: 'Office', slugName: 'office' })).body;
  const type = 'private-location-check-assignment';
  const refs = { privateLocationId: { ref: 'existing' }, checkId: { ref: 'inside' } };
  const sent = (physicalId: unknown) =>
    project(
      'inside',
      check('inside'),
      { logicalId: 'existing', type: 'private-location', member: false, physicalId, payload: null },
      { logicalId: 'assigned', type, member: true, payload: refs },
    );
  const [created] = diffOf(await ended('inside', await deploy(sent(id))));
  const { body } = await ask('GET', `/v1/checks/${String(created?.['physicalId'])}`);
  assert.deepEqual(body['privateLocations'], ['office']);
  const unknown = await deploy(sent('0199f0c4-0000-7000-8000-0000000000ff'));
  assert.equal(unknown.body['message'], `${type} "assigned": the private location is unknown.`);
});

test('refusals name the construct, and nothing is applied', async () => {
  const wrong = project('wrong', check('home'), check('shop', { request: { url: 'shop.example' }, colour: 'red' }));
  for (const query of ['dryRun=true', 'dryRun=false']) {
    const refused = await deploy(wrong, query);
    assert.equal(refused.status, 400, refused.text);
    assert.match(String(refused.body['message']), /^check "shop": \S.*\ncheck "shop": \S/);
  }
  const mars = await ended('mars', await deploy(project('mars', check('far', { locations: ['mars'] }))));
  assert.match(String((mars['error'] as Json)['message']), /^check "far": locations\[0\] must be /);
  const dangling = await deploy(project('dangling', check('home', { groupId: { ref: 'web' } })));
  assert.match(String(dangling.body['message']), /^check "home": groupId .*"web"/);
  const odd = await deploy(project('odd', { logicalId: 'x', type: 'constructor', member: true, payload: {} }));
  assert.equal(odd.body['message'], 'constructor "x": Tocsin has no resources of the type constructor.');
  for (const name of ['wrong', 'mars', 'dangling', 'odd'])
    assert.equal((await ask('GET', `/v1/projects/${name}`)).status, 404, name);
});

test('while a deployment is in progress, another gets its ID to wait for it', async () => {
  const first = await ended('busy', await deploy(project('busy', check('one'))));
  const reopen = "UPDATE deployments SET status = 'RUNNING', ended_at = NULL, leased_until = ? WHERE project = 'busy'";
  on.raw.prepare(reopen).run(Date.now() + 55_000);
  for (const refused of [await deploy(project('busy', check('two'))), await ask('DELETE', '/v1/projects/busy')])
    assert.deepEqual([refused.status, refused.body['deploymentId']], [409, first['id']], refused.text);
  const path = `/v1/projects/busy/deployments/${String(first['id'])}`;
  assert.equal((await ask('GET', `${path}/completion?maxWaitSeconds=1`)).status, 408);
  const cancelled = (await ask('POST', `${path}/cancel`)).body;
  assert.equal(cancelled['status'], 'CANCELLED');
  assert.match(String((cancelled['error'] as Json)['message']), /was cancelled, and nothing was changed/);
  assert.deepEqual((await ask('GET', `${path}/completion?maxWaitSeconds=30`)).body, cancelled);
  assert.equal((await deploy(project('busy', check('two')))).status, 202);
});

test('a project is destroyed once, and no other account sees it', async () => {
  await ended('gone', await deploy(project('gone', check('last'))));
  const { id } = (await ask('POST', '/v1/accounts', { name: 'Other' })).body;
  const made = await ask('POST', '/v1/api-keys', { name: 'other', role: 'read-write', accountIds: [id] });
  const other = String(made.body['key']);
  const path = '/v1/projects/gone?preserveResources=false&dryRun=';
  assert.deepEqual((await ask('DELETE', `${path}false`, undefined, other)).body, {}, 'to another, it is not there');
  assert.equal((await ask('DELETE', `${path}true`)).status, 400, 'it cannot be tried');
  const destroyed = await ask('DELETE', `${path}false`);
  assert.equal(destroyed.status, 202, destroyed.text);
  await until('its end', async () => (await ask('GET', '/v1/projects/gone')).status === 404);
  const again = await ask('DELETE', `${path}false`);
  assert.deepEqual([again.status, again.body], [200, {}], 'there is nothing to do');
});
