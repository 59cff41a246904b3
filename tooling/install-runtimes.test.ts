// Runtime installation: once per lock file, and never a reason for npm ci to fail.
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

const script = fileURLToPath(new URL('install-runtimes.mjs', import.meta.url));
let dir = '';

/** Called in a suite, because files share a process. */
function useFolder(): void {
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'tocsin-install-'));
  });
  afterEach(() => rmSync(dir, { recursive: true }));
}

/** A runtime whose only package is a local folder, so that nothing is downloaded; `declared` is the content of its lock file. */
function runtime(declared: Readonly<Record<string, string>>, locked = declared, name = '2026.10'): void {
  mkdirSync(join(dir, name, 'tool'), { recursive: true });
  const write = (path: string, value: unknown): void => writeFileSync(join(dir, name, path), JSON.stringify(value));
  write('manifest.json', { name, stage: name === '2026.10' ? 'CURRENT' : 'STABLE' });
  write('tool/package.json', { name: 'tool', version: '1.2.3' });
  write('package.json', { name: 'r', version: '1.0.0', dependencies: declared });
  const links = { tool: { version: '1.2.3' }, 'node_modules/tool': { resolved: 'tool', link: true } };
  const root = { name: 'r', version: '1.0.0', dependencies: locked };
  write('package-lock.json', { name: 'r', version: '1.0.0', lockfileVersion: 3, packages: { '': root, ...links } });
}

function install(lifecycle: string, ...words: string[]): { status: number | null; stdout: string; stderr: string } {
  const env = { ...process.env, npm_lifecycle_event: lifecycle, npm_config_offline: 'true' };
  return spawnSync(process.execPath, [script, `--folder=${dir}`, ...words], { env, encoding: 'utf8' });
}

const installedAt = (): number => statSync(join(dir, '2026.10/node_modules/.tocsin-installed')).mtimeMs;

describe('installing the runtimes', () => {
  useFolder();

  it('installs the packages of each next to its manifest, once', () => {
    runtime({ tool: 'file:tool' });
    const first = install('postinstall');
    assert.equal(first.status, 0, first.stderr);
    assert.ok(existsSync(join(dir, '2026.10/node_modules/tool/package.json')), first.stderr);
    const before = installedAt();
    assert.equal(install('postinstall').status, 0);
    assert.equal(installedAt(), before);
  });

  it('does not fail an npm ci, but prints what is missing and what to do', () => {
    runtime({ tool: 'file:tool', absent: '1.0.0' }, { tool: 'file:tool' });
    const { status, stderr } = install('postinstall');
    assert.equal(status, 0);
    assert.match(stderr, /runtime 2026\.10 could not be installed[\s\S]*npm run tocsin -- runtimes install 2026\.10/);
  });

  it('keeps the old packages until the new ones are complete, and removes failed and aborted attempts', () => {
    runtime({ tool: 'file:tool' });
    assert.equal(install('tocsin').status, 0);
    const before = installedAt();
    mkdirSync(join(dir, '.installing-2026.10-999999999'));
    runtime({ tool: 'file:tool', absent: '1.0.0' }, { tool: 'file:tool' });
    appendFileSync(join(dir, '2026.10/package-lock.json'), '\n');
    assert.equal(install('tocsin').status, 1);
    assert.equal(installedAt(), before);
    assert.deepEqual(readdirSync(dir), ['2026.10']);
    // An aborted one has a manifest and a lock file, but is not a runtime.
    const cutOff = join(dir, '.installing-2026.10-999999999');
    runtime({ tool: 'file:tool' });
    cpSync(join(dir, '2026.10'), cutOff, { recursive: true, filter: (path) => !path.includes('node_modules') });
    const { status, stdout, stderr } = install('tocsin');
    assert.equal(status, 0, stderr);
    assert.doesNotMatch(stdout + stderr, /\.installing/);
    assert.ok(existsSync(join(dir, '2026.10/node_modules/tool/package.json')));
    assert.deepEqual(readdirSync(dir), ['2026.10']);
  });

  it('fails when run by hand', () => {
    runtime({ tool: 'file:tool', absent: '1.0.0' }, { tool: 'file:tool' });
    assert.equal(install('tocsin').status, 1);
  });

  it('installs the CURRENT one after an npm ci, others if named, and prints the disk space of each', () => {
    runtime({ tool: 'file:tool' });
    runtime({ tool: 'file:tool' }, undefined, '2026.04');
    assert.equal(install('postinstall').status, 0);
    assert.ok(!existsSync(join(dir, '2026.04/node_modules')));
    const { status, stdout } = install('tocsin', '2026.04');
    assert.equal(status, 0);
    assert.match(stdout, /runtime 2026\.04: fetching 1 packages[\s\S]*2026\.04 installed in \d+ s, \d+ MB on disk/);
    assert.match(install('tocsin', 'all').stdout, /2026\.10 is installed, \d+ MB on disk/);
    const wrong = install('tocsin', '2025.01');
    assert.equal(wrong.status, 1);
    assert.match(wrong.stderr, /unknown runtime 2025\.01; available: 2026\.04, 2026\.10/);
  });
});

