// Variables that checks use and nobody defines: the write that causes it is answered with a warning, and a notice stays.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { composeMissingVariables } from '#app/http/warnings.ts';
import { ownId } from './rest-under-test.ts';
import { type Reply, type Resources, resourcesUnderTest } from './resources-under-test.ts';

const request = { method: 'GET', url: 'https://shop.example/' };
const using = { ...request, headers: [{ key: 'a', value: '{{TOKEN}}' }] };
const variable = { key: 'TOKEN', value: 'x' };

const warned = ({ body }: Reply) => ((body.warnings ?? []) as { path: string }[]).map(({ path }) => path);
const inHeader = ({ warningsHeader = '[]' }: Reply): { path: string; message: string }[] =>
  JSON.parse(warningsHeader) as { path: string; message: string }[];
const notices = (api: Resources) => composeMissingVariables(api.temp.store).notices(ownId);

async function make(api: Resources, path: string, body: object): Promise<Reply> {
  const made = await api.ask('POST', path, body);
  assert.equal(made.status, 201, made.text);
  return made;
}

test('a check that uses a missing variable is saved with a warning that names the field', async () => {
  await using api = resourcesUnderTest();
  const assertions = [{ source: 'TEXT_BODY', comparison: 'CONTAINS', target: '{{WORD}} {{TOKEN}}', regex: '{{WORD}}' }];
  const body = { name: 'A', request: { ...using, assertions }, environmentVariables: [variable] };
  const created = await make(api, '/v1/checks/api', body);
  const message =
    'uses {{WORD}}, which is not defined in the check, its group or the account. The check cannot run until it is defined';
  assert.deepEqual(created.body.warnings, [
    { path: 'request.assertions[0].target', message },
    { path: 'request.assertions[0].regex', message },
  ]);
  const path = `/v1/checks/${created.body.id}`;
  assert.deepEqual(warned(await api.ask('PUT', path, { environmentVariables: [] })), [
    'request.headers[0].value',
    'request.assertions[0].target',
    'request.assertions[0].target',
    'request.assertions[0].regex',
  ]);
  const all = await notices(api);
  assert.deepEqual(
    all.map(({ id, subject }) => [id, subject]),
    [
      ['missing-variable:TOKEN', 'TOKEN'],
      ['missing-variable:WORD', 'WORD'],
    ],
  );
  assert.match(all[0]?.message ?? '', /^\{\{TOKEN\}\} is not defined, but 1 check uses it and cannot run: A\.$/);
  await make(api, '/v1/variables', variable);
  await make(api, '/v1/variables', { key: 'WORD', value: '' });
  assert.deepEqual([warned(await api.ask('PUT', path, { name: 'B' })), await notices(api)], [[], []]);
});

test('the write of a variable whose value contains a variable is answered with a warning', async () => {
  await using api = resourcesUnderTest();
  const message = 'contains {{BASE}}, which is not filled in: values are used literally';
  const nested = { key: 'TOKEN', value: '{{BASE}}/x' };
  const made = await make(api, '/v1/variables', nested);
  assert.deepEqual(made.body.warnings, [{ path: 'value', message }]);
  const read = await api.ask('GET', '/v1/variables/TOKEN');
  assert.equal('warnings' in read.body, false);
  const changed = await api.ask('PUT', '/v1/variables/TOKEN', { ...made.body, secret: true });
  assert.match(changed.body.warnings[0].message, /^contains a placeholder, which is not filled in/);
  assert.deepEqual(warned(await api.ask('PUT', '/v1/variables/TOKEN', { value: 'x' })), []);

  const environmentVariables = [{ key: 'A', value: '{A}' }, nested];
  const ofList = [{ path: 'environmentVariables[1].value', message }];
  const check = await make(api, '/v1/checks/api', { name: 'A', request, environmentVariables });
  const group = await make(api, '/v2/check-groups', { name: 'G', environmentVariables });
  assert.deepEqual([check.body.warnings, group.body.warnings], [ofList, ofList]);
});

