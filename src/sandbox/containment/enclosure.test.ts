// The file system of an enclosed script is read-only, regardless of the machine's mount.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type TestContext, test } from 'node:test';
import { currentRuntime } from '../../../tests/support/scripts/script-runs.ts';
import { nobody } from './containment.ts';
import { enclosureWords } from './enclosure.ts';

const isRoot = process.getuid?.() === 0;

interface Enclosed {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Output of a shell inside. @param change modifies the mounts of enclose.sh */
function enclosed(t: TestContext, name: string, script: string, change = (mounts: string) => mounts): Enclosed {
  const above = mkdtempSync(join(tmpdir(), 'tsn-'));
  t.after(() => rmSync(above, { recursive: true, force: true }));
  const base = join(above, name);
  const [root, home, gateway] = [join(base, 'root'), join(base, 'home'), join(base, 'gateway')];
  for (const path of [base, root, home, join(home, 'tmp'), gateway]) mkdirSync(path);
  chmodSync(above, 0o711);
  if (isRoot) chownSync(home, nobody, nobody);
  const folders = { root, home, gateway, ...currentRuntime, runtime: currentRuntime.folder, browser: null };
  const [mounts = '', ...words] = enclosureWords(folders, resolve(import.meta.dirname, '..', 'inside'));
  const apart = ['--mount', '--pid', '--ipc', '--uts', '--net', '--fork', '--kill-child=KILL'];
  const shell = [resolve(import.meta.dirname, '..', 'inside', 'enclose.sh'), root, change(mounts), ...words];
  const started = ['sh', ...shell, isRoot ? String(nobody) : '-', 'sh', '-c', script];
  const { status, stdout, stderr } = spawnSync(
    'unshare',
    [...(isRoot ? [] : ['--user', '--map-root-user']), ...apart, '--', ...started],
    { encoding: 'utf8' },
  );
  return { status, stdout, stderr };
}

const tries = `
for place in / /usr /etc /tocsin/runtime /tocsin/gateway /tocsin/node_modules/tocsin; do
  touch "$place/x" 2>/dev/null && echo "wrote $place"
done
touch /tocsin/node 2>/dev/null && echo 'wrote the node'
touch /home/check/x && ls /home/check /tocsin/runtime/package.json`;
const kept = { status: 0, stdout: '/tocsin/runtime/package.json\n\n/home/check:\ntmp\nx\n', stderr: '' };

test('is read-only except the script’s folder, under any path', (t) => {
  for (const name of ['plain', 'with a space', String.raw`with a	tab and \ 040`])
    assert.deepEqual(enclosed(t, name, tries), kept, name);
});

test('remounts read-only where mount does not do it at once', (t) => {
  assert.deepEqual(
    enclosed(t, 'plain', tries, (mounts) => mounts.replaceAll('bind,ro', 'bind')),
    kept,
  );
});

test('names what cannot be mounted and runs nothing', (t) => {
  const none = '/that-is-not-there';
  const wrong: Readonly<Record<string, (mounts: string) => string>> = {
    '/tocsin/gateway': (mounts) => mounts.replace(/^\S+(?= \S+\/tocsin\/gateway )/m, none),
    '/usr': (mounts) => mounts.replace(/^\S+(?= \S+\/root\/usr )/m, none),
    '/proc': (mounts) => mounts.replace(/^(proc \S+) proc /m, `$1 ${none} `),
  };
  for (const [place, change] of Object.entries(wrong)) {
    const { status, stdout, stderr } = enclosed(t, 'plain', 'echo ran', change);
    assert.deepEqual([status, stdout], [1, ''], place);
    assert.match(stderr, new RegExp(`^${place} cannot be mounted: .*${none}`, 's'));
  }
});
