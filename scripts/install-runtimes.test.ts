// Installing the runtimes: made once, made again when the lock changes, and never the end of an npm ci.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
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
function runtime(declared: Readonly<Record<string, string>>, locked = declared): void {
  mkdirSync(join(dir, '2026.10', 'tool'), { recursive: true });
  const write = (path: string, value: unknown): void =>
    writeFileSync(join(dir, '2026.10', path), JSON.stringify(value));
  write('tool/package.json', { name: 'tool', version: '1.2.3' });
  write('package.json', { name: 'r', version: '1.0.0', dependencies: declared });
  const links = { tool: { version: '1.2.3' }, 'node_modules/tool': { resolved: 'tool', link: true } };
  const root = { name: 'r', version: '1.0.0', dependencies: locked };
  write('package-lock.json', { name: 'r', version: '1.0.0', lockfileVersion: 3, packages: { '': root, ...links } });
}

function install(lifecycle: string): { status: number | null; stderr: string } {
  const env = { ...process.env, npm_lifecycle_event: lifecycle, npm_config_offline: 'true' };
  return spawnSync(process.execPath, [script, dir], { env, encoding: 'utf8' });
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
    assert.match(stderr, /runtime 2026\.10 could not be installed[\s\S]*npm run runtimes:install/);
  });

  it('fails when it was called by hand', () => {
    runtime({ tool: 'file:tool', absent: '1.0.0' }, { tool: 'file:tool' });
    assert.equal(install('runtimes:install').status, 1);
  });
});
