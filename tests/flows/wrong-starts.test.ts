// A start that cannot go on ends with one line that says what to do, the right exit code, and nothing made or changed. What
// is found before a database is looked at stands here once; the rest for each topology, or where it is about one.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { postgresServer, test as itEach } from '../support/each-topology.ts';
import { freePort } from '../support/free-port.ts';
import { mountOwnDisk } from '../support/own-disk.ts';
import { plainEnvironment } from '../support/plain-environment.ts';
import type { Cleanup } from '../support/scripted-server.ts';
import { sharedKey } from '../support/role-processes.ts';
import { apiKey, startService } from '../support/service.ts';
import { openTempStore, secretKey } from '../support/temp-store.ts';
import { main, startProcess } from '../support/tocsin-process.ts';
import { until } from '../support/until.ts';

interface Said {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Starts the service and waits for its end; one that goes on is ended, and fails the test. */
async function start(environment: NodeJS.ProcessEnv, enter: readonly string[] = []): Promise<Said> {
  const [command, ...words] = [...enter, process.execPath, main];
  const child = spawn(command, words, {
    env: { ...plainEnvironment(), HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'silent', ...environment },
  });
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  const timer = setTimeout(() => child.kill('SIGKILL'), 20_000);
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  clearTimeout(timer);
  return { code, out, err };
}

function assertOneLine({ code, out, err }: Said, exitCode: number, ...words: readonly RegExp[]): void {
  assert.match(err, /^tocsin: [^\n]+\n$/, `one line, not:\n${err}`);
  for (const word of words) assert.match(err, word);
  assert.doesNotMatch(err, /\n\s+at /, 'no stack');
  assert.equal(code, exitCode, err);
  assert.equal(out, '', 'nothing is printed as if it ran');
}

function emptyFolder(t: Cleanup): string {
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-start-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Every file of a folder with its bytes. What SQLite keeps beside a file while it is open is not counted. */
function contentOf(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    files
      .filter(({ name }) => !/-(wal|shm)$|\.lock$/.test(name))
      .map(({ parentPath, name }) => [name, readFileSync(join(parentPath, name), 'base64')]),
  );
}

describe('a wrong configuration', () => {
  // What else can be wrong stands in src/config/config.test.ts: one of each kind is started here.
  for (const [name, value, right] of [
    ['PORT', '70000', /0 to 65535/],
    ['DATABASE_URL', 'postgres://localhost/x', /names no user/],
    ['TOCSIN_ROLES', 'api,runer', /runner/],
    ['TOCSIN_BOOTSTRAP_API_KEY', 'hunter2-hunter2', /tsn_/],
    ['TOCSIN_SECRET_KEY_FILE', '/nonexistent/key', /readable file/],
  ] as const) {
    it(`${name}=${value} ends the start with 78 and the name of the variable`, async (t) => {
      const folder = emptyFolder(t);
      const said = await start({ TOCSIN_DATA_DIR: join(folder, 'data'), [name]: value });
      assertOneLine(said, 78, new RegExp(`\\b${name}\\b`), right);
      assert.doesNotMatch(said.err, /hunter2/, 'a secret is not repeated');
      assert.deepEqual(readdirSync(folder), [], 'nothing was made');
    });
  }

  it('an address that is none of this machine is named', async (t) => {
    const said = await start({ TOCSIN_DATA_DIR: emptyFolder(t), HOST: '192.0.2.1' });
    assertOneLine(said, 78, /HOST 192\.0\.2\.1 is not an address of this machine/, /127\.0\.0\.1/);
  });

  it('a data folder that is a file is named', async (t) => {
    const folder = emptyFolder(t);
    writeFileSync(join(folder, 'data'), 'mine');
    assertOneLine(await start({ TOCSIN_DATA_DIR: join(folder, 'data') }), 78, /TOCSIN_DATA_DIR/);
    assert.equal(readFileSync(join(folder, 'data'), 'utf8'), 'mine');
  });

  it('a secret key file of another form is named, and left as it is', async (t) => {
    const folder = emptyFolder(t);
    writeFileSync(join(folder, 'secret.key'), 'my own notes');
    assertOneLine(await start({ TOCSIN_DATA_DIR: folder }), 78, /secret\.key/, /64 hex/);
    assert.deepEqual(readdirSync(folder), ['secret.key']);
    assert.equal(readFileSync(join(folder, 'secret.key'), 'utf8'), 'my own notes');
  });
});

describe('a start on what another uses', () => {
  itEach('a used port is named, and the first key is not lost with it', async ({ t, startService: startAnother }) => {
    // The account of this one is taken away again: as on a database that was just made.
    const other = await startAnother(t, {}, { roles: ['api'] });
    await other.stop();
    other.rows((raw) => raw.exec('DELETE FROM api_key_accounts; DELETE FROM api_keys; DELETE FROM accounts'));
    const listener = createServer().listen(0, '127.0.0.1');
    t.after(() => void listener.close());
    await new Promise((resolve) => listener.once('listening', resolve));
    const address = listener.address();
    const port = String(typeof address === 'object' ? address?.port : '');
    const said = await start({ TOCSIN_DATA_DIR: emptyFolder(t), ...other.environment, PORT: port });
    assertOneLine(said, 1, new RegExp(port), /PORT/);
    const keys = other.rows((raw) => raw.prepare('SELECT count(*) AS n FROM api_keys').get());
    assert.equal(Number(keys?.['n']), 0, 'a key that nobody has seen');
  });
});

describe('about the file: a start on what another uses', () => {
  it('a second process on the same file is refused, and the first goes on', async (t) => {
    const service = await startService(t, { TOCSIN_ROLES: 'api' });
    const folder = dirname(service.databasePath);
    assertOneLine(await start({ TOCSIN_DATA_DIR: folder }), 1, /in use by another Tocsin/, /TOCSIN_DATA_DIR/);
    await service.must('POST', '/v1/variables', { key: 'STILL', value: 'here' });
    assert.equal((await fetch(`${service.address}/health/ready`)).status, 200);
  });
});

describe('a start on data that it cannot use', () => {
  itEach('a database of a newer version is left as it is', async ({ t, startService: startOlder, topology }) => {
    const service = await startOlder(t, {}, { roles: ['api'] });
    await service.stop();
    service.rows((raw) => {
      if (topology === 'one process, SQLite') raw.exec('PRAGMA user_version = 999');
      else raw.exec(`UPDATE installation SET value = '999' WHERE key = 'schema-version'`);
    });
    const folder = service.environment['TOCSIN_DATA_DIR'] ?? emptyFolder(t);
    const present = [contentOf(folder), service.stored()];
    const said = await start({ TOCSIN_DATA_DIR: folder, ...service.environment });
    assertOneLine(said, 1, /schema version 999/, /newer version|backup/);
    assert.deepEqual([contentOf(folder), service.stored()], present);
  });

  itEach('a key that did not seal the database is found at the start, not at the first alert', async (given) => {
    const service = await given.startService(given.t, { TOCSIN_SECRET_KEY: sharedKey }, { roles: ['api'] });
    await service.must('POST', '/v1/variables', { key: 'SEALED', value: 'x', secret: true });
    await service.stop();
    const environment = { TOCSIN_DATA_DIR: emptyFolder(given.t), ...service.environment };
    assertOneLine(await start({ ...environment, TOCSIN_SECRET_KEY: 'cd'.repeat(32) }), 78, /TOCSIN_SECRET_KEY/);
  });
});

describe('about the file: a start on data that it cannot use', () => {
  it('a runtime whose stage steps back is named, with both stages', async () => {
    await using temp = openTempStore();
    await temp.store.runtimeStages.remember(new Map([['2026.10', 'DEPRECATED']]));
    await temp.rest();
    assert.ok(temp.address.kind === 'sqlite');
    const environment = {
      TOCSIN_DATA_DIR: dirname(temp.address.path),
      TOCSIN_SECRET_KEY: Buffer.from(secretKey).toString('hex'),
    };
    const present = temp.raw.prepare('SELECT * FROM runtime_stages').all();
    assertOneLine(await start(environment), 1, /runtime 2026\.10: stage CURRENT is a step back from DEPRECATED/);
    assert.deepEqual(temp.raw.prepare('SELECT * FROM runtime_stages').all(), present);
  });

  it('a file that is no database is left as it is', async (t) => {
    const folder = emptyFolder(t);
    writeFileSync(join(folder, 'secret.key'), `${'ab'.repeat(32)}\n`);
    writeFileSync(join(folder, 'tocsin.db'), 'a letter to a friend, of some length. '.repeat(200));
    const present = contentOf(folder);
    assertOneLine(await start({ TOCSIN_DATA_DIR: folder }), 1, /tocsin\.db/, /backup/);
    assert.deepEqual(contentOf(folder), present);
  });

  // Permissions do not hold root back; a disk that is read-only does.
  it('a data folder that cannot be written is named', async (t) => {
    const disk = await mountOwnDisk(t, 2);
    mkdirSync(join(disk.folder, 'data'));
    disk.setReadOnly(true);
    for (const folder of ['data', 'missing']) {
      const dataDir = join(disk.place.dataDir, folder);
      const said = await start({ TOCSIN_DATA_DIR: dataDir }, disk.place.enter);
      assertOneLine(said, 78, /TOCSIN_DATA_DIR/, /write/);
    }
    assert.deepEqual(readdirSync(disk.folder), ['data']);
  });
});

describe('about PostgreSQL: a start', () => {
  const environmentOf = (t: Cleanup, url: string): NodeJS.ProcessEnv => ({
    TOCSIN_DATA_DIR: emptyFolder(t),
    TOCSIN_SECRET_KEY: sharedKey,
    TOCSIN_BOOTSTRAP_API_KEY: apiKey,
    DATABASE_URL: url,
    // That each of them could do all of its work is shown elsewhere, and would cost seconds.
    TOCSIN_ROLES: 'api',
  });

  it('with a password, a user or a database that the server does not know ends with the server’s words', async (t) => {
    const { url, name } = await (await postgresServer()).newDatabase();
    const password = /tocsin:([^@]+)@/.exec(url)?.[1] ?? '';
    for (const [wrong, why] of [
      [url.replace(password, 'hunter2'), /password authentication failed for user "tocsin"/],
      [url.replace('//tocsin:', '//nobody:'), /password authentication failed for user "nobody"/],
      [url.replace(name, 'elsewhere'), /database "elsewhere" does not exist/],
    ] as const) {
      const said = await start(environmentOf(t, wrong));
      assertOneLine(said, 1, /postgres:\/\/\w+@127\.0\.0\.1:\d+\/\w+ cannot be connected to/, why);
      assert.doesNotMatch(said.err, /hunter2/);
      assert.ok(!said.err.includes(password));
    }
  });

  it('on a server that is not there yet waits for it, and goes on by itself', async (t) => {
    const postgres = await postgresServer();
    const { port: serverPort } = postgres;
    const { url } = await postgres.newDatabase();
    const port = await freePort();
    const wanted = url.replace(`:${serverPort}/`, `:${port}/`);
    const { printed, child, ready } = startProcess(environmentOf(t, wanted));
    t.after(() => void child.kill('SIGKILL'));
    await until('the process to wait', () => /store\.waiting/.test(printed()), { seen: printed });
    assert.doesNotMatch(printed(), /listens on/);
    const listener = createServer((client) => {
      const server = connect(serverPort, '127.0.0.1');
      for (const socket of [client, server]) socket.on('error', () => socket.destroy());
      client.pipe(server).pipe(client);
    }).listen(port, '127.0.0.1');
    t.after(() => void listener.close());
    const process = await ready;
    const answer = await fetch(`${process.address}/v1/checks`, { headers: { authorization: `Bearer ${apiKey}` } });
    assert.equal(answer.status, 200);
    assert.equal((await process.end('SIGTERM')).code, 0);
  });

  it('of many processes at once on an empty database makes it once, and all of them run', async (t) => {
    const { url } = await (await postgresServer()).newDatabase();
    const all = Array.from({ length: 6 }, () => startProcess(environmentOf(t, url)));
    t.after(() => all.forEach(({ child }) => child.kill('SIGKILL')));
    const processes = await Promise.all(all.map(({ ready }) => ready));
    for (const { address } of processes) {
      const answer = await fetch(`${address}/v1/accounts`, { headers: { authorization: `Bearer ${apiKey}` } });
      assert.equal(((await answer.json()) as unknown[]).length, 1, 'one first account');
    }
  });
});
