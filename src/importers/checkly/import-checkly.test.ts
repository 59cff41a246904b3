// What the API of Checkly returns becomes resources of Tocsin, and notes say what does not.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { JsonObject } from '#domain/json.ts';
import type { FileSchema } from '#files/from-api.ts';
import { packageFolder } from '#lib/package-files.ts';
import { type ChecklyAccount, importCheckly } from './import-checkly.ts';

const schema = JSON.parse(readFileSync(join(packageFolder, 'docs/schema.json'), 'utf8')) as FileSchema;
const now = Date.parse('2026-11-29T12:00:00Z');
const here = { locations: ['local', 'eu-1'], runtimes: ['2026.10'] };

function imported(lists: Partial<ChecklyAccount>, known: typeof here | null = here) {
  const none = { variables: [], privateLocations: [], snippets: [], alertChannels: [], checkGroups: [], others: [] };
  return importCheckly({ ...none, checks: [], maintenanceWindows: [], ...lists }, schema, known, now);
}

const home = (more: JsonObject = {}): JsonObject => ({
  id: 'a',
  checkType: 'URL',
  name: 'Home',
  request: { url: 'https://shop.example/' },
  ...more,
});

/** The only check, and the notes about it. */
function check(more: JsonObject, lists: Partial<ChecklyAccount> = {}, known: typeof here | null = here) {
  const { file, rows } = imported({ ...lists, checks: [home(more)] }, known);
  return { check: file.checks?.['check-a'], notes: rows.find(({ kind }) => kind.endsWith('check'))?.notes ?? [] };
}

test('locations and runtimes are those that this server has', () => {
  const given = { locations: ['eu-1', 'us-east-1'], runtimeId: '2023.02' };
  const { check: found, notes } = check(given);
  assert.deepEqual([found?.['locations'], found?.['runtimeId']], [['eu-1'], undefined]);
  assert.deepEqual(notes, [
    'uses the runtime of the account: this server does not have 2023.02',
    'runs only at eu-1: it has no us-east-1',
  ]);
  assert.equal(check({ runtimeId: '2026.10' }).check?.['runtimeId'], '2026.10');
  assert.equal(check(given, {}, null).check?.['locations'], undefined, 'a file for another server names none');
});

test('a resource never refers to one of the same number in this account', () => {
  const { check: found, notes } = check(
    {
      checkType: 'API',
      groupId: 9,
      setupSnippetId: 4,
      alertChannelSubscriptions: [{ alertChannelId: 7, activated: true }],
      privateLocations: ['office'],
      dependsOn: ['b'],
    },
    { alertChannels: [{ id: 7, type: 'SLACK_APP', config: {} }] },
  );
  assert.deepEqual(
    [found?.['group'], found?.['setupSnippetId'], found?.['alertChannels'], found?.['dependsOn']],
    [undefined, undefined, undefined, undefined],
  );
  assert.deepEqual([found?.['privateLocations'], found?.['activated']], [[], false]);
  assert.deepEqual(notes, [
    'left out, because Tocsin has no counterpart: dependsOn',
    'private locations that are not carried over: office',
    'its group is not carried over',
    'deactivated: its snippet is not carried over',
  ]);
});

test('fields without a counterpart are named, and empty ones are not', () => {
  const { notes } = check({
    intent: { goal: 'Sell' },
    aiAutoRepairEnabled: false,
    alertChannels: { email: [], slack: [] },
    madeUp: { deep: [1] },
    request: { url: 'https://shop.example/', proxy: 'http://proxy.example', assertions: [] },
    projectBindings: { owner: { project: { id: '1' } } },
  });
  assert.deepEqual(notes, [
    'left out, because Tocsin has no counterpart: intent',
    'left out, because Tocsin has no counterpart: request.proxy, madeUp',
  ]);
});

test('a check whose script would fail arrives deactivated, or not at all', () => {
  const scripted = (script: string | null, more: JsonObject = {}) =>
    check({ checkType: 'BROWSER', script, request: null, ...more });
  assert.equal(scripted("import { a } from '../a';").check?.['activated'], false);
  const files = [{ path: 'a.ts', content: 'export const a = 1;' }];
  assert.equal(scripted("import { a } from './a';", { dependencies: files }).check?.['activated'], undefined);
  assert.equal(scripted('{{> login }}').check?.['activated'], false);
  assert.equal(scripted("import { test } from '@playwright/test';").check?.['activated'], undefined);
  assert.match(String(scripted(null).notes), /deploy its project/);
  const without = { ...here, runtimes: [] };
  assert.match(String(check({ checkType: 'BROWSER', script: '1' }, {}, without).notes), /no runtime/);
  assert.match(String(check({ checkType: 'API', localSetupScript: '1' }, {}, without).notes), /no runtime/);
  const group = { id: 5, name: 'Web', localSetupScript: '1' };
  assert.match(
    String(check({ checkType: 'API', groupId: 5 }, { checkGroups: [group] }, without).notes),
    /no runtime/,
    'the scripts of its group count',
  );
});

test('a window repeats until the end of its last day, and one that is over is left out', () => {
  const window = (more: JsonObject) =>
    imported({
      maintenanceWindows: [
        { id: 1, name: 'Night', startsAt: '2026-01-01T22:00:00Z', endsAt: '2026-01-01T23:00:00Z', ...more },
      ],
    });
  const daily = { repeatUnit: 'DAY', repeatInterval: 1 };
  const { file } = window({ ...daily, repeatEndsAt: '2026-12-24T00:00:00.000Z', timezone: 'Europe/Berlin' });
  assert.deepEqual(
    [file.maintenanceWindows?.['window-1']?.['repeatEndsAt'], file.maintenanceWindows?.['window-1']?.['timezone']],
    ['2026-12-24T23:59:59', 'Europe/Berlin'],
  );
  assert.equal(window({ ...daily, timezone: null }).file.maintenanceWindows?.['window-1']?.['timezone'], undefined);
  for (const over of [{}, { ...daily, repeatEndsAt: '2026-11-01' }]) {
    assert.deepEqual(window(over).rows[0]?.notes, ['it has ended']);
  }
});

test('what a page repeats is read once, and what has no ID is named', () => {
  const { rows } = imported({ checks: [home(), home(), { checkType: 'URL', name: 'Nameless' }] });
  assert.deepEqual(
    rows.map(({ from, to, notes }) => [from, to, ...notes]),
    [
      ['Home', 'URL check check-a'],
      ['Nameless', null, 'it has no id'],
    ],
  );
});

test('texts cannot read the environment, whatever they contain', () => {
  const { file, secrets } = imported({
    variables: [
      { key: '__proto__', value: '${env:HOME}' },
      { key: 'A', value: '$${env:HOME}' },
    ],
    checks: [home({ name: '${env:HOME}', checkType: 'constructor' }), home({ name: '${env:HOME}' })],
  });
  assert.deepEqual(secrets, []);
  assert.equal(JSON.stringify(file).replaceAll('$${env:HOME}', '').includes('${env:'), false);
  assert.equal(file.checks?.['check-a']?.['name'], '$${env:HOME}');
});
