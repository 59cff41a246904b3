// A failed start ends with one line of advice and the right exit code, and changes nothing. Errors that need no
// database are tested once; the others for each topology, or for one if they are specific to it.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { test as itEach } from '../support/service/each-topology.ts';
import { freePort } from '../support/free-port.ts';
import { mountOwnDisk } from '../support/own-disk.ts';
import { plainEnvironment } from '../support/service/plain-environment.ts';
import type { Cleanup } from '../support/targets/scripted-server.ts';
import { sharedKey } from '../support/service/role-processes.ts';
import { apiKey, startService } from '../support/service/service.ts';
import { openTempStore, secretKey } from '../support/store/temp-store.ts';
import { main, startProcess } from '../support/service/tocsin-process.ts';
import { sharedPostgres } from '../support/postgres/shared-postgres.ts';
import { until } from '../support/until.ts';

interface CommandOutput {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Starts the service and waits for its end. If it continues, it is stopped and the test fails. */
async function start(environment: NodeJS.ProcessEnv, enter: readonly string[] = []): Promise<CommandOutput> {
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

function assertOneLine({ code, out, err }: CommandOutput, exitCode: number, ...words: readonly RegExp[]): void {
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

/** Every file of a folder with its bytes, except temporary files of SQLite. */
function contentOf(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    files
      .filter(({ name }) => !/-(wal|shm)$|\.lock$/.test(name))
      .map(({ parentPath, name }) => [name, readFileSync(join(parentPath, name), 'base64')]),
  );
}

describe('a wrong configuration', () => {
  // src/config/config.test.ts covers all errors; this starts one of each kind.
  for (const [name, value, right] of [
    ['PORT', '70000', /0 to 65535/],
    ['TOCSIN_BOOTSTRAP_API_KEY', 'hunter2-hunter2', /tsn_/],
    ['TOCSIN_SECRET_KEY_FILE', '/nonexistent/key', /readable file/],
  ] as const) {
    it(`${name}=${value} ends the start with 78 and names the variable`, async (t) => {
      const folder = emptyFolder(t);
      const said = await start({ TOCSIN_DATA_DIR: join(folder, 'data'), [name]: value });
      assertOneLine(said, 78, new RegExp(`\\b${name}\\b`), right);
      assert.doesNotMatch(said.err, /hunter2/, 'a secret is not repeated');
      assert.deepEqual(readdirSync(folder), [], 'nothing was made');
    });
  }

  it('names an address that is not one of this machine', async (t) => {
    const said = await start({ TOCSIN_DATA_DIR: emptyFolder(t), HOST: '192.0.2.1' });
    assertOneLine(said, 78, /HOST 192\.0\.2\.1 is not an address of this machine/, /127\.0\.0\.1/);
  });

  it('names a data folder that is a file', async (t) => {
    const folder = emptyFolder(t);
    writeFileSync(join(folder, 'data'), 'mine');
    assertOneLine(await start({ TOCSIN_DATA_DIR: join(folder, 'data') }), 78, /TOCSIN_DATA_DIR/);
    assert.equal(readFileSync(join(folder, 'data'), 'utf8'), 'mine');
  });

  it('names a secret key file in another format and leaves it unchanged', async (t) => {
    const folder = emptyFolder(t);
    writeFileSync(join(folder, 'secret.key'), 'my own notes');
    assertOneLine(await start({ TOCSIN_DATA_DIR: folder }), 78, /secret\.key/, /64 hex/);
    assert.deepEqual(readdirSync(folder), ['secret.key']);
    assert.equal(readFileSync(join(folder, 'secret.key'), 'utf8'), 'my own notes');
  });
});

describe('a start on files in use', () => {
  it('a used port is named, and the first key is not lost with it', async (t) => {
    const folder = emptyFolder(t);
    const listener = createServer().listen(0, '127.0.0.1');
    t.after(() => void listener.close());
    await new Promise((resolve) => listener.once('listening', resolve));
    const address = listener.address();
    const port = String(typeof address === 'object' ? address?.port : '');
    const said = await start({ TOCSIN_DATA_DIR: folder, PORT: port });
    assertOneLine(said, 1, new RegExp(port), /PORT/);
    using database = new DatabaseSync(join(folder, 'tocsin.db'));
    const keys = database.prepare('SELECT count(*) AS n FROM api_keys').get();
    assert.equal(Number(keys?.['n']), 0, 'a key that nobody has seen');
  });
});

describe('about the file: a start on files in use', () => {
  it('a second process on the same file is refused, and the first one is not affected', async (t) => {
    const service = await startService(t, { TOCSIN_ROLES: 'api' });
    const folder = dirname(service.databasePath);
    assertOneLine(await start({ TOCSIN_DATA_DIR: folder }), 1, /in use by another Tocsin/, /TOCSIN_DATA_DIR/);
    await service.must('POST', '/v1/variables', { key: 'STILL', value: 'here' });
    assert.equal((await fetch(`${service.address}/health/ready`)).status, 200);
  });
});

describe('a start on unusable data', () => {
  itEach('a database of a newer version is left as it is', async ({ t, startService: startOlder, topology }) => {
    const onlyApi = { processes: [{ roles: ['api'] }] } as const;
    const service = await startOlder(t, { TOCSIN_ROLES: 'api' }, onlyApi);
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
});

describe('about the file: a start on unusable data', () => {
  it('a key that did not seal the database is found at the start, not at the first alert', async () => {
    await using temp = openTempStore();
    await temp.rest();
    assert.ok(temp.address.kind === 'sqlite');
    const environment = { TOCSIN_DATA_DIR: dirname(temp.address.path), TOCSIN_SECRET_KEY: 'cd'.repeat(32) };
    assertOneLine(await start(environment), 78, /TOCSIN_SECRET_KEY/);
  });

  it('names a runtime whose stage steps back, with both stages', async () => {
    await using temp = openTempStore();
    await temp.store.runtimeStages.remember(new Map([['2026.10', 'DEPRECATED']]));
    await temp.rest();
    assert.ok(temp.address.kind === 'sqlite');
    const environment = {
      TOCSIN_DATA_DIR: dirname(temp.address.path),
      TOCSIN_SECRET_KEY: Buffer.from(secretKey).toString('hex'),
    };
    const present = temp.raw.prepare('SELECT * FROM runtime_stages').all();
    assertOneLine(await start(environment), 1, /runtime 2026\.10: stage cannot go back from DEPRECATED to CURRENT/);
    assert.deepEqual(temp.raw.prepare('SELECT * FROM runtime_stages').all(), present);
  });

  it('leaves a file that is not a database unchanged', async (t) => {
    const folder = emptyFolder(t);
    writeFileSync(join(folder, 'secret.key'), `${'ab'.repeat(32)}\n`);
    writeFileSync(join(folder, 'tocsin.db'), 'a letter to a friend, of some length. '.repeat(200));
    const present = contentOf(folder);
    assertOneLine(await start({ TOCSIN_DATA_DIR: folder }), 1, /tocsin\.db/, /backup/);
    assert.deepEqual(contentOf(folder), present);
  });

  // Permissions do not restrict root; a read-only disk does.
  it('names a data folder that is not writable', async (t) => {
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
    // Other tests cover the other roles, which would take seconds.
    TOCSIN_ROLES: 'api',
  });

  it('with an unknown password, user or database ends with the server’s message', async (t) => {
    const { url, name } = await (await sharedPostgres()).newDatabase();
    const password = /tocsin:([^@]+)@/.exec(url)?.[1] ?? '';
    for (const [wrong, why] of [
      [url.replace(password, 'hunter2'), /password authentication failed for user "tocsin"/],
      [url.replace('//tocsin:', '//nobody:'), /password authentication failed for user "nobody"/],
      [url.replace(name, 'elsewhere'), /database "elsewhere" does not exist/],
    ] as const) {
      const said = await start(environmentOf(t, wrong));
      assertOneLine(said, 1, /could not connect to postgres:\/\/\w+@127\.0\.0\.1:\d+\/\w+/, why);
      assert.doesNotMatch(said.err, /hunter2/);
      assert.ok(!said.err.includes(password));
    }
  });

  it('waits for a server that is not available yet, and continues', async (t) => {
    const postgres = await sharedPostgres();
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

  it('of many processes on an empty database creates it once, and all of them run', async (t) => {
    const { url } = await (await sharedPostgres()).newDatabase();
    const all = Array.from({ length: 3 }, () => startProcess(environmentOf(t, url)));
    t.after(() => all.forEach(({ child }) => child.kill('SIGKILL')));
    const processes = await Promise.all(all.map(({ ready }) => ready));
    for (const { address } of processes) {
      const answer = await fetch(`${address}/v1/accounts`, { headers: { authorization: `Bearer ${apiKey}` } });
      assert.equal(((await answer.json()) as unknown[]).length, 1, 'one first account');
    }
  });
});
