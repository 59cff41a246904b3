// What a start of the service does about compiled code of scripts, in a real process.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { startProcess } from '../../tests/support/tocsin-process.ts';
import { until } from '../../tests/support/until.ts';

test('a start removes the compiled code of a runtime that is not installed any more, and says so', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-start-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const compiled = join(folder, 'compiled');
  const gone = '2019.01-0123456789abcdef';
  for (const name of [gone, 'something']) mkdirSync(join(compiled, 'scripts', name), { recursive: true });
  const started = startProcess({
    TOCSIN_DATA_DIR: join(folder, 'data'),
    NODE_COMPILE_CACHE: compiled,
    LOG_LEVEL: 'info',
  });
  t.after(() => started.child.kill('SIGKILL'));
  const service = await started.ready;
  await until('it to say so', () => Promise.resolve(service.printed.includes('scripts.old-code-removed')));
  assert.match(service.printed, new RegExp(`"removed":\\["${gone}"\\],"msg":"scripts\\.old-code-removed"`));
  assert.deepEqual(readdirSync(join(compiled, 'scripts')), ['something']);
  await service.end('SIGTERM');
});
