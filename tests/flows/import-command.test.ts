// Configurations of other products by the command line, against a running server.
import assert from 'node:assert/strict';
import { appendFileSync, copyFileSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newId } from '#lib/id.ts';
import { blockOf, readPage } from '../support/pages.ts';
import { checklyAccount, checklyKey, checklySecrets, startChecklyApi } from '../support/imports/checkly-api.ts';
import { writeKumaDatabase } from '../support/imports/kuma.ts';
import { type CommandOutput, runCommand } from '../support/service/command.ts';
import { describe } from '../support/service/one-process.ts';
import { apiKey, newAccount, type Service } from '../support/service/service.ts';
import type { Cleanup } from '../support/targets/scripted-server.ts';

const samples = [
  'gatus.yaml',
  'blackbox.yml',
  'prometheus.yml',
  'healthchecks.json',
  'uptimerobot.json',
  'openapi.yaml',
  'checks.csv',
];

/** A folder with a sample of each format. */
function folderOfSamples(t: Cleanup): string {
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-import-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of samples) copyFileSync(join(import.meta.dirname, '../support/imports', name), join(folder, name));
  writeKumaDatabase(join(folder, 'kuma.db'), 2);
  return folder;
}

function clientIn(folder: string, { address }: Pick<Service, 'address'>, accountId: string) {
  const environment = {
    TOCSIN_URL: address,
    TOCSIN_API_KEY: apiKey,
    TOCSIN_ACCOUNT: accountId,
    SLACK_URL: 'https://hooks.slack.com/services/T/B/x',
    SHOP_URL: 'https://shop.example',
    CHECKLY_API_KEY: checklyKey,
    CHECKLY_ACCOUNT_ID: checklyAccount,
    ...checklySecrets,
    HOME: folder,
  };
  return (...words: readonly string[]): Promise<CommandOutput> => runCommand(['import', ...words], environment, folder);
}

