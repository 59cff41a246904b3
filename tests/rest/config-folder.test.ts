// A folder of resource files that the service applies by itself.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { startComposed } from '../support/service/composed.ts';
import { asker } from '../support/service/service.ts';
import { until } from '../support/until.ts';

const folder = mkdtempSync(join(tmpdir(), 'tocsin-folder-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const check = (name: string, more = '') =>
  `  ${name}:\n    checkType: URL\n    name: ${name}\n    request: { url: "http://127.0.0.1:1/" }\n${more}`;
test('a folder publishes a status page with its logo, and what is not declared is unknown', async (t) => {
  const pages = join(folder, 'pages');
  mkdirSync(pages);
  const image = Buffer.from('89504e470d0a1a0a', 'hex');
  writeFileSync(join(pages, 'logo.png'), image);
  const write = (texts: string) =>
    writeFileSync(
      join(pages, 'a.yaml'),
      `checks:\n${check('internal')}statusServices:\n  shop: { name: Shop, checks: [internal] }\nstatusPages:\n  main:\n    name: Example\n    url: example\n    logoFile: logo.png\n    texts: { ${texts} }\n    cards: [{ name: Online, services: [shop] }]\n`,
    );
  write('services: What we run');
  const on = await startComposed(t, { TOCSIN_ROLES: 'api,upkeep', TOCSIN_CONFIG_FOLDER: pages });
  const visit = async (path = '') => fetch(`${on.address}/status/example/${path}`);
  const text = async () => (await visit()).text();
  await until('the page', async () => (await text()).includes('What we run'));
  const seen = await text();
  assert.match(seen, /Online[^]*Shop/);
  assert.doesNotMatch(seen, /internal|127\.0\.0\.1/);
  const [, path = ''] = /<img[^>]* src="\.?\/?([^"]+)"/.exec(seen) ?? [];
  assert.deepEqual(Buffer.from(await (await visit(path)).arrayBuffer()), image);
  write('services: Our systems');
  await until('the change', async () => (await text()).includes('Our systems'));
  const { must } = asker(() => on.address, on.apiKey);
  write('service: Our systems');
  const notice = await until('the notice', async () => {
    const notices = (await must('GET', '/v1/notices')) as unknown as { kind: string; message: string }[];
    return notices.find(({ kind }) => kind === 'config-folder-failed');
  });
  assert.match(notice.message, /pages\/a\.yaml:\d+:14: unknown field; did you mean "services"\?/);
  assert.match(await text(), /Our systems/);
});

const variables = 'variables:\n  TOKEN: { value: "${env:TOCSIN_FILE_TOKEN}", secret: true }\n';

test('a folder is applied at start and when it changes; what is wrong changes nothing, and what is removed stops', async (t) => {
  const [one, two] = [join(folder, 'one'), join(folder, 'two')];
  for (const each of [one, two]) mkdirSync(each);
  const current = join(folder, 'current');
  symlinkSync(one, current);
  const write = (text: string, name = 'shop.yaml', to = one) => writeFileSync(join(to, name), text);
  write(`project: shop\n${variables}checks:\n${check('home')}${check('cart')}`);
  const on = await startComposed(t, {
    TOCSIN_ROLES: 'api',
    TOCSIN_CONFIG_FOLDER: current,
    TOCSIN_FILE_TOKEN: 'hush-hush',
  });
  const { must } = asker(() => on.address, on.apiKey);
  const rows = async (path: string) => (await must('GET', path)) as unknown as Record<string, unknown>[];
  const checks = async (): Promise<string> =>
    (await rows('/v1/checks'))
      .map(({ name, activated }) => `${String(name)}${activated === true ? '' : ' (off)'}`)
      .sort()
      .join(', ');
  const became = (wanted: string) => until(wanted, async () => (await checks()) === wanted);
  const notices = async () => (await rows('/v1/notices')).filter(({ kind }) => kind === 'config-folder-failed');

  await became('cart, home');
  // The lock of an editor leads nowhere, and hides no change.
  symlinkSync('somebody@somewhere.1', join(one, '.#shop.yaml'));
  const owned = await rows('/v1/project-resources');
  assert.deepEqual(
    owned.map(({ project, source, logicalId }) => [project, source, logicalId]),
    [
      ['shop', 'folder', 'cart'],
      ['shop', 'folder', 'home'],
      ['shop', 'folder', 'TOKEN'],
    ],
  );
  const audited = on.raw.prepare("SELECT actor_name FROM audit_log WHERE operation = 'createDeployment'").all();
  assert.deepEqual(
    audited.map(({ actor_name: name }) => name),
    ['TOCSIN_CONFIG_FOLDER'],
  );

  write(`project: shop\n${variables}checks:\n${check('home', '    frequenzy: 5\n')}`);
  const [notice] = await until('the notice', async () => {
    const found = await notices();
    return found.length > 0 && found;
  });
  assert.match(String(notice?.['message']), /current\/shop\.yaml:9:5/);
  assert.match(String(notice?.['message']), /frequenzy/);
  assert.equal(await checks(), 'cart, home', 'a wrong file changes nothing');

  write(`project: shop\n${variables}checks:\n${check('home')}`);
  await became('cart (off), home');
  assert.deepEqual(await until('the end of the notice', async () => (await notices()).length === 0), true);
  const [cart] = await rows('/v1/project-resources?type=check');
  assert.match(String(cart?.['retiredAt']), /^20/, 'it is kept for a week');
  write(`checks:\n${check('cart')}`, 'more.yaml');
  await became('cart, home');

  rmSync(join(one, 'more.yaml'));
  await became('cart (off), home');
  on.raw.exec("UPDATE project_resources SET retired_at = 1000 WHERE logical_id = 'cart'");
  write(`project: shop\n${variables}checks:\n${check('home')}${check('help')}`, 'shop.yaml', two);
  symlinkSync(two, join(folder, 'next'));
  renameSync(join(folder, 'next'), current);
  await became('help, home');

  rmSync(join(two, 'shop.yaml'));
  await until('the notice of the empty folder', async () => /no resource files/.test(JSON.stringify(await notices())));
  assert.equal(await checks(), 'help, home', 'an empty folder changes nothing');

  await must('POST', '/v1/accounts', { name: 'Second' });
  write(`project: shop\n${variables}checks:\n${check('home')}`, 'shop.yaml', two);
  await until('the notice of two accounts', async () => /TOCSIN_CONFIG_ACCOUNT/.test(JSON.stringify(await notices())));
  assert.equal(await checks(), 'help, home', 'a folder without an account changes nothing');
  const own = (await rows('/v1/accounts')).find(({ name }) => name !== 'Second');
  const { key } = await must('POST', '/v1/api-keys', { name: 'member', role: 'admin', accountIds: [own?.['id']] });
  const member = asker(() => on.address, String(key));
  assert.doesNotMatch(
    JSON.stringify(await member.must('GET', '/v1/notices')),
    /config-folder/,
    'only operators see it',
  );
});
