// Projects over HTTP: deployments, their diffs, what they own, and what becomes of the rest.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { AnswerOf } from '#contract/operations.ts';
import { type Composed, startComposed } from '../support/service/composed.ts';
import { asker } from '../support/service/service.ts';
import { mostOwnedBytes } from '#domain/projects/resource.ts';
import { mask } from '#domain/deliveries/shown-url.ts';
import { until } from '../support/until.ts';

type Deployment = AnswerOf<'createDeployment'>;
// eslint-disable-next-line typescript/no-explicit-any -- records of every type
type Row = Record<string, any>;

const cleanups: (() => void | Promise<void>)[] = [];
let on: Composed;
let { must, api } = asker(() => '');

before(async () => {
  on = await startComposed({ after: (work) => void cleanups.push(work) }, { TOCSIN_ROLES: 'api' });
  ({ must, api } = asker(() => on.address, on.apiKey));
});
after(async () => {
  for (const work of cleanups) await work();
});

const url = (logicalId: string, payload: object = {}) => ({
  type: 'check',
  logicalId,
  payload: { checkType: 'URL', name: logicalId, request: { url: 'http://127.0.0.1:1/' }, ...payload },
});
const channel = (logicalId: string, name = logicalId) => ({
  type: 'alert-channel',
  logicalId,
  payload: { type: 'WEBHOOK', config: { name, url: 'http://127.0.0.1:1/hook', webhookSecret: 'whisper' } },
});

/** One of every type, with references among them. */
const shop = (more: object = {}) => [
  url('home', {
    groupId: { ref: 'web' },
    alertChannelSubscriptions: [{ alertChannelId: { ref: 'ops' }, activated: true }],
    dependsOn: [{ ref: 'gate' }],
    environmentVariables: [{ key: 'TOKEN', value: 'hush-hush', secret: true }],
    ...more,
  }),
  url('gate'),
  channel('ops'),
  { type: 'check-group', logicalId: 'web', payload: { name: 'Web', tags: ['shop'] } },
  { type: 'variable', logicalId: 'SHOP', payload: { key: 'SHOP', value: 'https://shop.example' } },
  {
    type: 'maintenance-window',
    logicalId: 'nights',
    payload: {
      name: 'Nights',
      checkIds: [{ ref: 'home' }],
      startsAt: '2030-01-01T00:00:00Z',
      endsAt: '2030-01-01T01:00:00Z',
    },
  },
];

const dryRun = async (project: string, resources: readonly object[], more: object = {}): Promise<Deployment> =>
  (await must('POST', `/v1/projects/${project}/deployments`, { resources, dryRun: true, ...more })) as never;

/** Deploys, and waits for the end. */
async function deploy(project: string, resources: readonly object[], more: object = {}): Promise<Deployment> {
  const begun = await api('POST', `/v1/projects/${project}/deployments`, { resources, ...more });
  assert.equal(begun.status, 202, JSON.stringify(begun.body));
  return ended(project, begun.body as never);
}

async function ended(project: string, { id }: Deployment): Promise<Deployment> {
  return (await must('GET', `/v1/projects/${project}/deployments/${id}/completion`)) as never;
}

const brief = ({ diff }: Deployment) =>
  (diff ?? []).map(({ action, type, logicalId }) => `${action} ${type} ${logicalId}`).sort();
const list = async (path: string) => (await must('GET', path)) as unknown as Row[];