describe('import', { concurrency: 3 }, ({ it }) => {
  it('creates what Uptime Kuma had, does nothing twice, and keeps channels that were switched on', async (t, service) => {
    const account = await newAccount(service, 'From Kuma');
    const folder = folderOfSamples(t);
    const tocsin = clientIn(folder, service, account.id);
    const first = await tocsin('kuma', 'kuma.db');
    assert.equal(first.code, 0, first.err);
    assert.match(first.out, /^Project kuma: \d+ created\.$/m);
    assert.doesNotMatch(first.out + first.err, /quietword/);

    const checks = (await account.must('GET', '/v1/checks?limit=100')) as unknown as Record<string, unknown>[];
    const named = new Map(checks.map((check) => [check['name'], check]));
    assert.equal(checks.length, 10, 'all but the types without a counterpart');
    const shop = named.get('Shop') as { request: Record<string, unknown> } & Record<string, unknown>;
    assert.match(JSON.stringify(shop.request['headers']), /"Content-Type","value":"application\/json"/);
    assert.deepEqual(
      [shop['frequency'], shop['tags'], shop['maxResponseTime'], shop.request['skipSSL'], shop.request['method']],
      [1, ['team:web', 'prod'], 30_000, true, 'POST'],
    );
    assert.deepEqual(named.get('Database')?.['activated'], false, 'a paused monitor stays paused');
    assert.deepEqual(named.get('Gateway')?.['activated'], false, 'upside-down mode is not guessed');
    assert.ok(named.has('${env:HOME}'), 'a text of the other product reads no variable');
    const channels = (await account.must('GET', '/v1/alert-channels?limit=100')) as unknown as Record<
      string,
      unknown
    >[];
    assert.deepEqual([channels.length, channels.filter((each) => each['sendFailure'] === true).length], [7, 0]);
    assert.match(first.err, /Email is not set up on the server: left out notification-2, notification-2-2/);

    const again = await tocsin('kuma', 'kuma.db');
    assert.match(again.out, /^No changes: project kuma is up to date\.$/m, again.err);
    const noticed = async (): Promise<unknown> => {
      const all = (await account.must('GET', '/v1/notices')) as unknown as Record<string, unknown>[];
      return all.find(({ kind }) => kind === 'channels-off')?.['message'];
    };
    assert.match(String(await noticed()), /^2 subscribed alert channels send nothing, .*: Team, Games\.$/);
    await account.must('PUT', `/v1/alert-channels/${String(channels[0]?.['id'])}`, { sendFailure: true });
    assert.match((await tocsin('kuma', 'kuma.db')).out, /^No changes/m, 'it is not switched off again');
  });

  it('reads a database of Uptime Kuma 1.23 as one of 2.x', async (t, service) => {
    const account = await newAccount(service, 'From Kuma 1.23');
    const folder = folderOfSamples(t);
    writeKumaDatabase(join(folder, 'old.db'), 1);
    const tocsin = clientIn(folder, service, account.id);
    const [old, current] = await Promise.all(
      ['old.db', 'kuma.db'].map((name) => tocsin('kuma', name, '--dry-run', '--json')),
    );
    assert.equal(old?.code, 0, old?.err);
    const { rows, deployment } = JSON.parse(old?.out ?? '') as { rows: unknown[]; deployment: { diff: unknown[] } };
    const expected = JSON.parse(current?.out ?? '') as { rows: unknown[]; deployment: { diff: unknown[] } };
    assert.ok(deployment.diff.length > 20);
    assert.deepEqual([rows, deployment.diff], [expected.rows, expected.deployment.diff]);
  });

  it('reads every format into what the server accepts, as the documentation says', async (t, service) => {
    const account = await newAccount(service, 'From elsewhere');
    const folder = folderOfSamples(t);
    const tocsin = clientIn(folder, service, account.id);
    const checkly = await startChecklyApi(t);
    const documented = readPage('docs/importing.md').tables.flatMap(({ head, rows }) => {
      return head[1] === 'Becomes' ? rows.map(([from = '', to = '']) => [from.replaceAll('`', ''), to] as const) : [];
    });
    const unnamed = new Set(documented.map(([from]) => from));
    for (const words of [
      ['kuma', 'kuma.db'],
      ['gatus', 'gatus.yaml'],
      ['blackbox', 'blackbox.yml', '--targets', 'prometheus.yml'],
      ['healthchecks', 'healthchecks.json'],
      ['uptimerobot', 'uptimerobot.json'],
      ['openapi', 'openapi.yaml'],
      ['csv', 'checks.csv'],
      ['checkly', '--url', checkly.url],
    ]) {
      const said = await tocsin(...words, '--dry-run', '--json');
      assert.equal(said.code, 0, `${words[0]}: ${said.err}`);
      const { rows, deployment } = JSON.parse(said.out) as {
        rows: { kind: string; to: string | null; notes: string[] }[];
        deployment: { diff: unknown[] };
      };
      const carried = rows.filter(({ to }) => to !== null && !/^(?:EMAIL|SMS|CALL)/.test(to));
      assert.equal(deployment.diff.length, carried.length, words[0]);
      for (const { kind, to, notes } of rows) {
        assert.ok(to !== null || notes.length > 0, `${kind} says why it is not carried over`);
        const name = `${words[0]} ${kind}`;
        const expected = documented.find(([from]) => name.startsWith(from))?.[1];
        if (expected === undefined || (to === null && expected !== 'nothing')) continue;
        unnamed.delete(documented.find(([from]) => name.startsWith(from))?.[0] ?? '');
        assert.ok((to ?? 'nothing').startsWith(expected), `${name}: ${to} is documented as ${expected}`);
      }
    }
    assert.deepEqual([...unnamed], [], 'each documented row has a sample');
    assert.deepEqual(await account.must('GET', '/v1/checks'), [], 'a dry run changes nothing');
  });

  it('imports the CSV file of the documentation', async (t, service) => {
    const account = await newAccount(service, 'From CSV');
    const folder = folderOfSamples(t);
    writeFileSync(join(folder, 'example.csv'), blockOf(readPage('docs/importing.md'), 'csv', 'example'));
    const said = await clientIn(folder, service, account.id)('csv', 'example.csv');
    assert.deepEqual([said.code, /^Project csv: 2 created\.$/m.test(said.out)], [0, true], said.out);
  });

  it('writes a resource file with placeholders for variables of Gatus, which apply reads', async (t, service) => {
    const account = await newAccount(service, 'From Gatus');
    const folder = folderOfSamples(t);
    const tocsin = clientIn(folder, service, account.id);
    const written = await tocsin('gatus', 'gatus.yaml', '--output', 'tocsin.yaml');
    assert.equal(written.code, 0, written.err);
    const text = readFileSync(join(folder, 'tocsin.yaml'), 'utf8');
    assert.match(text, /\$\{env:SLACK_URL\}/);
    assert.match(text, /value: "?\$5"?/, 'an escaped dollar sign is one');
    const said = await tocsin('gatus', 'gatus.yaml', '--dry-run');
    assert.match(said.out, /to create\.$/m, said.err);
  });

  it('names the place of what it cannot read, and changes nothing', async (t, service) => {
    const account = await newAccount(service, 'Broken');
    const folder = folderOfSamples(t);
    const tocsin = clientIn(folder, service, account.id);
    const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
    copyFileSync(join(folder, 'kuma.db'), join(folder, 'cut.db'));
    truncateSync(join(folder, 'cut.db'), 20_000);
    const other = new DatabaseSync(join(folder, 'other.db'));
    other.exec('CREATE TABLE recipes (id INTEGER)');
    other.close();
    write('tabs.yaml', 'endpoints:\n\t- name: x\n');
    write(
      'bomb.yaml',
      `a: &a [x]\n${'bcdefghij'
        .split('')
        .map((name, at) => `${name}: &${name} [${Array(20).fill(`*${'abcdefghi'[at]}`).join(',')}]`)
        .join('\n')}\n`,
    );
    write('deep.yaml', `endpoints: ${'['.repeat(400)}${']'.repeat(400)}\n`);
    write('list.yaml', '- a\n');
    write('not.json', '{"checks": [');
    write('other.json', '{"monitors": 5}');
    write('relative.yaml', 'openapi: 3.0.0\nservers: [{url: /v1}]\npaths: {}\n');
    for (const [words, message] of [
      [['kuma', 'cut.db'], /cut\.db is cut: it has 20000 of \d+ bytes/],
      [['kuma', 'other.db'], /is not a database of Uptime Kuma: it has no table monitor/],
      [['kuma', 'gatus.yaml'], /gatus\.yaml is not an SQLite database/],
      [['kuma', 'none.db'], /none\.db does not exist/],
      [['gatus', 'tabs.yaml'], /line 2, column 1:/],
      [['gatus', 'bomb.yaml'], /aliases/],
      [['gatus', 'deep.yaml'], /nested/],
      [['gatus', 'list.yaml'], /must contain a map/],
      [['blackbox', 'blackbox.yml', '--targets', 'tabs.yaml'], /prometheus file, line 2, column 1/],
      [['healthchecks', 'not.json'], /is not JSON/],
      [['uptimerobot', 'other.json'], /has no list "monitors"/],
      [['openapi', 'relative.yaml'], /is not an absolute http or https URL: use --base-url/],
    ] as const) {
      const said = await tocsin(...words);
      assert.equal(said.code, 1, said.out);
      assert.match(said.err, message);
    }
    assert.deepEqual(await account.must('GET', '/v1/checks'), []);
  });

  it('reads a text file of 20 MB, and names the limit for a larger one', async (t, service) => {
    const folder = folderOfSamples(t);
    const tocsin = clientIn(folder, service, newId());
    const line = 'Shop,https://shop.example\n';
    writeFileSync(join(folder, 'large.csv'), line + '#'.repeat(20 * 1_048_576 - line.length));
    const read = await tocsin('csv', 'large.csv', '--output', 'large.yaml');
    assert.deepEqual([read.code, /1 of 1 carried over/.test(read.out)], [0, true], read.err);
    appendFileSync(join(folder, 'large.csv'), '#');
    const refused = await tocsin('csv', 'large.csv', '--output', 'larger.yaml');
    assert.equal(refused.code, 1);
    assert.match(refused.err, /large\.csv has more than 20971520 bytes/);
  });
});
