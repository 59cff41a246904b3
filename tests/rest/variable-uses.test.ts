// Where a variable is used, over REST: in checks, groups and channels of the account.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Resources, resourcesUnderTest } from './resources-under-test.ts';

const variable = { key: 'TOKEN', value: 'x' };
const request = { method: 'GET', url: 'https://shop.example/' };

async function make(api: Resources, path: string, body: object): Promise<string> {
  const made = await api.ask('POST', path, body);
  assert.equal(made.status, 201, made.text);
  return made.body.id;
}

test('a variable names the checks, groups and channels that use it, unless they define it themselves', async () => {
  await using api = resourcesUnderTest();
  await make(api, '/v1/variables', variable);
  const header = { ...request, headers: [{ key: 'a', value: 'Bearer {{TOKEN}}' }] };
  const check = (body: object) => make(api, '/v1/checks/api', { request, ...body });
  const inHeader = await check({ name: 'Header', request: header });
  const inScript = await check({ name: 'Script', localSetupScript: "request.headers.a = process.env['TOKEN'];" });
  const unpacked = await check({ name: 'Unpacked', localTearDownScript: 'const { HOST, TOKEN: own } = process.env;' });
  await check({ name: 'Own', request: header, environmentVariables: [variable] });
  await check({ name: 'Other', localSetupScript: 'process.env.TOKENS; TOKEN' });
  const defining = await make(api, '/v1/check-groups', { name: 'Defines', environmentVariables: [variable] });
  await check({ name: 'Of the group', groupId: defining, request: header });
  const group = await make(api, '/v1/check-groups', { name: 'Uses', localSetupScript: 'process.env.TOKEN' });
  const webhook = (template: string) =>
    make(api, '/v1/alert-channels', {
      type: 'WEBHOOK',
      config: { name: 'Hook', url: 'https://hooks.example/', template },
    });
  const channel = await webhook('{"text": "{{#if TOKEN}}{{json TOKEN}}{{/if}}"}');
  await webhook(`{"text": "{{#eq CHECK_NAME 'TOKEN'}}TOKEN{{/eq}}"}`);
  const { status, body } = await api.ask('GET', '/v1/variables/TOKEN/uses');
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual(body, {
    checks: {
      total: 3,
      listed: [
        { id: inHeader, name: 'Header', required: true },
        { id: inScript, name: 'Script', required: false },
        { id: unpacked, name: 'Unpacked', required: false },
      ],
    },
    groups: { total: 1, listed: [{ id: group, name: 'Uses' }] },
    channels: { total: 1, listed: [{ id: channel, type: 'WEBHOOK' }] },
  });
  assert.equal((await api.ask('GET', '/v1/variables/TOKEN/uses', undefined, 'tsn_foreign')).status, 404);
  assert.equal((await api.ask('GET', '/v1/variables/HOST/uses')).status, 404, 'nobody has defined it');
  await api.ask('PUT', `/v1/checks/${inScript}`, { localSetupScript: '' });
  assert.equal((await api.ask('GET', '/v1/variables/TOKEN/uses')).body.checks.total, 2);
});

test('up to fifty users of each sort are listed, with their number', async () => {
  await using api = resourcesUnderTest();
  await make(api, '/v1/variables', variable);
  for (let number = 100; number < 151; number++) {
    await make(api, '/v1/checks/api', {
      name: `Check ${number}`,
      request: { method: 'GET', url: 'https://{{TOKEN}}/' },
    });
    await make(api, '/v1/check-groups', { name: `Group ${number}`, localSetupScript: 'process.env.TOKEN' });
  }
  const { checks, groups } = (await api.ask('GET', '/v1/variables/TOKEN/uses')).body;
  assert.deepEqual([checks.total, checks.listed.length, checks.listed[49].name], [51, 50, 'Check 149']);
  assert.deepEqual([groups.total, groups.listed.length], [51, 50]);
});
