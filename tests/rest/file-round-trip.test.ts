// An account that is exported as files and applied elsewhere is the same account; the documentation's example applies.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { statusPageCreate } from '#contract/status-pages/status-page.ts';
import { kindBodies } from '#contract/checks/check.ts';
import type { JsonObject } from '#domain/json.ts';
import { exportResources, type ExportedResources } from '#files/export.ts';
import type { FileSchema } from '#files/from-api.ts';
import { readFiles } from '#files/read-files.ts';
import { writeFile } from '#files/write.ts';
import { packageFolder } from '#lib/package-files.ts';
import { blockOf, readPage } from '../support/pages.ts';
import { type Composed, startComposed } from '../support/service/composed.ts';
import { asker } from '../support/service/service.ts';
import { until } from '../support/until.ts';

// eslint-disable-next-line typescript/no-explicit-any -- records of every type
type Row = Record<string, any>;
type Account = ReturnType<typeof asker>;

const cleanups: (() => void | Promise<void>)[] = [];
let on: Composed;
let own: Account;

before(async () => {
  const environment = { TOCSIN_ROLES: 'api', TOCSIN_SMTP_URL: 'smtp://127.0.0.1:9', TOCSIN_MAIL_FROM: 'a@b.example' };
  on = await startComposed({ after: (work) => void cleanups.push(work) }, environment);
  own = asker(() => on.address, on.apiKey);
});
after(async () => {
  for (const work of cleanups) await work();
});

const schema = JSON.parse(readFileSync(join(packageFolder, 'docs/schema.json'), 'utf8')) as FileSchema;

/** Deploys the text of a file, and returns what a second deployment would change. */
async function applied({ must }: Account, text: string, environment: Readonly<Record<string, string>>): Promise<Row[]> {
  const { resources } = readFiles([{ path: 'tocsin.yaml', text }], {
    environment: (name) => environment[name],
    readText: () => `import { test } from '@playwright/test';\ntest('x', async () => {});\n`,
    readBytes: () => Buffer.from(pixel.slice(pixel.indexOf(',') + 1), 'base64'),
  });
  const declared = resources.map(({ type, logicalId, payload }) => ({ type, logicalId, payload }));
  const begun = (await must('POST', '/v1/projects/shop/deployments', { resources: declared })) as Row;
  const path = `/v1/projects/shop/deployments/${begun['id']}`;
  const isEnded = async () => ((await must('GET', path)) as Row)['ended_at'] !== null;
  await until('the deployment ends', isEnded);
  const ended = (await must('GET', path)) as Row;
  assert.equal(ended['error'], null, JSON.stringify(ended['error']));
  assert.equal(ended['diff'].length, resources.length);
  return ((await must('POST', '/v1/projects/shop/deployments', { resources: declared, dryRun: true })) as Row)['diff'];
}

async function newAccount(name: string): Promise<Account> {
  const { id } = (await own.must('POST', '/v1/accounts', { name })) as Row;
  const { key } = (await own.must('POST', '/v1/api-keys', { name, role: 'admin', accountIds: [id] })) as Row;
  return asker(() => on.address, key);
}

async function resourcesOf({ must }: Account): Promise<ExportedResources> {
  const list = async (path: string) => (await must('GET', `/v1/${path}?limit=100`)) as unknown as JsonObject[];
  const entries = async (path: string) =>
    ((await must('GET', `/v1/${path}?limit=100`)) as Row)['entries'] as JsonObject[];
  return {
    variables: await list('variables'),
    alertChannels: await list('alert-channels'),
    checkGroups: await list('check-groups'),
    checks: await list('checks'),
    maintenanceWindows: await list('maintenance-windows'),
    statusServices: await entries('status-pages/services'),
    statusPages: await entries('status-pages'),
  };
}

