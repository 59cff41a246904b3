// Commands of the unmodified `checkly` command line that read and change the account, and the lines of the docs.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { blockOf, readPage } from '../support/pages.ts';
import {
  assertPrints,
  checklyProgram,
  cliEnvironment,
  type CliProject,
  emptyFolder,
  modules,
  outputOf,
  startCliProject,
} from '../support/checkly/checkly-cli.ts';
import { type Composed, startComposed } from '../support/service/composed.ts';
import { asker } from '../support/service/service.ts';
import { until } from '../support/until.ts';

const cleanups: (() => void | Promise<void>)[] = [];
const later = { after: (work: () => void | Promise<void>) => void cleanups.push(work) };
let on: Composed;
let cli: CliProject;
let { must } = asker(() => '');

before(async () => {
  on = await startComposed(later);
  ({ must } = asker(() => on.address, on.apiKey));
  cli = startCliProject(later, on);
});
after(async () => {
  for (const work of cleanups.toReversed()) await work();
});

test('the command line shows who and where it is', async () => {
  await assertPrints(cli, [
    ['whoami', /currently on account "Default" \(.*\) as an API key with the role operator\./],
    ['account plan', /Plan: Self-hosted[\s\S]*\nchecks +10000 /],
    ['members', /No account members found\./],
    ['runtimes', /"stage": "CURRENT"/],
    ['validate', /./],
    ['api /v1/accounts/me', /"name":"Default"/],
  ]);
});

test('the command line reads checks with their results, and channels', async () => {
  const request = { method: 'GET', url: 'http://127.0.0.1:1/' };
  const id = String((await must('POST', '/v1/checks/api', { name: 'Closed port', tags: ['shop'], request }))['id']);
  const config = { name: 'Hook', url: 'http://127.0.0.1:1/' };
  const channel = String((await must('POST', '/v1/alert-channels', { type: 'WEBHOOK', config }))['id']);
  const result = await until('a result', async () => {
    const { entries } = (await must('GET', `/v2/check-results/${id}`)) as { entries: { id: string }[] };
    return entries[0]?.id;
  });
  await assertPrints(cli, [
    ['checks list --tag shop --status failing', /Closed port +API +failing/],
    [`checks get ${id}`, /RECENT RESULTS[\s\S]*failing/],
    [`checks get ${id} --result ${result}`, /Status: +0 no response[\s\S]*connection refused by 127\.0\.0\.1:1/],
    ['checks stats', /Closed port +API +failing/],
    [`assets list --check-id ${id} --result-id ${result}`, /No assets found\./],
    ['alert-channels list', /webhook +Hook/],
    [`alert-channels get ${channel}`, /Enabled events: +failure, recovery/],
    [`alert-channels logs ${channel}`, /No alert channel logs found\./],
    [`checks delete ${id} --force`, /./],
  ]);
  assert.deepEqual(await must('GET', '/v1/checks'), []);
});

test('the command line keeps the environment variables of the account', async () => {
  const commands = [
    'env add SHOP_URL https://shop.example',
    'env add TOKEN hush-hush --secret',
    'env add SHOP_URL https://other.example',
    'env update SHOP_URL https://new.example',
    'env ls',
    'env pull --force',
    'env rm SHOP_URL --force',
    'env ls',
  ];
  const said = await cli.runAll(commands.map((command) => command.split(' ')));
  assert.deepEqual(
    said.map(({ code }) => code),
    [0, 0, 1, 0, 0, 0, 0, 0],
    JSON.stringify(said),
  );
  const [, , again, , listed, , , left] = said.map(({ out, err }) => out + err);
  assert.match(again ?? '', /"SHOP_URL" already exists/);
  assert.match(listed ?? '', /SHOP_URL=https:\/\/new\.example/);
  const pulled = readFileSync(join(cli.folder, '.env'), 'utf8');
  assert.match(pulled, /SHOP_URL=https:\/\/new\.example/);
  assert.doesNotMatch(JSON.stringify(said.slice(2)) + pulled, /hush-hush/, 'secrets never leave');
  assert.doesNotMatch(left ?? '', /SHOP_URL/);
});

test('what there is not is refused with a sentence', async () => {
  const queues = 'api /v1/private-locations/0199f0c4-0000-7000-8000-0000000000aa/metrics';
  const commands = ['account usage terms', queues];
  const said = await cli.runAll(commands.map((command) => command.split(' ')));
  for (const [index, { code, out, err }] of said.entries()) {
    assert.notEqual(code, 0, commands[index]);
    assert.match((out + err).replaceAll(/\s+/g, ' '), /Tocsin (has no|does not|stores no) [^.]+\./, commands[index]);
  }
});

