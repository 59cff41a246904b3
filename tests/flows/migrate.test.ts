// `migrate` with real processes: killed, refused and resumed.
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { openSqliteFile } from '#store/engines/sqlite/file.ts';
import { paste, runCommand, startCommand } from '../support/service/command.ts';
import { blockOf, readPage } from '../support/pages.ts';
import { sharedPostgres } from '../support/postgres/shared-postgres.ts';
import { openRawPostgres } from '../support/store/raw-rows.ts';
import { startReceiver } from '../support/receivers/receiver.ts';
import { putAccount, putCheck } from '../support/store/rows.ts';
import { startScriptedServer } from '../support/targets/scripted-server.ts';
import { asker, type Service, startService } from '../support/service/service.ts';
import { until } from '../support/until.ts';

const server = await sharedPostgres();

function emptyFolder(t: { after(fn: () => void): void }): string {
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-migrate-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const secretKey = { TOCSIN_SECRET_KEY: '07'.repeat(32) };

/** A closed SQLite file with that many results. */
async function fileWith(path: string, results: number): Promise<void> {
  await openSqliteFile(path).close();
  const raw = new DatabaseSync(path);
  const account = putAccount(raw);
  putCheck(raw, account);
  raw
    .prepare(
      `WITH RECURSIVE n (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM n WHERE n < ? - 1)
       INSERT INTO results (account_id, check_id, id, attempt, outcome, location, source, slots, started_at, duration_ms,
         loop_delay_ms, message)
       SELECT account_id, id, unhex(printf('%012x', 1773144000000 + n * 1000) || hex(randomblob(10))), 1, 0, 'local', 0, 1,
         1773144000000 + n * 1000, 40, 0, hex(randomblob(50)) FROM checks, n`,
    )
    .run(results);
  raw.close();
}

describe('about the file and PostgreSQL: migrate', { concurrency: 3 }, () => {
  it('resumes after a kill, and ends with the same rows on both sides', async (t) => {
    const folder = emptyFolder(t);
    const file = join(folder, 'tocsin.db');
    const rows = 30_000;
    await fileWith(file, rows);
    const database = await server.newDatabase();
    const words = ['migrate', '--from', `sqlite:${file}`, '--to', database.url];
    const raw = openRawPostgres(database.url);
    t.after(() => raw.close());
    const count = (): number => Number(raw.prepare('SELECT count(*) AS n FROM results').get()?.['n']);
    const isThere = (): boolean => raw.prepare(`SELECT to_regclass('results') IS NOT NULL AS is`).get()?.['is'] === 1;

    const first = startCommand(words, secretKey);
    await until('rows to arrive', () => isThere() && count() > 0);
    first.child.kill('SIGKILL');
    await first.ended;
    const arrived = count();
    assert.ok(arrived > 0 && arrived < rows, `${arrived} rows had arrived`);

    const said = await runCommand(words, secretKey);
    assert.equal(said.code, 0, said.err);
    assert.match(said.out, /resuming an interrupted copy at results/);
    assert.match(said.out, new RegExp(`^results +${rows} rows {2}[0-9a-f]{16}$`, 'm'));
    assert.match(said.out, /Copied and verified \d+ rows in \d+ tables/);
    assert.equal(count(), rows);
    assert.doesNotMatch(said.out + said.err, /o:d|%3Ad/, 'the password is not shown');

    const again = await runCommand(words, secretKey);
    assert.equal(again.code, 1, 'a target that is full is refused');
    assert.match(again.err, /is not empty: .*30000 rows of results.*--overwrite/);
    raw.exec(`UPDATE results SET message = 'changed in the target'`);
    const anew = await runCommand([...words, '--overwrite'], secretKey);
    assert.equal(anew.code, 0, anew.err);
    assert.match(anew.out, new RegExp(`^deleted from the target: ${rows} rows of results$`, 'm'));
    assert.match(anew.out, /Copied and verified \d+ rows in \d+ tables/);
    assert.equal(count(), rows);
    assert.equal(raw.prepare(`SELECT 1 FROM results WHERE message LIKE 'changed%' LIMIT 1`).get(), undefined);
  });

  it('is refused while a process uses the file, on either side', async (t) => {
    const service = await startService(t);
    const folder = emptyFolder(t);
    const other = `sqlite:${join(folder, 'other.db')}`;
    const own = `sqlite:${service.databasePath}`;
    for (const [from, to] of [[own, other]] as const) {
      const said = await runCommand(['migrate', '--from', from, '--to', to]);
      assert.equal(said.code, 1);
      assert.match(said.err, /tocsin: .*tocsin\.db is in use by another Tocsin process: stop that one/);
    }
    await fileWith(join(folder, 'other.db'), 1);
    const said = await runCommand(['migrate', '--from', other, '--to', own], secretKey);
    assert.match(said.err, /is in use by another Tocsin process/);
    assert.equal((await fetch(`${service.address}/health/ready`)).status, 200, 'the service goes on');
  });

  it('explains an invalid command line, and never shows a password', async (t) => {
    const folder = emptyFolder(t);
    const file = `sqlite:${join(folder, 'none.db')}`;
    const cases: readonly (readonly [words: string[], code: number, says: RegExp])[] = [
      [['--to', file], 2, /needs --from sqlite:/],
      [['--from', file, '--to', 'mysql://u:canary@h/d'], 2, /--to is invalid; use sqlite:/],
      [['--from', file, '--to', 'postgres://u:canary@h'], 2, /--to is invalid: it has no database/],
      [['--from', file, '--to', file], 1, /the same database/],
      [['--from', file, '--to', 'postgres://u:canary@127.0.0.1:1/d'], 1, /there is no database at/],
    ];
    for (const [words, code, says] of cases) {
      const said = await runCommand(['migrate', ...words], secretKey);
      assert.deepEqual([said.code, says.test(said.err)], [code, true], said.err);
      assert.doesNotMatch(said.out + said.err, /canary/);
    }
    const keyless = await runCommand(['migrate', '--from', file, '--to', 'sqlite:x.db'], { TOCSIN_DATA_DIR: folder });
    assert.equal(keyless.code, 78);
    assert.match(keyless.err, /no secret key found in \S+: copy secret\.key there .* or set TOCSIN_SECRET_KEY/);
  });
});

const secret = 'a secret between two';

describe('about the file and PostgreSQL: an installation that moves to PostgreSQL and back', { concurrency: 2 }, () => {
  it('loses no slot and no alert, and repeats none', async (t) => {
    const first = await startService(t);
    const [target, receiver] = [await startScriptedServer(t), await startReceiver(t, secret)];
    target.answer({ status: 500 });
    receiver.answer((message) => ({ status: message.attempt === 1 ? 500 : 200 }));
    const check = await first.must('POST', '/v1/checks/api', {
      name: 'Cart',
      frequency: 0,
      frequencyOffset: 10,
      request: { method: 'GET', url: target.url },
    });
    await first.must('POST', '/v1/alert-channels', {
      type: 'WEBHOOK',
      config: { url: receiver.url, webhookSecret: secret },
      subscriptions: [{ checkId: check['id'] }],
    });
    await first.must('POST', '/v1/variables', { key: 'TOKEN', value: 'kept sealed', secret: true });
    const reported = await receiver.alert('ALERT_FAILURE', 30_000);
    await first.stop();

    const dataDir = join(emptyFolder(t), 'data');
    mkdirSync(dataDir);
    cpSync(join(dirname(first.databasePath), 'secret.key'), join(dataDir, 'secret.key'));
    const { url } = await server.newDatabase();
    const environment = { TOCSIN_DATA_DIR: dataDir };
    const pasted = await paste(
      blockOf(readPage('docs/moving.md'), 'sh', 'migrate').replace(
        'sqlite:data/',
        `sqlite:${dirname(first.databasePath)}/`,
      ),
      dirname(dataDir),
      { TARGET: url },
    );
    assert.equal(pasted.code, 0, `the page's own lines: ${pasted.err}`);
    target.answer({ status: 200 });
    const between = await startService(t, { DATABASE_URL: url }, { dataDir, enter: [] });
    const recovery = await receiver.received(({ json }) => json['ALERT_TYPE'] === 'ALERT_RECOVERY', 30_000);
    const used = await runCommand(['migrate', '--from', url, '--to', `sqlite:${join(dataDir, 'x.db')}`], environment);
    assert.match(
      used.err,
      /tocsin_\d+_\d+ is in use: process \d+ on .* sent a heartbeat \d+ s ago\. Stop all its processes/,
    );
    await assertConserved(between);
    await between.stop();

    const back = ['migrate', '--from', url, '--to', `sqlite:${join(dataDir, 'tocsin.db')}`];
    const said = await runCommand(back, environment);
    assert.equal(said.code, 0, said.err);
    const second = await startService(t, {}, { dataDir, enter: [] });
    for (const { deliveryId, hit } of [reported, recovery]) {
      const repeated = await receiver.received((one) => one.deliveryId === deliveryId && one.attempt === 2, 45_000);
      assert.ok(repeated.hit.at >= hit.at + 20_000, 'a retry keeps its time');
    }
    const listed = (await second.must('GET', '/v1/variables')) as unknown as { key: string }[];
    assert.deepEqual(
      listed.map(({ key }) => key),
      ['TOKEN'],
    );
    await assertConserved(second);
    await second.stop();
    assert.deepEqual(
      receiver.all.map(({ json, attempt }) => `${String(json['ALERT_TYPE'])} ${attempt}`).sort(),
      ['ALERT_FAILURE 1', 'ALERT_FAILURE 2', 'ALERT_RECOVERY 1', 'ALERT_RECOVERY 2'],
      'each alert once, each attempt once',
    );
    assertEverySlot(join(dataDir, 'tocsin.db'), String(check['id']));
  });

  it('moves one account to another installation as documented, where it recovers', async (t) => {
    const [target, receiver] = [await startScriptedServer(t), await startReceiver(t, 'secret')];
    const [first, second] = [await startService(t), await startService(t)];
    const { id } = await first.must('POST', '/v1/accounts', { name: 'Shop' });
    const { key } = await first.must('POST', '/v1/api-keys', { name: 'Shop', role: 'admin', accountIds: [id] });
    target.answer({ status: 500 });
    const own = asker(() => first.address, String(key));
    const request = { method: 'GET', url: target.url };
    const check = await own.must('POST', '/v1/checks/api', {
      name: 'Cart',
      frequency: 0,
      frequencyOffset: 10,
      request,
    });
    await own.must('POST', '/v1/alert-channels', {
      type: 'WEBHOOK',
      config: { url: receiver.url, webhookSecret: 'secret' },
      subscriptions: [{ checkId: check['id'] }],
    });
    await receiver.alert('ALERT_FAILURE', 30_000);
    await Promise.all([first.stop(), second.stop()]);
    const pasted = await paste(blockOf(readPage('docs/moving.md'), 'sh', 'account'), dirname(first.databasePath), {
      ACCOUNT: String(id),
      FROM: `sqlite:${first.databasePath}`,
      TO: `sqlite:${second.databasePath}`,
      NEW_KEY: join(dirname(second.databasePath), 'secret.key'),
      TOCSIN_DATA_DIR: dirname(first.databasePath),
    });
    assert.equal(pasted.code, 0, pasted.err);
    target.answer({ status: 200 });
    await Promise.all([first.restart(), second.restart()]);
    await receiver.alert('ALERT_RECOVERY', 30_000);
    const there = asker(() => second.address, String(key));
    assert.equal((await there.must('GET', `/v1/checks/${String(check['id'])}`))['name'], 'Cart');
    assert.equal((await own.api('GET', '/v1/checks')).status, 401, 'the source knows the key no more');
    for (const service of [first, second]) await assertConserved(service);
  });
});

async function assertConserved({ address }: Service): Promise<void> {
  const metrics = await (await fetch(`${address}/metrics`)).text();
  assert.match(metrics, /^tocsin_conservation_difference 0$/m);
}

/** Every slot from the first on has one run or result; runs on demand have no slot. */
function assertEverySlot(path: string, checkId: string): void {
  const database = new DatabaseSync(path, { readOnly: true });
  const id = Buffer.from(checkId.replaceAll('-', ''), 'hex');
  const rows = [
    ...database.prepare('SELECT id, slots FROM results WHERE check_id = ? AND source = 0').all(id),
    ...database.prepare('SELECT id, 1 AS slots FROM runs WHERE check_id = ? AND source = 0').all(id),
  ];
  database.close();
  const slots = rows
    .flatMap((row) => {
      const slotAt = Buffer.from(row['id'] as Uint8Array).readUIntBE(0, 6);
      return Array.from({ length: Number(row['slots']) }, (_, index) => slotAt + index * 10_000);
    })
    .sort((a, b) => a - b);
  const [start] = slots;
  assert.ok(start !== undefined && slots.length >= 3, `${slots.length} slots`);
  assert.deepEqual(
    slots,
    slots.map((_, index) => start + index * 10_000),
  );
}