test('a project is created, changed and deleted as declared, and a second deployment has nothing to do', async () => {
  const tried = await dryRun('shop', shop());
  assert.deepEqual([tried.id, tried.status, tried.dryRun], [null, 'SUCCEEDED', true]);
  assert.equal((await list('/v1/checks')).length, 0, 'a dry run changes nothing');
  const first = await deploy('shop', shop());
  assert.deepEqual([first.status, first.error], ['SUCCEEDED', null]);
  const created = [
    'alert-channel ops',
    'check gate',
    'check home',
    'check-group web',
    'maintenance-window nights',
    'variable SHOP',
  ];
  assert.deepEqual(
    brief(first),
    created.map((name) => `CREATE ${name}`),
  );
  const owned = await list('/v1/project-resources?limit=100');
  assert.deepEqual(
    owned.map(({ project, type, logicalId }) => [project, `${type} ${logicalId}`]),
    created.map((name) => ['shop', name]),
  );
  assert.deepEqual(
    (first.diff ?? []).map(({ physicalId }) => String(physicalId)).sort(),
    owned.map(({ physicalId }) => String(physicalId)).sort(),
    'it names what it created',
  );
  const idOf = (logicalId: string): string => owned.find((one) => one['logicalId'] === logicalId)?.['physicalId'];
  const home = (await must('GET', `/v1/checks/${idOf('home')}`)) as Row;
  assert.deepEqual([home['groupId'], home['dependsOn']], [Number(idOf('web')), [idOf('gate')]]);
  assert.deepEqual(home['alertChannelSubscriptions'], [
    { alertChannelId: Number(idOf('ops')), activated: true, escalationMinutes: 0 },
  ]);
  const [window] = await list('/v1/maintenance-windows');
  assert.deepEqual(window?.['checkIds'], [idOf('home')]);

  assert.deepEqual(brief(await deploy('shop', shop())), [], 'nothing differs');
  const masked = shop({ environmentVariables: [{ key: 'TOKEN', value: mask, secret: true }] });
  assert.deepEqual(brief(await dryRun('shop', masked)), [], 'a masked secret keeps its value');

  const changed = shop({ frequency: 5, environmentVariables: [{ key: 'TOKEN', value: 'other', secret: true }] });
  const diff = (await dryRun('shop', changed)).diff ?? [];
  assert.deepEqual(
    diff.map(({ logicalId, action, changes }) => [logicalId, action, changes]),
    [
      [
        'home',
        'UPDATE',
        [
          { field: 'frequency', from: 10, to: 5 },
          { field: 'environmentVariables[0].value', secret: true },
        ],
      ],
    ],
  );
  await deploy('shop', changed);
  assert.equal((await must('GET', `/v1/checks/${idOf('home')}`))['frequency'], 5);

  const small = [url('gate'), channel('ops')];
  assert.deepEqual(brief(await dryRun('shop', small)), [], 'without prune, what is no longer declared is kept');
  const gone = ['check home', 'check-group web', 'maintenance-window nights', 'variable SHOP'];
  assert.deepEqual(
    brief(await deploy('shop', small, { prune: true })),
    gone.map((name) => `DELETE ${name}`),
  );
  assert.deepEqual(
    (await list('/v1/checks')).map(({ name }) => name),
    ['gate'],
  );
  assert.deepEqual([(await list('/v1/check-groups')).length, (await list('/v1/variables')).length], [0, 0]);
  assert.equal((await must('GET', '/v1/projects/shop'))['resources'], 2);

  const kept = await api('DELETE', '/v1/projects/shop?preserveResources=true');
  assert.deepEqual(brief(await ended('shop', kept.body as never)), ['DETACH alert-channel ops', 'DETACH check gate']);
  assert.equal((await api('GET', '/v1/projects/shop')).status, 404);
  assert.equal((await list('/v1/checks')).length, 1, 'the check stays, without an owner');
  const audited = on.raw
    .prepare(
      "SELECT DISTINCT operation FROM audit_log WHERE operation LIKE '%eploy%' OR operation LIKE '%Project' ORDER BY operation",
    )
    .all();
  assert.deepEqual(
    audited.map(({ operation }) => operation),
    ['createDeployment', 'deleteProject'],
  );
});

