// A client that openapi-typescript generates from our document compiles strictly and does the main job of a user.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { modulesFolder, packageFolder } from '#lib/package-files.ts';
import { startReceiver } from '../support/receivers/receiver.ts';
import { startComposed } from '../support/service/composed.ts';
import { startScriptedServer } from '../support/targets/scripted-server.ts';

const run = promisify(execFile);
/** openapi-typescript with the TypeScript that it needs (tooling/client-generator/). */
const generator = join(modulesFolder, 'tocsin-client-generator/node_modules/openapi-typescript/bin/cli.js');
const compiler = join(modulesFolder, '.bin/tsc');
const secret = 'of the receiver';
const compilerOptions = {
  module: 'nodenext',
  target: 'es2024',
  lib: ['es2024', 'dom', 'dom.iterable'],
  types: ['node'],
  noEmit: true,
  allowImportingTsExtensions: true,
  verbatimModuleSyntax: true,
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
};

test('a generated client compiles strictly, and creates, runs, reads and changes what its user needs', async (t) => {
  const on = await startComposed(t);
  const target = await startScriptedServer(t);
  target.answer({ status: 503, body: 'down' });
  const receiver = await startReceiver(t, secret);
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-client-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const write = (name: string, content: unknown): void => writeFileSync(join(folder, name), JSON.stringify(content));
  const document: unknown = await (await fetch(`${on.address}/v1/openapi.json`)).json();
  write('openapi.json', document);
  write('package.json', { type: 'module' });
  write('tsconfig.json', { compilerOptions, files: ['main-job.ts', 'api.ts'] });
  symlinkSync(modulesFolder, join(folder, 'node_modules'));
  copyFileSync(join(packageFolder, 'tests/support/generated-client/main-job.ts'), join(folder, 'main-job.ts'));
  const node = (words: readonly string[]) => run(process.execPath, words, { cwd: folder });

  await node([generator, 'openapi.json', '--default-non-nullable=false', '--output', 'api.ts']);
  // The compiler prints what is wrong.
  const compiled = await run(compiler, ['-p', '.'], { cwd: folder }).catch((error: { stdout: string }) => error);
  assert.equal(compiled.stdout, '');
  const { stdout } = await node(['main-job.ts', on.address, on.apiKey, target.url, receiver.url, secret]);
  const { etag, refusal, ...found } = JSON.parse(stdout) as Record<string, string>;
  assert.deepEqual(found, { outcome: 'failed', status: 503, alertType: 'ALERT_FAILURE', frequency: 30, removed: 204 });
  assert.match(etag ?? '', /^"2\d{3}-/);
  assert.match(refusal ?? '', /^Check 0199f0c4-.* not found\.$/);
  assert.equal((await receiver.alert('ALERT_FAILURE')).json['ALERT_TYPE'], 'ALERT_FAILURE');
});
