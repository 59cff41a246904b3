// Limits of the files of scripts: exactly at each one a check is accepted and runs, above it the refusal names it.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { maxScriptFileBytes } from '#domain/accounts/script-file.ts';
import { type Composed, startComposed } from '../support/service/composed.ts';
import { asker } from '../support/service/service.ts';
import { until } from '../support/until.ts';

type Body = Record<string, unknown>;

const mb = 1_048_576;
const endings: (() => void | Promise<void>)[] = [];
const t = { after: (end: () => void | Promise<void>): void => void endings.push(end) };
let on: Composed;
let { must, api }: ReturnType<typeof asker> = asker(() => '');
before(async () => {
  on = await startComposed(t);
  ({ must, api } = asker(() => on.address, on.apiKey));
});
after(async () => {
  for (const end of endings.toReversed()) await end();
});

function upload(path: string, content: Buffer, encoding = 'identity') {
  const headers = {
    authorization: `Bearer ${on.apiKey}`,
    'content-type': 'application/octet-stream',
    'content-encoding': encoding,
  };
  return fetch(on.address + path, { method: 'POST', headers, body: content as Uint8Array<ArrayBuffer> });
}

async function keyOf(content: Buffer): Promise<string> {
  const answer = await upload('/v1/script-files', content);
  assert.equal(answer.status, 201, await answer.clone().text());
  return ((await answer.json()) as { readonly key: string }).key;
}

/** What is wrong with a check; {} = nothing. Deployments take larger bodies than a single check. */
async function faultsOf(check: Body): Promise<Record<string, string>> {
  const payload = { checkType: 'MULTI_STEP', name: 'a', frequency: 1440, script: '1;', scriptPath: 'a.mjs', ...check };
  const resources = [{ type: 'check', logicalId: 'a', payload }];
  const { status, body } = await api('POST', '/v1/projects/limits/deployments', { resources, dryRun: true });
  assert.ok(status === 400 || status < 300, JSON.stringify(body).slice(0, 500));
  const faults = Object.entries((body['attributes'] ?? {}) as Record<string, string>);
  return Object.fromEntries(faults.map(([path, fault]) => [path.replace('resources[0].payload.', ''), fault]));
}

const comment = (bytes: number): string => `//${' '.repeat(bytes - 2)}`;
const texts = (sizes: readonly number[]) =>
  sizes.map((size, index) => ({ path: `${index}.txt`, content: ' '.repeat(size) }));
/** Folders in folders, up to that many characters with the file name. */
const deep = (characters: number): string => `${'a/'.repeat(characters / 2 - 2)}${'b'.repeat(characters % 2)}a.ts`;

test('size, number and paths of files are accepted up to their limits', async () => {
  const half = mb / 2;
  const long = 'must have at most 1000 characters, and 255 bytes between separators';
  const cases: readonly (readonly [at: Body, above: Body, fault: Record<string, string>])[] = [
    [{ script: comment(half) }, { script: comment(half + 1) }, { script: 'must be at most 512 kB' }],
    [
      { dependencies: texts([half]) },
      { dependencies: texts([half + 1]) },
      { 'dependencies[0].content': 'must be at most 512 kB' },
    ],
    [
      { dependencies: texts([half, half - 2]) },
      { dependencies: texts([half, half - 1]) },
      { dependencies: 'must be at most 1 MB together with the script' },
    ],
    [
      { dependencies: [{ path: 'é.txt', content: 'é'.repeat(half - 1) }] },
      { dependencies: [{ path: 'é.txt', content: `${'é'.repeat(half - 1)}a` }] },
      { dependencies: 'must be at most 1 MB together with the script' },
    ],
    [
      { dependencies: texts(Array.from({ length: 200 }, () => 1)) },
      { dependencies: texts(Array.from({ length: 201 }, () => 1)) },
      { dependencies: 'must have at most 200 items' },
    ],
    [
      { dependencies: [{ path: deep(1000), content: '' }] },
      { dependencies: [{ path: deep(1001), content: '' }] },
      { 'dependencies[0].path': 'must have at most 1000 characters' },
    ],
    [
      { dependencies: [{ path: `${'é'.repeat(127)}a`, content: '' }] },
      { dependencies: [{ path: 'é'.repeat(128), content: '' }] },
      { 'dependencies[0].path': long },
    ],
  ];
  for (const [at, above, fault] of cases) {
    assert.deepEqual(await faultsOf(at), {}, JSON.stringify(fault));
    assert.deepEqual(await faultsOf(above), fault);
  }
});

test('snapshots are accepted up to 4 MB each, 100 and 20 MB together', async () => {
  const large = randomBytes(maxScriptFileBytes);
  const key = await keyOf(large);
  const tooLarge = await upload('/v1/script-files', Buffer.alloc(maxScriptFileBytes + 1));
  assert.deepEqual(
    [tooLarge.status, (await tooLarge.text()).includes(`larger than ${maxScriptFileBytes} bytes`)],
    [413, true],
  );
  // A bomb is refused at the same size, compressed or not.
  assert.equal((await upload('/v1/script-files', gzipSync(large), 'gzip')).status, 413, 'compressed it is larger');
  const packed = (bytes: number) => upload('/v1/script-files', gzipSync(Buffer.alloc(bytes)), 'gzip');
  assert.equal((await packed(maxScriptFileBytes)).status, 201);
  assert.equal((await packed(maxScriptFileBytes + 1)).status, 413);
  const one = await keyOf(Buffer.from('a'));
  const named = (keys: readonly string[]) => ({
    snapshots: keys.map((each, index) => ({ path: `${index}.png`, key: each })),
  });
  const [five, hundred] = [Array.from({ length: 5 }, () => key), Array.from({ length: 100 }, () => one)];
  assert.deepEqual(await faultsOf(named(five)), {});
  assert.deepEqual(await faultsOf(named([...five, one])), { snapshots: 'must be at most 20 MB together' });
  assert.deepEqual(await faultsOf(named(hundred)), {});
  assert.deepEqual(await faultsOf(named([...hundred, one])), { snapshots: 'must have at most 100 items' });
});

test('the archive of a project is read up to 8 MB, and never unpacked', async () => {
  const path = '/next/checkly-storage/upload-code-bundle';
  assert.equal((await upload(path, Buffer.alloc(8 * mb))).status, 200);
  const { status, statusText } = await upload(path, Buffer.alloc(8 * mb + 1));
  assert.deepEqual([status, statusText], [413, 'Payload Too Large']);
});

test('a script with 200 files, 1 MB and the deepest path runs, and imports from there', async () => {
  const path = deep(1000);
  const script = `import { value } from './${path}';
import { readFileSync } from 'node:fs';
const rest = readFileSync(new URL('198.txt', import.meta.url), 'utf8');
if (value !== 7 || rest.length !== 5000) throw new Error(\`\${value} \${rest.length}\`);`;
  const dependencies = [
    ...texts(Array.from({ length: 199 }, () => 5000)),
    { path, content: 'export const value: number = 7;' },
  ];
  const check = { name: 'Large', frequency: 1440, scriptPath: 'a.mjs', script, dependencies };
  const { id } = await must('POST', '/v1/checks/multistep', check);
  const results = async () => ((await must('GET', `/v1/check-results/${String(id)}`)) as unknown as Body[])[0];
  const result = await until('a result', results, { withinMs: 90_000 });
  assert.deepEqual([result['outcome'], result['message']], ['passed', null]);
});