/** A check of each kind with settings that are not defaults, in a group, with channels of several kinds. */
async function fill({ must }: Account): Promise<void> {
  await must('POST', '/v1/variables', { key: 'PLAIN', value: 'costs $${x} ${env:HOME}' });
  await must('POST', '/v1/variables', { key: 'HUSH', value: 'quietword', secret: true });
  const channels = [
    { type: 'EMAIL', config: { address: 'ops@example.com' }, sendDegraded: true },
    { type: 'SLACK', config: { url: 'https://hooks.slack.com/services/quietword' } },
    { type: 'PAGERDUTY', config: { serviceKey: 'quietword' } },
    {
      type: 'WEBHOOK',
      config: {
        name: 'Hook',
        url: 'https://hook.example/',
        webhookSecret: 'quietword',
        template: '{\n  "a": "{{ALERT_TITLE}}"\n}',
      },
      autoSubscribe: true,
    },
  ];
  const ids: number[] = [];
  for (const channel of channels) ids.push(((await must('POST', '/v1/alert-channels', channel)) as Row)['id']);
  const group = (await must('POST', '/v2/check-groups', {
    name: 'Web shop',
    tags: ['shop', 'web'],
    apiCheckDefaults: { url: 'https://shop.example', basicAuth: { username: 'me', password: 'quietword' } },
    alertChannelSubscriptions: [{ alertChannelId: ids[0], activated: false }],
    retryStrategy: { type: 'FIXED', maxRetries: 1 },
  })) as Row;
  let before: string | null = null;
  for (const { schema: kind } of kindBodies) {
    const check: Row = await must('POST', '/v1/checks?autoAssignAlerts=false', {
      ...kind.example,
      checkType: kind.type,
      ...(kind.type === 'BROWSER' && {
        scriptPath: 'specs/home.spec.ts',
        dependencies: [{ path: 'specs/page.ts', content: 'export const path = `/${1}`;\n' }],
      }),
      description: `Line one of ${kind.name}\n\n  line two: "quoted"`,
      frequency: 30,
      groupId: group['id'],
      dependsOn: before === null ? [] : [before],
      environmentVariables: [{ key: 'OWN', value: 'quietword', secret: true }],
      alertChannelSubscriptions:
        before === null ? [] : [{ alertChannelId: ids[1], escalationMinutes: 5 }, { alertChannelId: ids[2] }],
      useGlobalAlertSettings: false,
      alertSettings: { escalationType: 'TIME_BASED', timeBasedEscalation: { minutesFailingThreshold: 10 } },
    });
    before = check['id'];
  }
  await must('POST', '/v1/maintenance-windows', {
    name: 'Nights',
    checkIds: [before],
    groupIds: [group['id']],
    startsAt: '2030-01-01T22:00:00Z',
    endsAt: '2030-01-01T23:00:00Z',
    repeatUnit: 'DAY',
    timezone: 'Europe/Berlin',
  });
  const rule = { mode: 'PUBLISH', afterMinutes: 5, name: 'No calls', description: 'Sorry', resolution: 'Back' };
  const services: Row[] = [];
  for (const service of [
    { name: 'Shop', checkIds: [before], groupIds: [group['id']], tags: ['web'], threshold: { of: 'CHECKS', count: 2 } },
    { name: 'Telephone', description: 'By voice', incidents: rule, showHistory: false },
  ])
    services.push(await must('POST', '/v1/status-pages/services', service));
  const serviceIds = services.map((service) => service['id'] as string);
  const trigger = { serviceId: serviceIds[0], name: 'Orders fail', description: 'We are looking into it.' };
  await must('PUT', `/v1/checks/${before}`, { triggerIncident: trigger });
  await must('POST', '/v1/status-pages', {
    name: 'Plain',
    url: 'plain-page',
    description: 'In short',
    isPublished: false,
    defaultTheme: 'DARK',
    favicon: pixel,
    redirectTo: 'https://shop.example/',
    footerText: 'Thank you',
    language: 'de',
    timeZone: 'Europe/Berlin',
    showResponseTimes: true,
    allowIndexing: false,
    allowSubscribers: false,
    alertChannelIds: [ids[3]],
  });
  await must('POST', '/v1/status-pages', {
    name: 'Status of the shop',
    url: 'shop-page',
    customDomain: 'status.shop.example',
    visibility: 'PASSWORD',
    password: 'quietword',
    logo: pixel,
    themeColors: { light: '#0a5c36' },
    links: [{ label: 'Help', url: 'mailto:help@shop.example' }],
    texts: { services: 'Systems', 'headline.operational': 'All is well at {time}: ${env:HOME}' },
    cards: [
      { name: 'Online', services: serviceIds },
      { name: 'Again', services: serviceIds.slice(1) },
    ],
  });
}

/** A PNG image of one pixel. */
const pixel =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Addresses of pages are unique in the installation. */
const withOtherAddresses = (text: string): string =>
  text.replace(/url: (plain|shop)-page/g, 'url: $1-other').replace('status.shop.example', 'status.other.example');

test('an account that is exported and applied elsewhere is the same, and has nothing to do', async () => {
  await fill(own);
  const { file, placeholders } = exportResources(schema, await resourcesOf(own), () => undefined);
  const text = withOtherAddresses(writeFile(file));
  assert.doesNotMatch(text, /quietword|\*\*\*|created_at|pingToken/i);
  assert.equal(kindBodies.length, Object.keys(file.checks ?? {}).length);
  const ofPages = new Set(Object.values(file.statusPages ?? {}).flatMap((page) => Object.keys(page)));
  assert.deepEqual([...ofPages].sort(), Object.keys(statusPageCreate.shape).sort(), 'it has every field of a page');
  assert.match(text, /alertChannelIds: \[hook\]/);
  const accepts = new Ajv2020({ strict: false, validateFormats: false }).compile(schema);
  assert.ok(accepts(parse(text)), JSON.stringify(accepts.errors));
  const environment = Object.fromEntries(
    placeholders.map(({ name, used }) => [
      name,
      used.endsWith('url') ? 'https://hooks.slack.com/services/quietword' : 'quietword',
    ]),
  );
  const other = await newAccount('Elsewhere');
  assert.deepEqual(await applied(other, text, environment), []);
  const owned = (await other.must('GET', '/v1/project-resources?limit=100')) as unknown as Row[];
  const again = exportResources(
    schema,
    await resourcesOf(other),
    (type, id) => owned.find((one) => one['type'] === type && one['physicalId'] === id)?.['logicalId'],
  );
  assert.equal(writeFile(again.file), text, 'logical IDs stay, and the order does not depend on others');
});

test('the status page of the documentation is valid, and a second time there is nothing to do', async () => {
  const other = await newAccount('Page');
  const example = blockOf(readPage('docs/monitoring-as-code.md'), 'yaml', 'page');
  assert.deepEqual(await applied(other, example, { STATUS_PASSWORD: 'quietword' }), []);
  const [page] = (await resourcesOf(other)).statusPages ?? [];
  assert.deepEqual([page?.['logo'], page?.['hasPassword']], [pixel, true]);
});

test('the example of the documentation is valid, and a second time there is nothing to do', async () => {
  const page = readPage('docs/files.md');
  const other = await newAccount('Example');
  const example = blockOf(page, 'yaml');
  assert.deepEqual(await applied(other, example, { SHOP_TOKEN: 'quietword' }), []);
  for (const name of Object.keys(schema['properties'] as JsonObject)) {
    assert.match(example, new RegExp(`^${name}:`, 'm'), `the example has ${name}`);
  }
});
