// A start that cannot go on ends with one line that says what to do, the right exit code, and nothing made or changed.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { mountOwnDisk } from '../support/own-disk.ts';
import { plainEnvironment } from '../support/plain-environment.ts';
import type { Cleanup } from '../support/scripted-server.ts';
import { startService } from '../support/service.ts';

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

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
  const timer = setTimeout(() => child.kill('SIGKILL'), 10_000);
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
  // What else can be wrong stands in src/config.test.ts: one of each kind is started here.
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
  it('a used port is named, and the first key is not lost with it', async (t) => {
    const folder = emptyFolder(t);
    const other = createServer().listen(0, '127.0.0.1');
    t.after(() => void other.close());
    await new Promise((resolve) => other.once('listening', resolve));
    const address = other.address();
    const port = String(typeof address === 'object' ? address?.port : '');
    assertOneLine(await start({ TOCSIN_DATA_DIR: folder, PORT: port }), 1, new RegExp(port), /PORT/);
    const database = new DatabaseSync(join(folder, 'tocsin.db'), { readOnly: true });
    assert.equal(database.prepare('SELECT count(*) AS n FROM api_keys').get()?.['n'], 0, 'a key that nobody has seen');
    database.close();
  });

  it('a second process on the same file is refused, and the first goes on', async (t) => {
    const service = await startService(t);
    const folder = dirname(service.databasePath);
    assertOneLine(await start({ TOCSIN_DATA_DIR: folder }), 1, /in use by another Tocsin/, /TOCSIN_DATA_DIR/);
    await service.must('POST', '/v1/variables', { key: 'STILL', value: 'here' });
    assert.equal((await fetch(`${service.address}/health/ready`)).status, 200);
  });
});

describe('a start on data that it cannot use', () => {
  it('a database of a newer version is left as it is', async (t) => {
    const service = await startService(t);
    await service.stop();
    const database = new DatabaseSync(service.databasePath);
    database.exec('PRAGMA user_version = 999');
    database.close();
    const folder = dirname(service.databasePath);
    const present = contentOf(folder);
    assertOneLine(await start({ TOCSIN_DATA_DIR: folder }), 1, /schema version 999/, /newer version|backup/);
    assert.deepEqual(contentOf(folder), present);
  });

  it('a file that is no database is left as it is', async (t) => {
    const folder = emptyFolder(t);
    writeFileSync(join(folder, 'secret.key'), `${'ab'.repeat(32)}\n`);
    writeFileSync(join(folder, 'tocsin.db'), 'a letter to a friend, of some length. '.repeat(200));
    const present = contentOf(folder);
    assertOneLine(await start({ TOCSIN_DATA_DIR: folder }), 1, /tocsin\.db/, /backup/);
    assert.deepEqual(contentOf(folder), present);
  });

  it('a key that did not seal the database is found at the start, not at the first alert', async (t) => {
    const service = await startService(t, { TOCSIN_SECRET_KEY: 'ab'.repeat(32) });
    await service.must('POST', '/v1/variables', { key: 'SEALED', value: 'x', secret: true });
    await service.stop();
    const folder = dirname(service.databasePath);
    const said = await start({ TOCSIN_DATA_DIR: folder, TOCSIN_SECRET_KEY: 'cd'.repeat(32) });
    assertOneLine(said, 78, /TOCSIN_SECRET_KEY/);
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