test('what is wrong is named by its path, and nothing is half done', async () => {
  const faults = async (...resources: readonly object[]) => {
    const answer = await api('POST', '/v1/projects/wrong/deployments', { resources });
    assert.equal(answer.status, 400, JSON.stringify(answer.body));
    return (answer.body as { attributes: Record<string, string> }).attributes;
  };
  const before = (await list('/v1/checks')).length;
  assert.deepEqual(
    Object.keys(await faults(url('a', { frequency: 7, nmae: 'x' }), url('b', { groupId: { ref: 'nowhere' } }))),
    ['resources[0].payload.frequency', 'resources[0].payload.nmae', 'resources[1].payload.groupId'],
  );
  assert.match((await faults(url('a'), url('a')))['resources[1].logicalId'] ?? '', /resources\[0\]/);
  const draft = await api('POST', '/v1/projects/wrong/deployments', {
    resources: [url('a'), url('b', { locations: ['mars'] })],
    dryRun: true,
  });
  assert.deepEqual(
    [draft.status, Object.keys((draft.body as { attributes: object }).attributes)],
    [400, ['resources[1].payload.locations[0]']],
  );
  const failed = await deploy('wrong', [
    url('a', { dependsOn: [{ ref: 'b' }] }),
    url('b', { dependsOn: [{ ref: 'a' }] }),
  ]);
  assert.deepEqual(
    [failed.status, Object.keys(failed.error?.attributes ?? {})],
    ['FAILED', ['resources[0].payload.dependsOn']],
  );
  assert.equal((await list('/v1/checks')).length, before);
  assert.equal(
    (await api('GET', '/v1/projects/wrong')).status,
    404,
    'a project that never was deployed does not exist',
  );
});

test('a variable that exists becomes part of the project, but not that of another project', async () => {
  await must('POST', '/v1/variables', { key: 'REGION_NAME', value: 'eu' });
  const variable = { type: 'variable', logicalId: 'REGION_NAME', payload: { key: 'REGION_NAME', value: 'us' } };
  assert.deepEqual(brief(await deploy('one', [variable])), ['UPDATE variable REGION_NAME']);
  const other = await api('POST', '/v1/projects/two/deployments', { resources: [variable] });
  assert.match(JSON.stringify(other.body), /is a variable of the project \\"one\\"/);
  const renamed = { ...variable, payload: { key: 'OTHER_NAME', value: 'us' } };
  const refused = await api('POST', '/v1/projects/one/deployments', { resources: [renamed] });
  assert.match(
    JSON.stringify(refused.body),
    /"resources\[0\]\.logicalId":"must be the key of the variable: OTHER_NAME"/,
  );
});

test('a group may need a check of the same declaration', async () => {
  const web = { type: 'check-group', logicalId: 'web', payload: { name: 'Web', dependsOn: [{ ref: 'router' }] } };
  const { status } = await deploy('needs', [web, url('router'), url('page', { groupId: { ref: 'web' } })]);
  assert.equal(status, 'SUCCEEDED');
  const [group] = await list('/v1/check-groups?name=Web');
  const [router] = await list('/v1/checks?search=router');
  assert.deepEqual(group?.['dependsOn'], [router?.['id']]);
});

test('channels that a declaration does not list stay, and those that it no longer lists go', async () => {
  const hook = (await must('POST', '/v1/alert-channels', { ...channel('auto').payload, autoSubscribe: true })) as {
    id: number;
  };
  const subscribed = async () => (await list('/v1/checks?search=chan'))[0]?.['alertChannelSubscriptions'].length;
  await deploy('chans', [url('chan')]);
  assert.equal(await subscribed(), 1, 'a new check gets the channels with autoSubscribe');
  assert.deepEqual(brief(await dryRun('chans', [url('chan')])), []);
  const listing = [url('chan', { alertChannelSubscriptions: [{ alertChannelId: hook.id, activated: false }] })];
  assert.deepEqual(brief(await deploy('chans', listing)), ['UPDATE check chan']);
  assert.deepEqual(brief(await deploy('chans', [url('chan')])), ['UPDATE check chan']);
  assert.equal(await subscribed(), 0);
});

