// The result of `npm pack` runs in an empty folder by its command name, and contains what messages point to; so does the image.
import assert from 'node:assert/strict';
import { type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, matchesGlob, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { sourceFile } from '../tests/support/laws/source-files.ts';
import { readPage } from '../tests/support/pages.ts';
import { bundled } from './bundle.ts';

const root = resolve(import.meta.dirname, '..');

function run(command: string, words: readonly string[], cwd: string): SpawnSyncReturns<string> {
  const said = spawnSync(command, words, { cwd, encoding: 'utf8' });
  assert.equal(said.status, 0, said.stderr);
  return said;
}

/** A folder in which npm has installed the package; of its dependencies, only Node.js is available. */
let folder = '';

before(() => {
  bundled('tocsin');
  folder = mkdtempSync(join(tmpdir(), 'tocsin-package-'));
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, '.bin'), { recursive: true });
  run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], root);
  const archive = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '';
  run('tar', ['-xzf', archive], folder);
  run('mv', ['package', 'node_modules/tocsin'], folder);
  symlinkSync('../tocsin/bin/tocsin', join(modules, '.bin', 'tocsin'));
  symlinkSync(process.execPath, join(modules, '.bin', 'node'));
});
after(() => rmSync(folder, { recursive: true }));

test('the packed package runs in an empty folder and contains its documentation and the licences of bundled packages', async (t) => {
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

/** Texts of the code, without comments, by file. */
function codeTexts(): readonly (readonly [path: string, code: string])[] {
  return globSync('{src,web}/**/*.{ts,tsx}', { cwd: root, exclude: ['**/*.test.ts'] }).map((path) => [
    path,
    sourceFile(path, readFileSync(join(root, path), 'utf8')).code,
  ]);
}

test('every page and file that a message names is in the package and in the image', () => {
  const lines = readFileSync(join(root, 'Dockerfile'), 'utf8').matchAll(/^COPY --from=build (.+) \S+$/gm);
  const copied = [...lines].flatMap(([, paths = '']) => paths.split(' ').map((path) => path.replace('/app/', '')));
  const isCopied = (path: string): boolean =>
    copied.some((each) => path.startsWith(`${each}/`) || matchesGlob(path, each));
  const named = codeTexts().flatMap(([from, code]) =>
    [...code.matchAll(/(?<![\w./#-])\/?((?:docs|deploy|tooling)\/[\w./-]+\.[a-z]+)(?:#([\w-]+))?/g)].map(
      ([, path = '', anchor]) => ({ from, path, anchor }),
    ),
  );
  // The server makes these two from a package.
  const pages = named.filter(({ path }) => !/^docs\/reference\.(js|css)$/.test(path));
  assert.ok(pages.length > 15, `${pages.length} names`);
  const missing = pages.filter(
    ({ path, anchor }) =>
      !existsSync(join(folder, 'node_modules/tocsin', path)) ||
      !isCopied(path) ||
      (anchor !== undefined && !readPage(path).anchors.has(anchor)),
  );
  assert.deepEqual(missing, []);
});

test('every command that a message names exists', () => {
  const listed = run('npx', ['--no', 'tocsin', 'help'], folder).stdout;
  const named = codeTexts().flatMap(([from, code]) =>
    [...code.matchAll(/(?:\$\{commandName\}|[`']tocsin) ([a-z][a-z-]+)/g)].map(([, command = '']) => ({
      from,
      command,
    })),
  );
  assert.ok(named.length > 20, `${named.length} names`);
  assert.deepEqual(
    named.filter(({ command }) => !new RegExp(`^ {2}${command} `, 'm').test(listed)),
    [],
  );
});
