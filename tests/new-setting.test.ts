// A setting of a check is two places and the one where it has an effect: adds a made-up one to a copy of the sources.
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { packageFolder } from '#lib/package-files.ts';
import { startService } from './support/service/service.ts';

/** The places: a file, a line in it, and the line that follows it from now on. */
const places = [
  ['src/domain/checks/check.ts', '  readonly shouldFail: boolean;', '  readonly motto: string | null;'],
  ['src/domain/checks/check.ts', '  shouldFail: false,', '  motto: null,'],
  [
    'src/contract/checks/check-fields.ts',
    '  dependsOn: dependencyList.default([]).describe(dependencyRule),',
    "  motto: z.string().max(50).nullable().default(null).describe('What the check stands for.'),",
  ],
] as const;

test('a setting of a check that is described in two files is documented, validated, stored and shown', async (t) => {
  const copy = mkdtempSync(join(tmpdir(), 'tocsin-new-setting-'));
  t.after(() => rmSync(copy, { recursive: true }));
  for (const name of ['src', 'package.json']) cpSync(join(packageFolder, name), join(copy, name), { recursive: true });
  for (const name of ['node_modules', 'runtimes']) symlinkSync(join(packageFolder, name), join(copy, name));
  const place = { dataDir: join(copy, 'data'), enter: [], program: join(copy, 'src/main.ts') };
  const request = { method: 'GET', url: 'http://127.0.0.1:1/' };
  const before = await startService(t, {}, place);
  const older = await before.must('POST', '/v1/checks/api', { name: 'Older', activated: false, request });
  await before.stop();
  for (const [name, line, next] of places) {
    const path = join(copy, name);
    const text = readFileSync(path, 'utf8');
    assert.equal(text.split(`${line}\n`).length, 2, `${name} has one line ${line}`);
    writeFileSync(
      path,
      text.replace(`${line}\n`, () => `${line}\n${next}\n`),
    );
  }
  const service = await startService(t, {}, place);
  const check = { name: 'Newer', activated: false, request };
  const refused = await service.api('POST', '/v1/checks/api', { ...check, motto: 7 });
  assert.deepEqual([refused.status, Object.keys(refused.body['attributes'] ?? {})], [400, ['motto']]);
  const made = await service.must('POST', '/v1/checks/api', { ...check, motto: 'Ring the bell' });
  const path = `/v1/checks/${String(made['id'])}`;
  assert.equal((await service.must('GET', path))['motto'], 'Ring the bell');
  assert.equal((await service.must('PUT', path, { tags: ['x'] }))['motto'], 'Ring the bell');
  assert.equal((await service.must('PUT', path, { motto: null }))['motto'], null);
  assert.equal((await service.must('GET', `/v1/checks/${String(older['id'])}`))['motto'], null, 'its default');
  const document = await service.must('GET', '/v1/openapi.json');
  const { schemas } = document['components'] as { schemas: Record<string, { properties: object }> };
  for (const name of ['ApiCheckCreate', 'ApiCheckUpdate', 'ApiCheck', 'HeartbeatCheck'])
    assert.ok('motto' in (schemas[name]?.properties ?? {}), name);
});
