// Installing the runtimes: made once, made again when the lock changes, and never the end of an npm ci.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

const script = fileURLToPath(new URL('install-runtimes.mjs', import.meta.url));
let dir = '';

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tocsin-install-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

/** A runtime whose only package is a folder beside it, so that nothing is fetched; `declared` is what its lock is made for. */
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
  it('puts the packages of each beside its manifest, and does it once', () => {
    runtime({ tool: 'file:tool' });
    const first = install('postinstall');
    assert.equal(first.status, 0, first.stderr);
    assert.ok(existsSync(join(dir, '2026.10/node_modules/tool/package.json')), first.stderr);
    const before = installedAt();
    assert.equal(install('postinstall').status, 0);
    assert.equal(installedAt(), before);
  });

  it('does not end an npm ci when it fails, but says what is missing and what to do', () => {
    runtime({ tool: 'file:tool', absent: '1.0.0' }, { tool: 'file:tool' });
    const { status, stderr } = install('postinstall');
    assert.equal(status, 0);
    assert.match(stderr, /runtime 2026\.10 could not be installed[\s\S]*npm run tocsin -- runtimes install 2026\.10/);
  });

  it('leaves what was there until what takes its place is complete, and nothing of a try that failed or was cut off', () => {
    runtime({ tool: 'file:tool' });
    assert.equal(install('tocsin').status, 0);
    const before = installedAt();
    mkdirSync(join(dir, '.installing-2026.10-999999999'));
    runtime({ tool: 'file:tool', absent: '1.0.0' }, { tool: 'file:tool' });
    appendFileSync(join(dir, '2026.10/package-lock.json'), '\n');
    assert.equal(install('tocsin').status, 1);
    assert.equal(installedAt(), before);
    assert.deepEqual(readdirSync(dir), ['2026.10']);
    // What was cut off has a manifest and a lock, and is no runtime.
    const cutOff = join(dir, '.installing-2026.10-999999999');
    runtime({ tool: 'file:tool' });
    cpSync(join(dir, '2026.10'), cutOff, { recursive: true, filter: (path) => !path.includes('node_modules') });
    const { status, stdout, stderr } = install('tocsin');
    assert.equal(status, 0, stderr);
    assert.doesNotMatch(stdout + stderr, /\.installing/);
    assert.ok(existsSync(join(dir, '2026.10/node_modules/tool/package.json')));
    assert.deepEqual(readdirSync(dir), ['2026.10']);
  });

  it('fails when it was called by hand', () => {
    runtime({ tool: 'file:tool', absent: '1.0.0' }, { tool: 'file:tool' });
    assert.equal(install('tocsin').status, 1);
  });

  it('is for the CURRENT one after an npm ci, for others when they are named, and says what each takes on disk', () => {
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
    assert.match(wrong.stderr, /there is no runtime 2025\.01; there are 2026\.04, 2026\.10/);
  });
});
