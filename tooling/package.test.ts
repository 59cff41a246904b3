// The result of `npm pack` runs in an empty folder by its command name.
import assert from 'node:assert/strict';
import { type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { bundled } from './bundle.ts';

const root = resolve(import.meta.dirname, '..');

function run(command: string, words: readonly string[], cwd: string): SpawnSyncReturns<string> {
  const said = spawnSync(command, words, { cwd, encoding: 'utf8' });
  assert.equal(said.status, 0, said.stderr);
  return said;
}

/** A folder in which npm has installed the package; of its dependencies, only Node.js is available. */
function installed(t: TestContext): string {
  bundled('tocsin');
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-package-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, '.bin'), { recursive: true });
  run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], root);
  const archive = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '';
  run('tar', ['-xzf', archive], folder);
  run('mv', ['package', 'node_modules/tocsin'], folder);
  symlinkSync('../tocsin/bin/tocsin', join(modules, '.bin', 'tocsin'));
  symlinkSync(process.execPath, join(modules, '.bin', 'node'));
  return folder;
}

test('the packed package runs in an empty folder and contains its documentation and the licences of bundled packages', async (t) => {
  const folder = installed(t);
  const help = run('npx', ['--no', 'tocsin', 'help'], folder).stdout;
  assert.match(help, /^Usage: tocsin <command>/);
  assert.match(readFileSync(join(folder, 'node_modules/tocsin/docs/configuration.md'), 'utf8'), /TOCSIN_PUBLIC_URL/);
  const licences = readFileSync(join(folder, 'node_modules/tocsin/dist/LICENSES.txt'), 'utf8');
  for (const name of ['fastify', 'handlebars', 'kysely', 'pg', 'undici', 'zod']) {
    assert.match(licences, new RegExp(`^${name} [\\d.]+ \\(MIT\\)$`, 'm'));
  }

  const environment = { ...process.env, HOST: '127.0.0.1', PORT: '0', TOCSIN_DATA_DIR: join(folder, 'data') };
  const service = spawn(join(folder, 'node_modules/.bin/tocsin'), ['serve'], { cwd: folder, env: environment });
  t.after(() => service.kill('SIGKILL'));
  let address: string | undefined;
  for await (const line of createInterface({ input: service.stdout })) {
    address = /listens on (\S+)/.exec(line)?.[1];
    if (address !== undefined) break;
  }
  service.stdout.resume();
  assert.equal((await fetch(`${address}/health/ready`)).status, 200);
  service.kill('SIGTERM');
  assert.deepEqual(await once(service, 'exit'), [0, null]);
});
