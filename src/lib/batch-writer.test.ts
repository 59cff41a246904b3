// A batch writer whose writes always fail.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import test from 'node:test';

test('an item that can never be written does not keep the process running', async () => {
  const program = `
    import { createBatchWriter } from '${new URL('./batch-writer.ts', import.meta.url).href}';
    const write = () => Promise.reject(new Error('the database is closed'));
    const onError = () => console.log('failed');
    const writer = createBatchWriter({
      write, onError, isTemporary: () => true, maxBatch: 1, maxWaiting: 1, retryMs: 3_600_000,
    });
    writer.add('an item');
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const printed: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => printed.push(chunk));
  const [code] = (await once(child, 'close')) as [number];
  assert.deepEqual([code, Buffer.concat(printed).toString()], [0, 'failed\n']);
});
