// Folders of runs: no links redirect writes, and those of killed processes are removed.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { useOwnTemporaryFolder } from '../../tests/support/scripts/own-temporary-folder.ts';
import { nobody } from './containment/containment.ts';
import { makeRunFolder, removeOldRunFolders } from './run-folder.ts';

describe('folders of runs', () => {
  useOwnTemporaryFolder();

  test('removes folders of killed processes after an hour, and nothing else', async () => {
    const old = new Date(Date.now() - 3_700_000);
    const owner = process.getuid?.() === 0 ? nobody : null;
    const [left, fresh] = [await makeRunFolder(owner), await makeRunFolder(owner)];
    const files = ['lib/a.js'].map((path) => ({ path, content: '' }));
    for (const folder of [left, fresh]) await folder.put(files, '/nowhere');
    utimesSync(dirname(left.home), old, old);
    const other = join(tmpdir(), 'something-else');
    mkdirSync(other);
    utimesSync(other, old, old);
    await removeOldRunFolders();
    assert.deepEqual(readdirSync(tmpdir()).toSorted(), ['something-else', basename(dirname(fresh.home))].toSorted());
    await fresh.remove();
  });

  test('a waiting process cannot see the folder before all files are written', async (t) => {
    if (process.getuid?.() !== 0) return t.skip('only root gives files to another user');
    const folder = await makeRunFolder(nobody);
    t.after(() => folder.remove());
    const modes = () => [dirname(folder.home), folder.home].map((path) => (statSync(path).mode & 0o777).toString(8));
    assert.deepEqual(modes(), ['700', '700']);
    await folder.show();
    assert.deepEqual(modes(), ['711', '711']);
    const victims = mkdtempSync(join(tmpdir(), 'tsn-'));
    t.after(() => rmSync(victims, { recursive: true }));
    const victim = join(victims, 'victim');
    writeFileSync(victim, 'kept', { mode: 0o600 });
    // Creates links as fast as possible, like any process of that user could.
    const planting = `const fs = require('node:fs');
process.stdout.write('begun');
for (;;) for (let n = 0; n < 300; n++) try { fs.symlinkSync(process.argv[1], process.argv[2] + '/lib/f' + n + '.js'); } catch {}`;
    const child = spawn(process.execPath, ['-e', planting, victim, folder.home], {
      uid: nobody,
      gid: nobody,
      cwd: '/',
    });
    t.after(() => child.kill('SIGKILL'));
    await once(child.stdout, 'data');
    const files = Array.from({ length: 300 }, (_, n) => ({ path: `lib/f${n}.js`, content: 'script' }));
    await folder.put(files, '/nowhere');
    child.kill('SIGKILL');
    await once(child, 'exit');
    assert.deepEqual([readFileSync(victim, 'utf8'), statSync(victim).uid], ['kept', 0]);
    assert.equal(readdirSync(join(folder.home, 'lib')).length, 300);
    assert.deepEqual(modes(), ['711', '700']);
    for (const path of ['', 'tmp', 'lib', 'lib/f7.js'])
      assert.equal(statSync(join(folder.home, path)).uid, nobody, path);
  });
});