test('hooks that import files and new snapshots are refused with a sentence', async (t) => {
  const hooked = startCliProject(t, on);
  for (const name of ['shop.check.ts', 'channels.ts']) rmSync(join(hooked.folder, name));
  writeFileSync(join(hooked.folder, 'token.js'), "export const token = 'x';\n");
  writeFileSync(join(hooked.folder, 'setup.js'), "import { token } from './token.js';\nconsole.log(token);\n");
  writeFileSync(
    join(hooked.folder, 'hooked.check.ts'),
    `import { ApiCheck, UrlMonitor } from 'checkly/constructs';
const request = { method: 'GET', url: 'http://127.0.0.1:1/' };
new ApiCheck('hooked', { name: 'Hooked', tags: ['hooked'], setupScript: { entrypoint: './setup.js' }, request });
new UrlMonitor('plain', { name: 'Plain', tags: ['plain'], request: { url: request.url } });
`,
  );
  const hooks = /check "hooked": setup and teardown scripts cannot import files\. Put the code into the script\./;
  const snapshots = /Tocsin does not update snapshots\. Update them with npx playwright test --update-snapshots/;
  const commands = [
    ['deploy --preview', hooks],
    ['test --tags hooked --location local', hooks],
    ['test --tags plain --location local --update-snapshots', snapshots],
  ] as const;
  const said = await Promise.all(commands.map(([command]) => hooked.run(...command.split(' '))));
  for (const [index, { code, out, err }] of said.entries()) {
    const [command, sentence] = commands[index] ?? ['', /^$/];
    assert.equal(code, 1, command);
    assert.match((out + err).replaceAll(/\s+/g, ' '), sentence, command);
  }
  assert.deepEqual(await must('GET', '/v1/test-sessions'), { length: 0, entries: [], nextId: null }, 'nothing ran');
});

test('a deployment replaces one in progress, if it is asked to', async (t) => {
  const one = startCliProject(t, on);
  for (const name of ['shop.check.ts', 'channels.ts']) rmSync(join(one.folder, name));
  const monitor = "new UrlMonitor('home', { name: 'Home', request: { url: 'http://127.0.0.1:1/' } });";
  writeFileSync(join(one.folder, 'home.check.ts'), `import { UrlMonitor } from 'checkly/constructs';\n${monitor}\n`);
  assert.equal((await one.run('deploy', '--force')).code, 0);
  on.raw
    .prepare("UPDATE deployments SET status = 'RUNNING', ended_at = NULL, leased_until = ? WHERE project = 'shop'")
    .run(Date.now() + 30_000);
  const { code, out, err } = await one.run('deploy', '--force', '--cancel-in-progress-deployment');
  assert.equal(code, 0, out + err);
  const statuses = on.raw.prepare("SELECT status FROM deployments WHERE project = 'shop' ORDER BY created_at").all();
  assert.deepEqual(
    statuses.map(({ status }) => status),
    ['CANCELLED', 'SUCCEEDED'],
  );
});

test('the ten lines of docs/monitoring-as-code.md lead from an empty folder to a deployed check', async (t) => {
  const lines = blockOf(readPage('docs/monitoring-as-code.md'), 'sh', 'checkly');
  assert.equal(lines.split('\n').length, 10);
  const folder = emptyFolder(t);
  // In place of the registry: the packages of this checkout.
  symlinkSync(modules, join(folder, 'installed'));
  const npm = `npm() { echo '{"type": "module"}' > package.json; ln -sfn "$PACKAGES" node_modules; }`;
  const npx = 'npx() { shift; "$NODE" "$CHECKLY" "$@"; }';
  const { CHECKLY_API_URL: _, CHECKLY_API_KEY: __, ...env } = cliEnvironment(on, folder);
  const given = { TOCSIN_URL: on.address, TOCSIN_API_KEY: on.apiKey, PACKAGES: join(folder, 'installed') };
  const child = spawn('sh', ['-ec', `${npm}\n${npx}\n${lines}`], {
    cwd: folder,
    env: { ...env, ...given, NODE: process.execPath, CHECKLY: checklyProgram },
  });
  const { code, out, err } = await outputOf(child);
  assert.equal(code, 0, `${out}\n${err}`);
  assert.match(out, /Successfully deployed project "Shop"[\s\S]*Home page +URL/);
});
