// Status pages of the unmodified `checkly` command line: constructs that are deployed, and the commands about them.
import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { blockOf, readPage } from '../support/pages.ts';
import { assertPrints, type CliProject, startCliProject } from '../support/checkly/checkly-cli.ts';
import { type Composed, startComposed } from '../support/service/composed.ts';
import { asker } from '../support/service/service.ts';
import { until } from '../support/until.ts';

type Row = Readonly<Record<string, unknown>>;

const cleanups: (() => void | Promise<void>)[] = [];
const later = { after: (work: () => void | Promise<void>) => void cleanups.push(work) };
let on: Composed;
let { must } = asker(() => '');

before(async () => {
  on = await startComposed(later, { TOCSIN_ROLES: 'api' });
  ({ must } = asker(() => on.address, on.apiKey));
});
after(async () => {
  for (const work of cleanups.toReversed()) await work();
});

const constructs = `import {
  StatusPage,
  StatusPageService,
  StatusPageV3,
  StatusPageV3AutomationRule,
  StatusPageV3Component,
  UrlMonitor,
} from 'checkly/constructs';

const checkout = new StatusPageService('checkout', { name: 'Checkout' });
new StatusPage('old', {
  name: 'Old',
  url: 'old',
  cards: [{ name: 'Shop', services: [checkout] }],
  redirectTo: 'https://shop.example',
  defaultTheme: 'DARK',
});
new UrlMonitor('home', {
  name: 'Home',
  tags: ['shop'],
  request: { url: 'http://127.0.0.1:1/' },
  triggerIncident: {
    service: checkout,
    severity: 'MINOR',
    name: 'Home is slow',
    description: 'We are looking into it.',
    notifySubscribers: false,
  },
});
const statusPage = new StatusPageV3('new', {
  name: 'New',
  url: 'new',
  description: 'The state of the shop.',
  footerText: 'Shop, Inc.',
  privacyPolicyLink: 'https://shop.example/privacy',
  themeColors: { light: { linkFontColor: '#06c' } },
});
const parent = new StatusPageV3Component('group', { statusPage, type: 'GROUP', name: 'Shop', displayOrder: 1 });
const api = new StatusPageV3Component('api', { statusPage, name: 'API', displayOrder: 1, parent });
new StatusPageV3Component('mail', { statusPage, name: 'Mail', displayOrder: 2, showHistoricalData: false });
new StatusPageV3AutomationRule('failures', {
  statusPage,
  name: 'Failures',
  firstUpdate: 'The API fails.',
  lastUpdate: 'The API works.',
  tags: ['shop'],
  components: [{ component: api, targetImpact: 'MAJOR_OUTAGE' }],
});
`;

/** A project with these constructs only. */
function statusProject(t: Parameters<typeof startCliProject>[0]): CliProject {
  const project = startCliProject(t, on);
  for (const name of ['shop.check.ts', 'channels.ts']) rmSync(join(project.folder, name));
  writeFileSync(join(project.folder, 'status.check.ts'), constructs);
  return project;
}

function edit({ folder }: CliProject, from: string, to: string): void {
  const path = join(folder, 'status.check.ts');
  const text = readFileSync(path, 'utf8');
  assert.ok(text.includes(from), from);
  writeFileSync(path, text.replace(from, to));
}

/** Runs a command that succeeds, and returns what it printed. */
async function checkly(project: CliProject, ...words: readonly string[]): Promise<string> {
  const { code, out, err } = await project.run(...words);
  assert.equal(code, 0, `checkly ${words.join(' ')}\n${out}\n${err}`);
  return out;
}

async function entries(path: string): Promise<ReadonlyMap<string, Row>> {
  const { entries: all } = (await must('GET', `/v1/status-pages${path}?limit=100`)) as { entries: Row[] };
  return new Map(all.map((each) => [String(each['name']), each]));
}

/** Names of cards and of their services. */
function cardsOf(page: Row | undefined): unknown {
  const cards = page?.['cards'] as { name: string; services: { name: string }[] }[];
  return cards.map(({ name, services }) => [name, services.map((service) => service.name)]);
}

