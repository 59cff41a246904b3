// Two people at once: a change with If-Match is refused if the record was changed since it was read.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resourcesUnderTest } from './resources-under-test.ts';

const check = { name: 'Shop', request: { url: 'https://shop.example/' } };
const records = [
  ['check', '/v1/checks/url', '/v1/checks', check, { name: 'Theirs' }, { frequency: 5 }],
  ['group', '/v2/check-groups', '/v2/check-groups', { name: 'Shop' }, { name: 'Theirs' }, { muted: true }],
  [
    'channel',
    '/v1/alert-channels',
    '/v1/alert-channels',
    { type: 'WEBHOOK', config: { name: 'Hook', url: 'https://hook.example/' } },
    { sendDegraded: true },
    { sendRecovery: false },
  ],
] as const;

for (const [noun, create, path, body, theirs, mine] of records) {
  test(`a ${noun} that somebody else has changed is not overwritten, if the change says what it is meant for`, async () => {
    await using api = resourcesUnderTest();
    const { body: created } = await api.ask('POST', create, body);
    const one = `${path}/${created.id}`;
    const { etag = '' } = await api.ask('GET', one.replace('/v2/check-groups', '/v1/check-groups'));
    assert.equal(etag, `"${created.created_at}"`);
    // The clock stands still: each change has a revision of its own nevertheless.
    const changed = await api.ask('PUT', one, theirs, 'tsn_writer', etag);
    assert.equal(changed.status, 200, changed.text);
    assert.notEqual(changed.etag, etag);
    const late = await api.ask('PUT', one, mine, 'tsn_writer', etag);
    assert.equal(late.status, 412);
    assert.match(late.body.message, /Somebody else has changed this meanwhile, and nothing was saved/);
    const [field = '', wanted] = Object.entries(mine)[0] ?? [];
    const present = await api.ask('GET', one.replace('/v2/check-groups', '/v1/check-groups'));
    assert.notEqual(present.body[field], wanted);
    assert.equal(present.etag, changed.etag);
    for (const weak of [`W/${changed.etag}`, 'nonsense', '""']) {
      assert.equal((await api.ask('PUT', one, mine, 'tsn_writer', weak)).status, 412, weak);
    }
    const listed = await api.ask('PUT', one, mine, 'tsn_writer', `${etag}, ${changed.etag}`);
    assert.equal(listed.status, 200);
    assert.equal(listed.body[field], wanted);
    for (const any of ['*', undefined]) {
      assert.equal((await api.ask('PUT', one, mine, 'tsn_writer', any)).status, 200, 'clients without a revision');
    }
  });
}

test('moving checks into a group and out of it changes their revision', async () => {
  await using api = resourcesUnderTest();
  const { body: created } = await api.ask('POST', '/v1/checks/url', check);
  const { body: group } = await api.ask('POST', '/v2/check-groups', { name: 'Shop' });
  const tag = async () => (await api.ask('GET', `/v1/checks/${created.id}`)).etag;
  const tags = [await tag()];
  for (const change of [{ add: [created.id] }, { remove: [created.id] }, { add: [created.id] }]) {
    await api.ask('PUT', `/v1/check-groups/${group.id}/checks`, change);
    tags.push(await tag());
  }
  await api.ask('DELETE', `/v1/check-groups/${group.id}`);
  tags.push(await tag());
  assert.equal(new Set(tags).size, 5, tags.join());
});