test('of two deployments at once one wins, and a check deleted by hand is created again', async () => {
  const manyOf = (project: string) => Array.from({ length: 300 }, (_, index) => url(`${project} ${index}`));
  /** The two answers, and their project: on a fast machine the first may end before the second begins. */
  const clash = async (round = 1): Promise<{ readonly project: string; readonly winner: Row; readonly loser: Row }> => {
    const project = `many-${round}`;
    const path = `/v1/projects/${project}/deployments`;
    const answers = await Promise.all([1, 2].map(() => api('POST', path, { resources: manyOf(project) })));
    const [winner, loser] = answers.toSorted((one, two) => one.status - two.status);
    assert.ok(winner !== undefined && loser !== undefined);
    assert.equal(winner.status, 202);
    if (loser.status === 409) return { project, winner: winner.body, loser: loser.body };
    assert.equal(loser.status, 202);
    assert.ok(round < 20, 'no two deployments were in progress at once');
    return clash(round + 1);
  };
  const { project, winner, loser } = await clash();
  const begun = winner as never as Deployment;
  assert.equal(loser['attributes'].deploymentId, begun.id);
  const events = await fetch(`${on.address}/v1/projects/${project}/deployments/${begun.id}/events`, {
    headers: { authorization: `Bearer ${on.apiKey}` },
  });
  assert.match(await events.text(), /^event: progress\ndata: \{"progress":[\s\S]*event: complete\ndata: \{"id"/);
  const [first] = await list(`/v1/checks?search=${project}%20299`);
  await must('DELETE', `/v1/checks/${first?.['id']}`);
  assert.deepEqual(brief(await deploy(project, manyOf(project))), [`CREATE check ${project} 299`]);
  const begunEnd = await api('DELETE', `/v1/projects/${project}`);
  assert.equal(begunEnd.status, 202);
  await until('the end of the deletion', async () => {
    const seen = (await must(
      'GET',
      `/v1/projects/${project}/deployments/${(begunEnd.body as Deployment).id}`,
    )) as unknown as Deployment;
    return seen.status === 'SUCCEEDED';
  });
  assert.equal((await list(`/v1/checks?search=${project}%20`)).length, 0);
});

test('a project that takes too much memory is refused with its size, and can be made smaller', async () => {
  const deployed = await deploy('large', [url('large')]);
  const id = deployed.diff?.[0]?.physicalId ?? '';
  const key = Buffer.from(id.replaceAll('-', ''), 'hex');
  const own = on.raw.prepare('SELECT octet_length(definition) + octet_length(tags) AS bytes FROM checks WHERE id = ?');
  const grow = on.raw.prepare('UPDATE checks SET definition = definition || ? WHERE id = ?');
  grow.run(' '.repeat(mostOwnedBytes - Number(own.get(key)?.['bytes'])), key);
  assert.equal((await dryRun('large', [url('large')])).diff?.length, 0, 'exactly at the limit');
  grow.run(' ', key);
  const { status, body } = await api('POST', '/v1/projects/large/deployments', { resources: [url('large')] });
  assert.equal(status, 402);
  assert.match(String(body['message']), /of the project take 97 MB; at most 96 MB can be deployed/);
  assert.equal((await api('DELETE', `/v1/checks/${id}`)).status, 204);
  await deploy('large', [url('large')]);
});

test('a key that may only read deploys nothing, and another account sees no project', async () => {
  const reader = (await must('POST', '/v1/api-keys', { name: 'reader', role: 'read-only' })) as { key: string };
  const { api: asReader } = asker(() => on.address, reader.key);
  assert.equal((await asReader('POST', '/v1/projects/x/deployments', { resources: [], dryRun: true })).status, 403);
  assert.equal((await asReader('GET', '/v1/projects')).status, 200);
});

test('private locations and snippets are deployed with what names them, and pruned with it', async () => {
  const office = {
    type: 'private-location',
    logicalId: 'office',
    payload: { name: 'Office', slugName: 'deployed-office' },
  };
  const login = { type: 'snippet', logicalId: 'login', payload: { name: 'Log in', script: 'await 1;' } };
  const intranet = {
    type: 'check-group',
    logicalId: 'intranet',
    payload: { name: 'Intranet', privateLocations: ['deployed-office'], setupSnippetId: { ref: 'login' } },
  };
  const declared = [office, login, intranet, url('wiki', { groupId: { ref: 'intranet' } })];
  const dangling = await api('POST', '/v1/projects/places/deployments', { resources: [login, intranet], dryRun: true });
  assert.match(JSON.stringify(dangling.body), /resources\[1\]\.payload\.privateLocations\[0\]/);
  const wrong = { ...login, payload: { name: 'Log in', script: 'const = 1' } };
  const refused = await api('POST', '/v1/projects/places/deployments', { resources: [wrong], dryRun: true });
  assert.match(JSON.stringify(refused.body), /resources\[0\]\.payload\.script.*not a valid script/);

  const first = await deploy('places', declared);
  assert.equal(first.error, null);
  const groups = await list('/v1/check-groups?limit=100');
  const [snippet] = await list('/v1/snippets');
  const group = groups.find(({ name }) => name === 'Intranet');
  assert.deepEqual([group?.['privateLocations'], group?.['setupSnippetId']], [['deployed-office'], snippet?.['id']]);
  assert.deepEqual(brief(await deploy('places', declared)), []);
  const moved = { ...office, payload: { ...office.payload, slugName: 'cellar' } };
  const fixed = await api('POST', '/v1/projects/places/deployments', { resources: [moved], dryRun: true });
  assert.match(JSON.stringify(fixed.body), /cannot be changed from deployed-office/);
  const renamed = { ...office, payload: { ...office.payload, name: 'Office 2' } };
  assert.deepEqual(brief(await deploy('places', [renamed, ...declared.slice(1)])), ['UPDATE private-location office']);

  await deploy('places', [], { prune: true });
  await until('nothing is left', async () => (await list('/v1/snippets')).length === 0);
  assert.deepEqual(await list('/v1/private-locations'), []);
});

test('a declared status page keeps its cards and password, is refused with the field, and is pruned', async () => {
  const service = { type: 'status-service', logicalId: 'cart', payload: { name: 'cart', checkIds: [{ ref: 'buy' }] } };
  const page = (more: object = {}) => ({
    type: 'status-page',
    logicalId: 'main',
    payload: {
      name: 'Example status',
      url: 'declared',
      visibility: 'PASSWORD',
      password: 'hush-hush',
      cards: [
        { name: 'Shop', services: [{ ref: 'cart' }] },
        { name: 'Other', services: [] },
      ],
      ...more,
    },
  });
  const all = (more: object = {}) => [page(more), service, url('buy')];
  const created = await deploy('pages', all());
  assert.deepEqual(brief(created), ['CREATE check buy', 'CREATE status-page main', 'CREATE status-service cart']);
  const shown = async () => {
    const { entries } = (await must('GET', '/v1/status-pages?limit=100')) as Row;
    return (entries as Row[]).find((each) => each['url'] === 'declared');
  };
  const before = await shown();
  assert.deepEqual([before?.['hasPassword'], before?.['cards'][0].services[0].name], [true, 'cart']);
  assert.deepEqual(brief(await deploy('pages', all())), []);
  assert.deepEqual(
    brief(await dryRun('pages', all({ password: null }))),
    [],
    'an absent password keeps the stored one',
  );
  const secret = (await dryRun('pages', all({ password: 'other-hush' }))).diff?.[0]?.changes;
  assert.deepEqual(secret, [{ field: 'password', secret: true }]);

  const cards = [{ name: 'New', services: [] }, ...page().payload.cards];
  await deploy('pages', all({ cards, name: 'Changed' }));
  const after = await shown();
  assert.deepEqual(
    after?.['cards'].slice(1).map(({ id }: Row) => id),
    before?.['cards'].map(({ id }: Row) => id),
  );
  const faults = async (...resources: readonly object[]) => {
    const answer = await api('POST', '/v1/projects/unknown/deployments', { resources, dryRun: true });
    return (answer.body as { attributes: Record<string, string> }).attributes;
  };
  assert.match(String((await faults(page()))['resources[0].payload.cards[0].services[0]']), /service "cart"/);
  const plain = { cards: [], themeColors: { light: '#ffff00' }, logo: 'data:image/png;base64,PHN2Zz4=' };
  assert.deepEqual(Object.keys(await faults(page(plain))), [
    'resources[0].payload.themeColors.light',
    'resources[0].payload.logo',
  ]);
  const unknown = await faults(page({ cards: [], alertChannelIds: [999_999] }));
  assert.deepEqual(Object.keys(unknown), ['resources[0].payload.alertChannelIds']);
  const failed = await deploy('pages', [...all(), { ...page(), logicalId: 'second' }]);
  assert.match(failed.error?.message ?? '', /^status page "second": url is the address of the page "Example status"/);
  assert.deepEqual(brief(await deploy('pages', [url('buy')], { prune: true })), [
    'DELETE status-page main',
    'DELETE status-service cart',
  ]);
  assert.equal(await shown(), undefined);
});