test('a check that moves to another group, and a group that gives less, cause warnings', async () => {
  await using api = resourcesUnderTest();
  const group = (await make(api, '/v2/check-groups', { name: 'G', environmentVariables: [variable] })).body.id;
  const created = await make(api, '/v1/checks/api', { name: 'A', groupId: group, request: using });
  assert.deepEqual([warned(created), await notices(api)], [[], []]);
  const path = `/v1/checks/${created.body.id}`;
  assert.deepEqual(warned(await api.ask('PUT', path, { groupId: null })), ['request.headers[0].value']);
  assert.equal((await notices(api)).length, 1);
  assert.deepEqual(warned(await api.ask('PUT', path, { groupId: group })), []);
  assert.deepEqual(await notices(api), []);

  const emptied = await api.ask('PUT', `/v2/check-groups/${group}`, { environmentVariables: [] });
  assert.deepEqual(warned(emptied), ['environmentVariables']);
  assert.match(emptied.body.warnings[0].message, /^\{\{TOKEN\}\} is not defined, but 1 check uses it/);
  await api.ask('PUT', `/v2/check-groups/${group}`, { environmentVariables: [variable] });
  const deleted = await api.ask('DELETE', `/v1/check-groups/${group}`);
  assert.equal(deleted.status, 204);
  assert.deepEqual(
    inHeader(deleted).map((warning) => warning.path),
    ['TOKEN'],
  );
});

test('what a group gives its API checks is judged with the group', async () => {
  await using api = resourcesUnderTest();
  const apiCheckDefaults = { url: 'https://{{HOST}}', headers: [{ key: 'a', value: '{{TOKEN}}' }] };
  const group = await make(api, '/v2/check-groups', { name: 'G', apiCheckDefaults });
  const places = ['apiCheckDefaults.url', 'apiCheckDefaults.headers[0].value'];
  assert.deepEqual(warned(group), places);
  assert.deepEqual(await notices(api), [], 'no check runs with it yet');
  const check = { name: 'A', groupId: group.body.id, request: { method: 'GET', url: '{{GROUP_BASE_URL}}/' } };
  assert.deepEqual(warned(await make(api, '/v1/checks/api', check)), places);
  const [ofHost, notice] = await notices(api);
  assert.match(ofHost?.message ?? '', /\{\{HOST\}\}/);
  assert.match(notice?.message ?? '', /^\{\{TOKEN\}\} is not defined, but 1 check .*: the group G\.$/);
  const scripted = { ...check, localSetupScript: 'process.env.TOKEN = "x"; process.env.HOST = "y";' };
  assert.deepEqual(warned(await make(api, '/v1/checks/api', scripted)), [], 'its setup script may define them');
});

test('the deletion of a variable names how many checks it stops, in a header', async () => {
  await using api = resourcesUnderTest();
  await make(api, '/v1/variables', variable);
  for (const name of ['Größe', 'B', 'C']) await make(api, '/v1/checks/api', { name, request: using });
  await make(api, '/v1/checks/tcp', { name: 'T', request: { hostname: '{{TOKEN}}', port: 1 } });
  await make(api, '/v1/checks/api', { name: 'own', request: using, environmentVariables: [variable] });
  assert.deepEqual(await notices(api), []);
  const deleted = await api.ask('DELETE', '/v1/variables/TOKEN');
  assert.equal(deleted.status, 204);
  const [warning] = inHeader(deleted);
  assert.equal(warning?.path, 'TOKEN');
  assert.match(warning?.message ?? '', /^\{\{TOKEN\}\} is not defined, but 4 checks use it/);
  assert.equal((await notices(api)).length, 1);
  await make(api, '/v1/variables', { key: 'UNUSED', value: 'x' });
  assert.deepEqual(inHeader(await api.ask('DELETE', '/v1/variables/UNUSED')), []);
});
