// `npm run tocsin -- <command>` on a real installation: effects, output and exit codes.
import assert from 'node:assert/strict';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { type TOTP, URI } from 'otpauth';
import { paste, runCommand as tocsin } from '../support/service/command.ts';
import { test as itEach } from '../support/service/each-topology.ts';
import { describe as describeOnce, test as itOnce } from '../support/service/one-process.ts';
import { blockOf, readPage } from '../support/pages.ts';
import { openRawPostgres } from '../support/store/raw-rows.ts';
import { sharedPostgres } from '../support/postgres/shared-postgres.ts';
import { startService } from '../support/service/service.ts';
import { startProcess } from '../support/service/tocsin-process.ts';

/** No work is needed, so start no other threads. */
const onlyApi = { TOCSIN_ROLES: 'api' };

function emptyFolder(t: { after(fn: () => void): void }): string {
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-commands-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

describe('the command line', () => {
  it('prints help on request and for unknown commands', async () => {
    const help = await tocsin(['help']);
    assert.equal(help.code, 0);
    for (const command of ['serve', 'backup', 'restore', 'migrate', 'new-key', 'new-user', 'doctor'])
      assert.match(help.out, new RegExp(`^ {2}${command} `, 'm'));
    const unknown = await tocsin(['bakup']);
    assert.equal(unknown.code, 2);
    assert.match(unknown.err, /unknown command .bakup.\n\(Did you mean backup\?\)/);
    assert.equal((await tocsin(['constructor'])).code, 2);
    assert.equal((await tocsin(['doctor', '--jsn'])).code, 2);
    const install = await tocsin(['runtimes', 'instal']);
    assert.deepEqual([install.code, /did you mean install\?/.test(install.err)], [2, true], install.err);
    for (const words of [['backup'], ['runtimes', 'try']]) {
      const { code, out } = await tocsin([...words, '--help']);
      assert.deepEqual([code, out.startsWith(`Usage: npm run tocsin -- ${words.join(' ')} `)], [0, true], out);
    }
  });

  it('exits with 78 and one line if the configuration is invalid', async () => {
    const said = await tocsin(['doctor'], { TOCSIN_RATE_LIMIT: 'many' });
    assert.equal(said.code, 78);
    assert.match(said.err, /^tocsin: .*TOCSIN_RATE_LIMIT.*"many".*\n$/);
  });
});

describe('about the file: backup', () => {
  it('copies a running service into a complete installation', async (t) => {
    const folder = emptyFolder(t);
    const dataDir = join(folder, 'data');
    mkdirSync(dataDir);
    const service = await startService(t, onlyApi, { dataDir, enter: [] });
    await service.must('POST', '/v1/variables', { key: 'KEPT', value: 'in the copy' });
    const target = join(folder, 'backups', 'tocsin-2026-01-31.db');
    const environment = { TOCSIN_DATA_DIR: dirname(service.databasePath) };
    const said = await tocsin(['backup', target], environment);
    assert.equal(said.code, 0, said.err);
    assert.match(said.out, /verified/);
    assert.deepEqual(readdirSync(dirname(target)), ['tocsin-2026-01-31.db'], 'nothing else is left beside it');
    assert.equal(statSync(target).mode & 0o777, 0o600, 'nobody else can read it');
    assert.equal(statSync(dirname(target)).mode & 0o777, 0o700);

    const again = await tocsin(['backup', target], environment);
    assert.equal(again.code, 1, 'an older backup is not overwritten');
    assert.match(again.err, /already exists/);

    await service.must('POST', '/v1/variables', { key: 'LATER', value: 'not in the copy' });
    await service.stop();
    const restore = blockOf(readPage('docs/backup.md'), 'sh', 'restore');
    const drill = await paste(blockOf(readPage('docs/backup.md'), 'sh', 'drill'), folder);
    assert.equal(drill.code, 0, `a drill leaves the live data alone: ${drill.err}`);
    assert.ok(existsSync(join(folder, 'drill', 'tocsin.db')));
    const pasted = await paste(restore, folder);
    assert.equal(pasted.code, 0, `the page's own lines, after a clean stop: ${pasted.err}`);
    await service.restart();
    assert.doesNotMatch(service.printed, /store\.recovered/, 'a copy is no crash');
    assert.equal((await service.api('GET', '/v1/variables/KEPT')).status, 200);
    assert.equal((await service.api('GET', '/v1/variables/LATER')).status, 404);
  });

  it('says if there is nothing to copy or no destination', async (t) => {
    const folder = emptyFolder(t);
    const said = await tocsin(['backup', join(folder, 'copy.db')], { TOCSIN_DATA_DIR: join(folder, 'none') });
    assert.equal(said.code, 1);
    assert.match(said.err, /no database found/);
    assert.equal(existsSync(join(folder, 'copy.db')), false);
    assert.equal((await tocsin(['backup'])).code, 2);
  });
});

describe('about the file: restore', () => {
  it('refuses a running service and unusable backups, without changes', async (t) => {
    const folder = emptyFolder(t);
    const dataDir = join(folder, 'data');
    mkdirSync(dataDir);
    const service = await startService(t, onlyApi, { dataDir, enter: [] });
    const environment = { TOCSIN_DATA_DIR: dataDir };
    const copy = join(folder, 'copy.db');
    assert.equal((await tocsin(['backup', copy], environment)).code, 0);
    const running = await tocsin(['restore', copy], environment);
    assert.deepEqual([running.code, /is in use by another Tocsin process/.test(running.err)], [1, true], running.err);
    await service.stop();

    const changed = (name: string, sql: string): string => {
      const path = join(folder, name);
      copyFileSync(copy, path);
      const database = new DatabaseSync(path);
      database.exec(sql);
      database.close();
      return path;
    };
    const torn = join(folder, 'torn.db');
    writeFileSync(torn, readFileSync(copy).subarray(0, 20_000));
    const cases: readonly (readonly [path: string, says: RegExp, key?: string])[] = [
      [join(folder, 'none.db'), /does not exist/],
      [service.databasePath, /is the current database/],
      [torn, /is not a readable Tocsin database|damaged/],
      [changed('other.db', 'DROP TABLE installation'), /is not a readable Tocsin database/],
      [changed('newer.db', 'PRAGMA user_version = 99'), /version 99/],
      [copy, /the secret key does not match/, '08'.repeat(32)],
    ];
    const before = readFileSync(service.databasePath);
    for (const [path, says, key] of cases) {
      const said = await tocsin(['restore', path], { ...environment, ...(key && { TOCSIN_SECRET_KEY: key }) });
      assert.deepEqual([said.code, says.test(said.err)], [1, true], `${path}: ${said.err}`);
    }
    assert.ok(before.equals(readFileSync(service.databasePath)));
    assert.deepEqual(
      readdirSync(dataDir).filter((name) => /replaced|restored|part/.test(name)),
      [],
    );
  });

  it('keeps the replaced files, including a log left by a crash', async (t) => {
    const folder = emptyFolder(t);
    const dataDir = join(folder, 'data');
    mkdirSync(dataDir);
    const service = await startService(t, onlyApi, { dataDir, enter: [] });
    const environment = { TOCSIN_DATA_DIR: dataDir };
    assert.equal((await tocsin(['backup', join(folder, 'copy.db')], environment)).code, 0);
    await service.must('POST', '/v1/variables', { key: 'LATER', value: 'not in the copy' });
    await service.kill();
    const said = await tocsin(['restore', join(folder, 'copy.db')], environment);
    assert.equal(said.code, 0, said.err);
    const kept = /the previous database is now (\S+)/.exec(said.out)?.[1] ?? assert.fail(said.out);
    assert.match(kept, /tocsin\.db\.replaced-\d{4}-\d\d-\d\dT\d+Z$/);
    const later = (path: string): unknown => {
      using database = new DatabaseSync(path, { readOnly: true });
      return database.prepare('SELECT key FROM variables').get()?.['key'];
    };
    assert.deepEqual([later(kept), later(service.databasePath)], ['LATER', undefined]);
    const undone = await tocsin(['restore', kept], environment);
    assert.equal(undone.code, 0, undone.err);
    assert.equal(later(service.databasePath), 'LATER');
    await service.restart();
    assert.equal((await service.api('GET', '/v1/variables/LATER')).status, 200);
  });

  it('and backup explain how to copy PostgreSQL', async () => {
    for (const command of ['backup', 'restore']) {
      const said = await tocsin([command, 'x.db'], { DATABASE_URL: 'postgres://u:canary@127.0.0.1:1/d' });
      assert.equal(said.code, 1);
      assert.match(
        said.err,
        /^tocsin: (?:restore|back up) a PostgreSQL database with its own tools: see docs\/backup\.md\n$/,
      );
    }
  });
});

describe('new-key', () => {
  const keyIn = (out: string): string => /^ {2}export TOCSIN_API_KEY=(tsn_\S{43})$/m.exec(out)?.[1] ?? assert.fail(out);

  itOnce('lets in again who lost every key, while the service runs and while it does not', async (given) => {
    const service = await given.startService(given.t, onlyApi);
    const accounts = [
      (await service.must('GET', '/v1/accounts')) as unknown as { id: string }[],
      await service.must('POST', '/v1/accounts', { name: 'Second' }),
    ].flat();
    const { environment } = service;
    const made = await tocsin(['new-key', '--name', 'after the loss'], environment);
    assert.equal(made.code, 0, made.err);
    assert.match(made.out, /^Operator key for 2 accounts/);
    const keys = (key: string) => service.api('GET', '/v1/api-keys', undefined, { authorization: `Bearer ${key}` });
    const { status, body } = await keys(keyIn(made.out));
    assert.equal(status, 200);
    const own = (body as unknown as Record<string, unknown>[]).find(({ name }) => name === 'after the loss');
    assert.deepEqual([own?.['role'], own?.['accountIds']], ['operator', accounts.map(({ id }) => id)]);

    await service.stop();
    const second = await tocsin(['new-key'], environment);
    assert.equal(second.code, 0, second.err);
    await service.restart();
    assert.equal((await keys(keyIn(second.out))).status, 200);
    assert.equal((await keys(keyIn(made.out))).status, 200, 'it is kept');
  });

  it('says if there is nothing to encrypt', async (t) => {
    const said = await tocsin(['new-key'], { TOCSIN_DATA_DIR: emptyFolder(t) });
    assert.equal(said.code, 1);
    assert.match(said.err, /no database at .*\. Start Tocsin once; it creates the database and prints the first key/);
    const { url } = await (await sharedPostgres()).newDatabase();
    const empty = await tocsin(['new-key'], { DATABASE_URL: url });
    assert.equal(empty.code, 1);
    assert.match(empty.err, /has schema version 0, not \d+: start Tocsin once to upgrade it/);
    assert.equal((await tocsin(['new-key', '--name', ' '])).code, 2);
  });
});

const [email, password] = ['ada@example.com', 'correct horse battery'];
const withUser = { ...onlyApi, TOCSIN_BOOTSTRAP_EMAIL: email, TOCSIN_BOOTSTRAP_PASSWORD: password };

describeOnce('new-user', { own: { environment: withUser } }, ({ it: itWithUser }) => {
  itWithUser('prints a link that creates an operator, while the service runs', async (_, service) => {
    const environment = { ...service.environment, TOCSIN_PUBLIC_URL: 'https://tocsin.test' };
    const local = await tocsin(['new-user'], service.environment);
    assert.match(local.out, new RegExp(`^Create your user: ${service.address}/setup#`), 'the address of the service');
    const printed = await tocsin(['new-user'], environment);
    assert.equal(printed.code, 0, printed.err);
    const [, token] = /^Create your user: https:\/\/tocsin\.test\/setup#([\w-]{43})\n$/.exec(printed.out) ?? [];
    const create = (address: string) =>
      service.api('POST', '/v1/setup', { token, email: address, password: 'another long password' });
    const { status, body } = await create('bob@example.com');
    assert.deepEqual([status, body['role']], [201, 'operator']);
    assert.equal((await create('eve@example.com')).status, 404);
  });

  itWithUser('reset-second-factor removes a lost one and ends the sessions', async (_, service) => {
    const ask = (method: string, path: string, body: object, cookie = '') =>
      fetch(service.address + path, {
        method,
        headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', cookie },
        body: JSON.stringify(body),
      });
    const signIn = () => ask('POST', '/v1/sessions', { email, password });
    const cookie = (await signIn()).headers.get('set-cookie')?.split(';', 1)[0] ?? '';
    const none = await tocsin(['reset-second-factor', email], service.environment);
    assert.deepEqual([none.code, /has a second factor/.test(none.err)], [1, true], none.err);
    const made = (await (await ask('POST', '/v1/me/second-factor', { password }, cookie)).json()) as { url: string };
    const code = (URI.parse(made.url) as TOTP).generate();
    assert.equal((await ask('PUT', '/v1/me/second-factor', { code }, cookie)).status, 200);
    assert.equal((await signIn()).status, 401);
    const reset = await tocsin(['reset-second-factor', ' Ada@example.com'], service.environment);
    assert.equal(reset.code, 0, reset.err);
    assert.equal((await signIn()).status, 201);
  });

  it('says so when there is no database', async (t) => {
    const said = await tocsin(['new-user'], { TOCSIN_DATA_DIR: emptyFolder(t) });
    assert.deepEqual([said.code, /no database at /.test(said.err)], [1, true], said.err);
  });
});

describe('doctor', () => {
  itEach('finds a healthy installation healthy, and says that it runs', async ({ t, startService: startHealthy }) => {
    const service = await startHealthy(t, {});
    for (const address of service.addresses) {
      const environment = { TOCSIN_DATA_DIR: emptyFolder(t), ...service.environment, PORT: new URL(address).port };
      const said = await tocsin(['doctor', '--json'], environment);
      assert.equal(said.code, 0, said.out);
      const findings = JSON.parse(said.out) as { what: string; grade: string; message: string }[];
      assert.deepEqual(
        // Pings depend on the machine, and runtime ends on the date.
        findings.filter(({ grade, what }) => grade !== 'ok' && what !== 'pings' && what !== 'runtime end'),
        [],
      );
      assert.match(findings.find(({ what }) => what === 'service')?.message ?? '', /^running at .*, ready$/);
      const pings = findings.find(({ what }) => what === 'pings')?.message ?? '';
      assert.match(pings, /^ICMP is available$|ICMP checks will be inconclusive/);
    }
    // Problems that the next start would refuse are reported before.
    service.rows((raw) => raw.exec(`UPDATE runtime_stages SET stage = 'DEPRECATED' WHERE name = '2026.10'`));
    const said = await tocsin(['doctor'], { TOCSIN_DATA_DIR: emptyFolder(t), ...service.environment });
    assert.equal(said.code, 1, said.out);
    assert.match(said.out, /PROBLEM +runtimes +2026\.10: stage cannot go back from DEPRECATED to CURRENT/);
  });
});

describe('about the file: doctor', () => {
  it('finds the data folder of the running service, counts the write-ahead log, and reports problems with advice', async (t) => {
    const service = await startService(t, onlyApi);
    const elsewhere = emptyFolder(t);
    const environment = { PORT: new URL(service.address).port };
    const found = await tocsin(['doctor'], environment, elsewhere);
    assert.match(found.out, new RegExp(`ok +data folder +\\S*${basename(dirname(service.databasePath))}`));
    assert.match(found.out, /ok +database .* MB \(\d+\.\d MB of which is write-ahead log\), undamaged/);
    await service.stop();
    const missing = await tocsin(['doctor'], environment, elsewhere);
    assert.equal(missing.code, 1);
    assert.match(missing.out, new RegExp(`PROBLEM +data folder +${elsewhere}/data does not exist`));

    const dataDir = dirname(service.databasePath);
    chmodSync(join(dataDir, 'secret.key'), 0o644);
    writeFileSync(service.databasePath, 'this is no database at all, whatever its name says '.repeat(100));
    const said = await tocsin(['doctor'], { TOCSIN_DATA_DIR: dataDir, PORT: '1', TOCSIN_HOST: '::1' });
    assert.equal(said.code, 1, 'problems are reported with advice');
    assert.match(said.out, /PROBLEM +secret key .*chmod 600/);
    assert.match(said.out, /PROBLEM +database .*backup/);
    assert.match(said.out, /warning +variable +TOCSIN_HOST is unknown: did you mean HOST\?/);
    assert.match(said.out, /warning +service .*npm start/);
  });

  it('ends normally if the reader of its output closes early', async (t) => {
    const said = await paste('npm run tocsin -- doctor | true', emptyFolder(t), { PORT: '1' });
    assert.deepEqual([said.code, said.err], [0, '']);
  });
});

describe('about PostgreSQL: doctor', () => {
  it('reports problems with advice and exits with 1', async (t) => {
    const database = await (await sharedPostgres()).newDatabase();
    const { url } = database;
    const examined = async (address: string, more: NodeJS.ProcessEnv = {}) => {
      const environment = { TOCSIN_DATA_DIR: emptyFolder(t), PORT: '1', DATABASE_URL: address, ...more };
      const said = await tocsin(['doctor'], environment);
      assert.doesNotMatch(said.out + said.err, /hunter2/);
      return said;
    };
    assert.match((await examined(url)).out, /ok +schema +will be created at the first start/);

    const wrong = await examined(url.replace(/tocsin:[^@]+@/, 'tocsin:hunter2@'));
    assert.equal(wrong.code, 1);
    assert.match(wrong.out, /PROBLEM +database .*password authentication failed.*docs\/postgresql\.md/);

    // Like docs/postgresql.md for a URL without a password.
    const keyless = new URL(url);
    keyless.password = '';
    const passwords = join(emptyFolder(t), 'passwords');
    const line = [keyless.hostname, keyless.port, '*', keyless.username, decodeURIComponent(new URL(url).password)];
    writeFileSync(passwords, `${line.map((field) => field.replaceAll(/[\\:]/g, '\\$&')).join(':')}\n`, { mode: 0o600 });
    assert.match((await examined(keyless.href)).out, /PROBLEM +database .*it requires a password; put one/);
    assert.match((await examined(keyless.href, { PGPASSFILE: passwords })).out, /ok +schema /);
    assert.match((await examined(keyless.href, { PGPASSWORD: line[4] })).out, /ok +schema /);

    const away = await examined('postgres://tocsin:hunter2@127.0.0.1:1/tocsin');
    assert.equal(away.code, 1);
    assert.match(away.out, /PROBLEM +database .*ECONNREFUSED/);

    const held = { TOCSIN_DELIVERIES: 'held', TOCSIN_DATA_DIR: emptyFolder(t), DATABASE_URL: url };
    const { printed, child, ready } = startProcess({ ...onlyApi, ...held });
    t.after(() => void child.kill('SIGKILL'));
    await (await ready).end('SIGTERM');
    assert.match((await examined(url)).out, /warning +deliveries +deliveries have been held since .*TOCSIN_DELIVERIES/);
    const raw = openRawPostgres(url);
    raw.exec(`UPDATE installation SET value = '999' WHERE key = 'schema-version'`);
    raw.close();
    const newer = await examined(url);
    assert.equal(newer.code, 1, printed());
    assert.match(newer.out, /PROBLEM +schema +version 999 is newer than this version of Tocsin: upgrade Tocsin/);
  });
});
