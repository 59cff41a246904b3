// A channel that an update of ours has broken is told of when the service starts, until it is mended.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Composed, startComposed } from '../support/composed.ts';
import { until } from '../support/until.ts';

interface NoticeBody {
  readonly id: string;
  readonly kind: string;
  readonly message: string;
}

async function call({ address, apiKey }: Composed, method: string, path: string, body?: object): Promise<unknown> {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const answer = await fetch(`${address}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  assert.ok(answer.ok, `${method} ${path}: ${answer.status}`);
  return answer.json();
}

test('a channel that this version cannot render is a log line and a notice from the start on, until it is mended', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-broken-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const environment = { TOCSIN_DATA_DIR: folder };
  const ends: (() => void | Promise<void>)[] = [];
  const first = await startComposed({ after: (end) => void ends.push(end) }, environment);
  const config = { name: 'on call', url: 'https://receiver.example/', template: '{{uppercase CHECK_NAME}}' };
  await call(first, 'POST', '/v1/alert-channels', { type: 'WEBHOOK', config });
  assert.deepEqual(await call(first, 'GET', '/v1/notices'), []);
  // As if the helper had been there when it was saved.
  first.raw.exec(`UPDATE alert_channels SET config = replace(config, 'uppercase', 'gone_by_now')`);
  for (const end of ends) await end();

  const second = await startComposed(t, environment);
  const ofChannel = async (): Promise<NoticeBody[]> =>
    ((await call(second, 'GET', '/v1/notices')) as NoticeBody[]).filter(({ kind }) => kind === 'channel-broken');
  await until('the notice', async () => (await ofChannel()).length > 0);
  const [notice] = await ofChannel();
  assert.equal(notice?.id, 'channel-broken:1');
  assert.match(
    notice?.message ?? '',
    /"on call" cannot send .* unknown helper gone_by_now .*config\.template, line 1, column 1/,
  );
  const lines = second.logged.filter(({ name }) => name === 'channel.broken');
  assert.deepEqual([lines.length, lines[0]?.level, lines[0]?.fields['id']], [1, 'warn', 1]);

  await call(second, 'PUT', '/v1/alert-channels/1', { config });
  assert.deepEqual(await ofChannel(), []);
});

test('every process that renders alerts has looked at the templates beforehand: the one that judges heartbeats, too', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-broken-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const ends: (() => void | Promise<void>)[] = [];
  const first = await startComposed({ after: (end) => void ends.push(end) }, { TOCSIN_DATA_DIR: folder });
  const config = { name: 'on call', url: 'https://receiver.example/', template: '{{uppercase CHECK_NAME}}' };
  await call(first, 'POST', '/v1/alert-channels', { type: 'WEBHOOK', config });
  first.raw.exec(`UPDATE alert_channels SET config = replace(config, 'uppercase', 'gone_by_now')`);
  for (const end of ends) await end();
  for (const role of ['api', 'scheduler', 'runner', 'deliverer']) {
    const ended: (() => void | Promise<void>)[] = [];
    const environment = { TOCSIN_DATA_DIR: folder, TOCSIN_ROLES: role };
    const { logged } = await startComposed({ after: (end) => void ended.push(end) }, environment);
    await until(`the process of the ${role} to look`, () => logged.some(({ name }) => name === 'channel.broken'));
    for (const end of ended) await end();
  }
});