describe('a registry', () => {
  useFolder();

  const versions: Readonly<Record<string, string>> = { tool: '1.2.3', '@shop/cart': '4.5.6' };
  const usualOf = (name: string): string => `/${name}/-/${name.split('/').at(-1)}-${versions[name]}.tgz`;

  /** A local registry with two packages, each at a single URL, and the requests it received. */
  async function startRegistry(addressOf: (name: string) => string) {
    const archives = new Map<string, Buffer>();
    for (const [name, version] of Object.entries(versions)) {
      const made = mkdtempSync(join(dir, '.made-'));
      mkdirSync(join(made, 'package'));
      writeFileSync(join(made, 'package/package.json'), JSON.stringify({ name, version }));
      // The same bytes each time, independent of the clock.
      execFileSync('tar', ['-czf', join(made, 'made.tgz'), '--mtime=@0', '-C', made, 'package']);
      archives.set(name, readFileSync(join(made, 'made.tgz')));
    }
    const asked: string[] = [];
    const server = createServer(({ url = '', headers }, response) => {
      const path = decodeURIComponent(url);
      asked.push(path);
      for (const [name, archive] of archives) {
        if (path === addressOf(name)) return response.end(archive);
        const version = versions[name] ?? '';
        const dist = { tarball: `http://${headers.host}${addressOf(name)}`, integrity: integrityOf(archive) };
        if (path === `/${name}`)
          return response.end(
            JSON.stringify({
              name,
              'dist-tags': { latest: version },
              versions: { [version]: { name, version, dist } },
            }),
          );
      }
      return response.writeHead(404).end('{}');
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const lock = { name: 'r', version: '1.0.0', lockfileVersion: 3, packages: { '': { dependencies: versions } } };
    const found = [...archives].map(([name, archive]) => [
      `node_modules/${name}`,
      { version: versions[name], integrity: integrityOf(archive) },
    ]);
    runtime(versions);
    const packages = { ...lock.packages, ...Object.fromEntries(found) };
    writeFileSync(join(dir, '2026.10/package-lock.json'), JSON.stringify({ ...lock, packages }));
    return { asked, server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  }

  const integrityOf = (archive: Buffer): string => `sha512-${hash('sha512', archive, 'base64')}`;

  /** With a separate npm cache, because npm does not download cached packages and identifies archives by their content. */
  async function installFrom(url: string): Promise<number | null> {
    const cache = mkdtempSync(join(dir, '.cache-'));
    const env = { ...process.env, npm_config_registry: `${url}/`, npm_config_cache: cache };
    const child = spawn(process.execPath, [script, `--folder=${dir}`], { env, stdio: 'ignore' });
    const [status] = (await once(child, 'exit')) as [number | null];
    return status;
  }

  it('gets requests for the packages at their usual URLs, and for their actual URLs only otherwise', async () => {
    for (const isUsual of [true, false]) {
      const addressOf = (name: string): string => (isUsual ? usualOf(name) : `/files/${name}.tgz`);
      const { asked, server, url } = await startRegistry(addressOf);
      try {
        assert.equal(await installFrom(url), 0);
        const names = Object.keys(versions);
        for (const name of names) {
          const { version } = JSON.parse(
            readFileSync(join(dir, '2026.10/node_modules', name, 'package.json'), 'utf8'),
          ) as { version: string };
          assert.equal(version, versions[name]);
        }
        const expected = isUsual
          ? names.map(usualOf)
          : names.flatMap((name) => [usualOf(name), `/${name}`, addressOf(name)]);
        assert.deepEqual([...new Set(asked)].sort(), [...new Set(expected)].sort());
        rmSync(join(dir, '2026.10'), { recursive: true });
      } finally {
        server.close();
      }
    }
  });
});