test('every construct of status pages is deployed once, changed and destroyed', async (t) => {
  const project = statusProject(t);
  writeFileSync(
    join(project.folder, 'docs.check.ts'),
    blockOf(readPage('docs/monitoring-as-code.md'), 'js', 'status-page'),
  );
  assert.match(await checkly(project, 'deploy', '--preview'), /Create:[\s\S]* StatusPageV3: new\n/);
  assert.equal((await entries('')).size, 0, 'a preview changes nothing');
  const printed = await checkly(project, 'deploy', '--force', '--output');
  for (const construct of [
    'StatusPage: old',
    'StatusPageService: checkout',
    'StatusPageV3: new',
    'StatusPageV3Component: api',
  ])
    assert.ok(printed.includes(` ${construct}\n`), `${construct} in ${printed}`);

  const [pages, services] = [await entries(''), await entries('/services')];
  assert.deepEqual(cardsOf(pages.get('Old')), [['Shop', ['Checkout']]]);
  assert.deepEqual(cardsOf(pages.get('New')), [
    ['Shop', ['API']],
    ['Services', ['Mail']],
  ]);
  assert.deepEqual(cardsOf(pages.get('Status of the shop')), [['Services', ['Search']]]);
  assert.deepEqual(pages.get('New')?.['themeColors'], { light: '#0066cc', dark: null });
  assert.deepEqual(services.get('API')?.['tags'], ['shop']);
  assert.deepEqual(services.get('API')?.['incidents'], {
    mode: 'PUBLISH',
    afterMinutes: 0,
    severity: 'CRITICAL',
    name: null,
    description: 'The API fails.',
    resolution: 'The API works.',
    notifySubscribers: true,
  });
  assert.equal(services.get('Mail')?.['showHistory'], false);
  const [check] = (await must('GET', '/v1/checks')) as unknown as Row[];
  assert.deepEqual(check?.['triggerIncident'], {
    serviceId: services.get('Checkout')?.['id'],
    severity: 'MINOR',
    name: 'Home is slow',
    description: 'We are looking into it.',
    notifySubscribers: false,
  });

  edit(project, "name: 'Mail',", "name: 'Email',");
  edit(project, "'api', {", "'public-api', {");
  const changed = await checkly(project, 'deploy', '--force', '--output');
  assert.match(changed, /Delete:\n +StatusPageV3Component: api\n/);
  assert.match(changed, /Update and Unchanged:\n +StatusPageV3: new\n +StatusPageV3Component: mail\n/);
  assert.deepEqual([...(await entries('/services')).keys()].toSorted(), ['API', 'Checkout', 'Email', 'Search']);

  await checkly(project, 'destroy', '--force');
  await until('everything is gone', async () => (await entries('')).size + (await entries('/services')).size === 0);
});

test('a logo of another server is refused with a sentence', async (t) => {
  const project = statusProject(t);
  edit(project, "name: 'Old',", "name: 'Old', logo: 'https://shop.example/logo.png',");
  const { code, out, err } = await project.run('deploy', '--force');
  assert.equal(code, 1);
  const said = (out + err).replaceAll(/\s+/g, ' ');
  assert.match(said, /status page "old": logo must be a data URL .*, because pages load nothing from elsewhere/);
});

test('pages are listed, and incidents opened, updated and resolved', async (t) => {
  const project = statusProject(t);
  const { id: serviceId } = await must('POST', '/v1/status-pages/services', { name: 'Search' });
  const cards = [{ name: 'Shop', services: [serviceId] }];
  const { id } = await must('POST', '/v1/status-pages', { name: 'Example', url: 'example', cards });
  const about = ['--status-page-id', String(id), '--title', 'Search is slow', '--severity', 'major'];
  const [, , , opened = ''] = await assertPrints(project, [
    [['status-pages', 'list'], /Example +example +Shop +Search/],
    [['status-pages', 'list', '--compact'], /Example +example +- +1 /],
    [['status-pages', 'get', String(id)], /Theme: +AUTO[\s\S]*Shop +Search/],
    [['incidents', 'create', ...about, '--force'], /incidents update [0-9a-f-]{36}/],
  ]);
  const [, incident = ''] = /incidents update ([0-9a-f-]{36})/.exec(opened) ?? [];
  const change = ['--message', 'An index is missing.', '--status', 'identified', '--severity', 'minor', '--force'];
  await assertPrints(project, [
    [['incidents', 'update', incident, ...change], /An index is missing\.[\s\S]*minor/],
    [['incidents', 'list', '--status-page-id', String(id)], /Search is slow +minor +identified +1 /],
    [['incidents', 'resolve', incident, '--force'], /Incident Resolved/i],
    [['incidents', 'list'], /No incidents found\./],
    [['incidents', 'list', '--status', 'resolved'], /Search is slow +minor +resolved/],
  ]);
});
