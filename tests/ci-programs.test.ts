// What .ci/run installs before the tests: what is missing, without failing where that cannot be done, and never silently.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { root } from './support/service/deploy-files.ts';

/** What it does on a machine with these programs of its own, beside those that any machine has. */
function installing(t: TestContext, programs: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-programs-'));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const name of ['sed', 'tail', 'timeout']) {
    const { stdout } = spawnSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' });
    symlinkSync(stdout.trim(), join(folder, name));
  }
  const calls = join(folder, 'calls');
  writeFileSync(calls, '');
  for (const [name, text] of Object.entries(programs)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${text.replace('CALLS', calls)}\n`, { mode: 0o755 });
  }
  const { status, stdout, stderr } = spawnSync('/bin/sh', [`${root}.ci/programs`], {
    env: { PATH: folder },
    encoding: 'utf8',
  });
  return { status, stdout, stderr, calls: readFileSync(calls, 'utf8').trim().split('\n').filter(Boolean) };
}

const asRoot = { id: 'echo 0', 'apt-get': 'echo "$@" >> CALLS' };

it('what is missing is installed, by lists that are read anew, and what is there is not', (t) => {
  const all = installing(t, asRoot);
  assert.deepEqual([all.status, all.stderr], [0, '']);
  assert.equal(all.calls.length, 2);
  assert.match(all.calls[0] ?? '', / update$/);
  assert.match(all.calls[1] ?? '', / install -y --no-install-recommends iputils-ping bubblewrap pgbouncer$/);
  assert.match(all.stdout, /^Installed for tests: iputils-ping bubblewrap pgbouncer$/m);
  const one = installing(t, { ...asRoot, ping: 'true' });
  assert.match(one.calls[1] ?? '', / install -y --no-install-recommends bubblewrap pgbouncer$/);
  assert.deepEqual(installing(t, { ...asRoot, ping: 'true', bwrap: 'true', pgbouncer: 'true' }).calls, []);
});

it('what cannot be installed fails nothing, and is said with what is not run and why', (t) => {
  const notRun = /NOT INSTALLED: iputils-ping bubblewrap pgbouncer\n.* will NOT BE RUN/;
  const failing = installing(t, { ...asRoot, 'apt-get': 'echo "E: Unable to fetch some archives" >&2; exit 100' });
  assert.equal(failing.status, 0);
  assert.match(failing.stderr, notRun);
  assert.match(failing.stderr, /^# E: Unable to fetch some archives$/m);
  const somebody = installing(t, { ...asRoot, id: 'echo 1000' });
  assert.deepEqual([somebody.status, somebody.calls], [0, []]);
  assert.match(somebody.stderr, notRun);
  assert.match(somebody.stderr, /^# only root can install them$/m);
  const elsewhere = installing(t, { id: 'echo 0' });
  assert.equal(elsewhere.status, 0);
  assert.match(elsewhere.stderr, /^# there is no apt-get here$/m);
});
