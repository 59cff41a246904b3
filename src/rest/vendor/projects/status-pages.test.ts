// Status pages of the `checkly` command line become pages with cards of services.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CliResource } from '#contract/vendor/cli-project.ts';
import type { JsonObject } from '#domain/json.ts';
import { declaredProject } from './declare.ts';

const outside = '0199f0c4-0000-7000-8000-0000000000aa';
const ref = (logicalId: string) => ({ ref: logicalId });

function resource(type: string, logicalId: string, payload: JsonObject | null, more: object = {}): CliResource {
  return { type, logicalId, payload, member: true, ...more };
}

function declared(...resources: readonly CliResource[]) {
  const project = { logicalId: 'shop', name: 'Shop', repoUrl: null };
  return declaredProject({ project, resources: [...resources], sharedFiles: [], repoInfo: null }, () => undefined);
}

const page = (fields: JsonObject = {}) => resource('status-page', 'p', { name: 'P', url: 'p', version: 3, ...fields });
const component = (logicalId: string, fields: JsonObject = {}, parent: string | null = null) =>
  resource('status-page-component', logicalId, {
    statusPageId: ref('p'),
    parentId: parent === null ? null : ref(parent),
    type: 'SERVICE',
    name: logicalId.toUpperCase(),
    displayOrder: 0,
    ...fields,
  });
const rule = (logicalId: string, fields: JsonObject = {}, targetImpact = 'MAJOR_OUTAGE') =>
  resource('status-page-automation-rule', logicalId, {
    statusPageId: ref('p'),
    name: 'internal',
    firstUpdate: 'It fails.',
    lastUpdate: 'It works.',
    tags: ['shop'],
    components: [{ componentId: ref('a'), targetImpact }],
    ...fields,
  });

test('cards name services of the project and others, and so does the incident of a check', () => {
  const { resources, refused } = declared(
    resource('status-page-service', 'checkout', { name: 'Checkout' }),
    resource('status-page-service', 'known', null, { member: false, physicalId: outside }),
    resource('status-page', 'public', {
      name: 'Public',
      url: 'public',
      cards: [{ name: 'Shop', services: [ref('checkout'), ref('known')] }, { name: 'Empty' }],
    }),
    resource('check', 'home', {
      checkType: 'URL',
      triggerIncident: { serviceId: ref('checkout'), severity: 'MAJOR', name: 'Home is down' },
    }),
    resource('check', 'other', { checkType: 'URL', triggerIncident: { serviceId: ref('known') } }),
  );
  assert.deepEqual(refused, []);
  const cards = [
    { name: 'Shop', services: [ref('checkout'), outside] },
    { name: 'Empty', services: [] },
  ];
  assert.deepEqual(
    resources.filter(({ type }) => type !== 'check'),
    [
      { type: 'status-service', logicalId: 'checkout', payload: { name: 'Checkout' } },
      { type: 'status-page', logicalId: 'public', payload: { name: 'Public', url: 'public', cards } },
    ],
  );
  assert.deepEqual(
    resources.filter(({ type }) => type === 'check').map(({ payload }) => payload['triggerIncident']),
    [{ serviceId: ref('checkout'), severity: 'MAJOR', name: 'Home is down' }, { serviceId: outside }],
  );
});

test('groups become cards, components services, and rules their tags and incidents', () => {
  const { resources, refused } = declared(
    page({
      supportLink: 'https://shop.example/help',
      themeColors: { light: { linkFontColor: '#06c', borderColor: '#eeeeee' } },
      allowIndexing: false,
    }),
    component('c', { displayOrder: 3 }),
    component('group', { type: 'GROUP', displayOrder: 2, name: 'Shop' }),
    component('b', { displayOrder: 2, configuration: { showHistoricalData: false } }, 'group'),
    component('a', { displayOrder: 1, description: 'All of it' }, 'group'),
    component('first', { displayOrder: 1 }),
    component('second', { displayOrder: 1, description: '' }),
    component('hidden', { hidden: true }),
    rule('r'),
    rule('off', { enabled: false }),
  );
  assert.deepEqual(refused, []);
  assert.deepEqual(resources.at(-1)?.payload, {
    name: 'P',
    url: 'p',
    allowIndexing: false,
    themeColors: { light: '#0066cc', dark: null },
    links: [{ label: 'Support', url: 'https://shop.example/help' }],
    cards: [
      { name: 'Services', services: [ref('component:first'), ref('component:second')] },
      { name: 'Shop', services: [ref('component:a'), ref('component:b')] },
      { name: 'Services', services: [ref('component:c')] },
    ],
  });
  const payloads = new Map(resources.map(({ logicalId, payload }) => [logicalId, payload]));
  assert.deepEqual(payloads.get('component:a'), {
    name: 'A',
    description: 'All of it',
    showHistory: true,
    tags: ['shop'],
    incidents: {
      mode: 'PUBLISH',
      severity: 'CRITICAL',
      description: 'It fails.',
      resolution: 'It works.',
      notifySubscribers: true,
    },
  });
  assert.deepEqual(payloads.get('component:b'), { name: 'B', description: null, showHistory: false });
  assert.deepEqual(
    [...payloads.keys()].filter((id) => id.includes('group') || id === 'r'),
    [],
    'groups and rules are parts of others',
  );
});

test('what pages do not have is refused with a sentence that names the construct', () => {
  const { refused } = declared(
    page({ googleAnalyticsTag: 'G-1' }),
    resource('status-page', 'dark', { name: 'Dark', url: 'dark', version: 3, logoDark: 'https://shop.example/a.png' }),
    component('a'),
    component('group', { type: 'GROUP' }),
    component('inner', { type: 'GROUP' }, 'group'),
    component('lost', { statusPageId: ref('elsewhere') }),
    component('orphan', {}, 'a'),
    component('x'.repeat(246)),
    rule('one'),
    rule('two'),
    rule('calm', {}, 'UNDER_MAINTENANCE'),
    rule('all', { components: [{ componentId: ref('group'), targetImpact: 'MAJOR_OUTAGE' }] }),
  );
  assert.deepEqual(refused.toSorted(), [
    'status-page "dark": pages have one logo for both themes: use logo.',
    'status-page "p": pages load nothing from elsewhere, so googleAnalyticsTag is not possible.',
    'status-page-automation-rule "all": its components must be services that are part of the project, not groups.',
    'status-page-automation-rule "calm": targetImpact must be DEGRADED_PERFORMANCE, PARTIAL_OUTAGE or MAJOR_OUTAGE.',
    'status-page-automation-rule "two": the component "a" has another rule. Put their tags into one.',
    'status-page-component "inner": a group cannot be in another group.',
    'status-page-component "lost": its status page is not part of the project.',
    'status-page-component "orphan": its group is not part of the project.',
    `status-page-component "${'x'.repeat(50)}…": the logical ID has more than 245 characters.`,
  ]);
});

test('payloads of other shapes are left to the validation of their resources', () => {
  const odd = [null, 1, 'x', [null]];
  for (const value of [...odd, { a: null }]) {
    const fields = { cards: value, themeColors: value, configuration: value, components: value, services: value };
    const { resources } = declared(
      page(fields),
      resource('status-page', 'q', { ...fields, cards: odd }),
      resource('status-page', 'none', null),
      component('a', fields),
      rule('r', { ...fields, components: [...odd, { componentId: value }] }),
      resource('check', 'c', { checkType: 'URL', triggerIncident: value }),
    );
    assert.equal(resources.length, 5, JSON.stringify(value));
  }
});
