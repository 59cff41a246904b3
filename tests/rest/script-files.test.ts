// Scripts of several files with snapshots through the whole service: uploaded, validated, run and compared.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { maxScriptFileBytes } from '#domain/accounts/script-file.ts';
import { checklyProgram, cliEnvironment, emptyFolder, modules, outputOf } from '../support/checkly/checkly-cli.ts';
import { asker, newAccount } from '../support/service/service.ts';
import { type Composed, startComposed } from '../support/service/composed.ts';
import { until } from '../support/until.ts';

type Body = Record<string, unknown>;

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

/** Sends bytes as `curl --data-binary` does. */
function upload(path: string, content: Buffer | ReadableStream, headers: Record<string, string> = {}, key = on.apiKey) {
  const type = { 'content-type': 'application/octet-stream' };
  const body = content as Uint8Array<ArrayBuffer> | ReadableStream;
  const asked: RequestInit = {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, ...type, ...headers },
    body,
    ...(content instanceof ReadableStream && { duplex: 'half' as const }),
  };
  return fetch(`${on.address}${path}`, asked);
}

async function stored(content: Buffer): Promise<string> {
  const answer = await upload('/v1/script-files', content);
  assert.equal(answer.status, 201, await answer.clone().text());
  return ((await answer.json()) as { readonly key: string }).key;
}

async function download(link: string): Promise<Buffer> {
  const answer = await fetch(on.address + link, { headers: { authorization: `Bearer ${on.apiKey}` } });
  assert.equal(answer.status, 200);
  return Buffer.from(await answer.arrayBuffer());
}

/** The result of a new check, which runs at once. */
async function resultOf(type: 'browser' | 'multistep', check: Body): Promise<Body> {
  const { id } = await must('POST', `/v1/checks/${type}`, { name: 'Shop', frequency: 1440, ...check });
  return firstResult(String(id));
}

function firstResult(id: string): Promise<Body> {
  return until('a result', async () => ((await must('GET', `/v1/check-results/${id}`)) as unknown as Body[])[0], {
    withinMs: 90_000,
  });
}

/** In JavaScript: the command line parses TypeScript with a version of it that this project does not have. */
const pageObject = `import texts from '../data/texts.json';
export class Shop {
  constructor(page) { this.page = page; }
  async open() { await this.page.setContent('<h1 style="font: 20px monospace">' + texts.title + '</h1>'); }
  heading() { return this.page.getByRole('heading', { name: texts.title }); }
}
`;
const shop = {
  scriptPath: 'tests/shop.spec.js',
  script: `import { test, expect } from '@playwright/test';
import { Shop } from '../pages/shop';
test('the shop looks as before', async ({ page }) => {
  const shop = new Shop(page);
  await shop.open();
  await expect(shop.heading()).toHaveScreenshot('heading.png', { timeout: 60_000 });
});
`,
  dependencies: [
    { path: 'pages/shop.js', content: pageObject },
    { path: 'data/texts.json', content: '{ "title": "Shop" }' },
  ],
  trace: 'off',
};

function filesOf({ script, scriptPath, dependencies }: typeof shop): Record<string, string> {
  const files = dependencies.map(({ path, content }) => [path, content] as const);
  return { ...Object.fromEntries(files), [scriptPath]: script };
}

/** Deploys a browser check of these files with the unmodified `checkly` command line. */
async function deploy(files: Readonly<Record<string, string | Buffer>>): Promise<void> {
  const folder = emptyFolder(t);
  const check = {
    'package.json': '{"name": "shop", "type": "module", "private": true}',
    'checkly.config.ts': `import { defineConfig } from 'checkly';
export default defineConfig({ projectName: 'Shop', logicalId: 'shop', checks: { checkMatch: '*.check.ts' } });`,
    'shop.check.ts': `import { BrowserCheck } from 'checkly/constructs';
new BrowserCheck('shop', { name: 'Deployed shop', frequency: 1440, code: { entrypoint: './tests/shop.spec.js' } });`,
  };
  for (const [path, content] of Object.entries({ ...check, ...files })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  symlinkSync(modules, join(folder, 'node_modules'));
  const words = [checklyProgram, 'deploy', '--force'];
  const { code, out, err } = await outputOf(
    spawn(process.execPath, words, { cwd: folder, env: cliEnvironment(on, folder) }),
  );
  assert.equal(code, 0, `${out}\n${err}`);
}

test('a browser check runs with a page object, data and snapshots: the picture of a failed run becomes the snapshot', async () => {
  const missing = await resultOf('browser', shop);
  assert.equal(missing['outcome'], 'failed');
  assert.match(
    String(missing['message']),
    /A snapshot doesn't exist at tests\/shop\.spec\.js-snapshots\/heading-linux\.png: add it to the snapshots of the check/,
  );
  const { assets } = missing['browserCheckResult'] as { assets: { name: string; link: string }[] };
  const expected = assets.find(({ name }) => name === 'heading-expected.png');
  assert.ok(expected, JSON.stringify(assets));
  // As Playwright names it in a project `chromium`, deployed by the command line.
  const path = 'tests/shop.spec.js-snapshots/heading-chromium-linux.png';
  const content = await download(expected.link);
  await deploy({ ...filesOf(shop), [path]: content });
  const [deployed] = ((await must('GET', '/v1/checks?limit=100')) as unknown as Body[]).filter(
    ({ name }) => name === 'Deployed shop',
  );
  assert.ok(deployed);
  assert.deepEqual(deployed['snapshots'], [{ path, key: createHash('sha256').update(content).digest('hex') }]);
  const dependencies = deployed['dependencies'] as { path: string }[];
  assert.deepEqual(dependencies.map((file) => file.path).toSorted(), ['data/texts.json', 'pages/shop.js']);
  const passed = await firstResult(String(deployed['id']));
  assert.deepEqual([passed['outcome'], passed['message']], ['passed', null]);
});

test('a multi-step check compares with snapshots, and a trial as well', async () => {
  const script = `import { test, expect } from '@playwright/test';
test('a', () => expect('hello').toMatchSnapshot('a.txt'));`;
  const path = 'check.spec.ts-snapshots/a-linux.txt';
  const of = async (text: string) => ({
    name: 'Text',
    script,
    trace: 'off',
    snapshots: [{ path, key: await stored(Buffer.from(text)) }],
  });
  const passed = await resultOf('multistep', await of('hello'));
  assert.deepEqual([passed['outcome'], passed['message']], ['passed', null]);
  const check = { checkType: 'MULTI_STEP', ...(await of('good bye')) };
  const trial = await must('POST', '/v1/check-trials', { check });
  const ended = await until(
    'the end of the trial',
    async () => {
      const body = await must('GET', `/v1/check-trials/${String(trial['id'])}?waitSeconds=1`);
      return body['status'] === 'ended' ? (body['result'] as Body) : undefined;
    },
    { withinMs: 90_000 },
  );
  assert.deepEqual([ended['outcome'], ended['reason']], ['failed', 'assertion'], JSON.stringify(ended));
});

test('a program imports its files as tests do, and a missing file or package is named', async () => {
  const main = `import { a } from './pages/shop'; import d from './d.json'; import { c } from './c.js';
if (a + d.b + c !== 6) throw new Error('no');`;
  const files = {
    'x/pages/shop.ts': 'export const a: number = 1;',
    'x/d.json': '{ "b": 2 }',
    'x/c.ts': 'export const c: number = 3;',
  };
  const dependencies = Object.entries(files).map(([path, content]) => ({ path, content }));
  /** Script, path, and the message; null = it passes. */
  const cases: readonly (readonly [string, string, string | null])[] = [
    [main, 'x/main.ts', null],
    ["const { a } = require('./pages/shop'); if (a !== 1) throw new Error('no');", 'x/main.cjs', null],
    ["import 'left-pad';", 'main.ts', "Cannot find package 'left-pad': the runtime does not include it"],
    ["import './nowhere';", 'main.ts', "Cannot find module 'nowhere': add the file to the check"],
    [
      "import { test } from '@playwright/test';\nimport '@acme/pad';\ntest('a', () => {});",
      'main.spec.ts',
      "import '@acme/pad' (main.spec.ts:2): Cannot find module '@acme/pad': the runtime does not include it (and 1 more error)",
    ],
  ];
  await Promise.all(
    cases.map(async ([script, scriptPath, message]) => {
      const result = await resultOf('multistep', { script, scriptPath, dependencies, trace: 'off' });
      assert.equal(result['message'], message);
    }),
  );
});

test('files are uploaded by those who may write, within limits, and downloaded by their account alone', async () => {
  const content = Buffer.from([0, 255, 1, 254, 13, 10]);
  const key = await stored(content);
  assert.deepEqual(await download(`/v1/script-files/${key}`), content);
  const answer = await fetch(`${on.address}/v1/script-files/${key}`, {
    headers: { authorization: `Bearer ${on.apiKey}` },
  });
  assert.deepEqual(
    [answer.headers.get('content-type'), answer.headers.get('x-content-type-options')],
    ['application/octet-stream', 'nosniff'],
  );
  // As the `checkly` command line does: chunked, and by POST.
  const streamed = await upload('/next/checkly-storage/upload', new Blob([content]).stream());
  assert.deepEqual(await streamed.json(), { key, bytes: 6 });
  const pulled = await fetch(`${on.address}/next/checkly-storage/download`, {
    method: 'POST',
    headers: { authorization: `Bearer ${on.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ key }),
  });
  assert.deepEqual(Buffer.from(await pulled.arrayBuffer()), content);
  const other = await newAccount({ address: on.address }, 'Other', on.apiKey);
  assert.equal((await other.api('GET', `/v1/script-files/${key}`)).status, 404);
  const check = { name: 'a', frequency: 1440, script: 'a', snapshots: [{ path: 'a.png', key }] };
  const foreign = await other.api('POST', '/v1/checks/multistep', check);
  const named = { 'snapshots[0].key': 'is not the key of a stored file; upload it with POST /v1/script-files' };
  assert.deepEqual([foreign.status, foreign.body['attributes']], [400, named]);
  const reader = await must('POST', '/v1/api-keys', { name: 'reader', role: 'read-only' });
  assert.equal((await upload('/v1/script-files', content, {}, String(reader['key']))).status, 403);
  const large = await upload('/v1/script-files', Buffer.alloc(maxScriptFileBytes + 1));
  assert.equal(large.status, 413);
  // Such a body is not read to its end.
  const larger = await upload('/v1/script-files', Buffer.alloc(64 << 20));
  assert.match(await larger.text(), /"The body is larger than \d+ bytes\."/);
  const bomb = gzipSync(Buffer.alloc(8 * maxScriptFileBytes));
  assert.equal((await upload('/v1/script-files', bomb, { 'content-encoding': 'gzip' })).status, 413);
  assert.equal((await upload('/v1/script-files', content, { 'content-encoding': 'gzip' })).status, 400);
  await must('PUT', `/v1/accounts/${on.accountId}`, { limits: { scriptFileBytes: 1 } });
  const full = await upload('/v1/script-files', Buffer.from('one more'));
  assert.match(await full.text(), /bytes of script files used/);
  assert.equal(full.status, 402);
  await must('PUT', `/v1/accounts/${on.accountId}`, { limits: null });
});

test('the archive of a project is discarded unpacked, and a Playwright check suite is refused with one sentence', async () => {
  const answer = await upload('/next/checkly-storage/upload-code-bundle', gzipSync(Buffer.alloc(64 << 20)));
  assert.deepEqual([answer.status, await answer.json()], [200, { key: 'unused' }]);
  const tooLarge = await upload('/next/checkly-storage/upload-code-bundle', Buffer.alloc(9 << 20));
  assert.equal(tooLarge.status, 413);
  assert.deepEqual(await must('GET', '/v1/test-sessions'), { length: 0, entries: [], nextId: null });
  const sourceInfo = { checkRunSuiteId: 'suite', checkRunId: 'run' };
  const job = { logicalId: 'suite', checkType: 'PLAYWRIGHT', name: 'Suite', codeBundlePath: 'unused', sourceInfo };
  const body = { name: 'Shop', checkRunJobs: [job], project: { logicalId: 'shop' }, runLocation: 'local' };
  const refused = await api('POST', '/v1/test-sessions/run', body);
  const sentence = 'check "suite": Tocsin has no checks of the type PLAYWRIGHT.';
  assert.deepEqual([refused.status, refused.body['message']], [400, sentence]);
});

test('paths that leave the folder of the script, and files in the place of others, are refused by name', async () => {
  const relative = 'must be a relative path with / as separator and without . or .. parts';
  const sizes = 'must have at most 1000 characters, and 255 bytes between separators';
  const key = await stored(Buffer.from('a picture'));
  const dependency = (path: string) => ({ dependencies: [{ path, content: '' }] });
  /** Fields of the check, and the fault of each field. */
  const cases: readonly (readonly [object, Record<string, string>])[] = [
    ...['../a.ts', 'a/../../b.ts', '/etc/passwd', 'a\\b.ts', 'C:\\a.ts', './a.ts', 'a//b.ts', 'a/', '..'].map(
      (path): [object, Record<string, string>] => [dependency(path), { 'dependencies[0].path': relative }],
    ),
    [dependency('node_modules/a/index.js'), { 'dependencies[0].path': 'must not begin with node_modules or tmp' }],
    [dependency('tmp/a'), { 'dependencies[0].path': 'must not begin with node_modules or tmp' }],
    [dependency('a'.repeat(256)), { 'dependencies[0].path': sizes }],
    [dependency('a.spec.ts'), { 'dependencies[0].path': 'is also the path of scriptPath' }],
    [dependency('a.spec.ts/b.ts'), { 'dependencies[0].path': 'is inside of a.spec.ts, which is a file (scriptPath)' }],
    [{ snapshots: [{ path: '../a.png', key }] }, { 'snapshots[0].path': relative }],
    [
      { ...dependency('b.png'), snapshots: [{ path: 'b.png', key }] },
      { 'snapshots[0].path': 'is also the path of dependencies[0].path' },
    ],
    [
      { snapshots: [{ path: 'b.png', key: 'no key' }] },
      { 'snapshots[0].key': 'must be a key that POST /v1/script-files returned' },
    ],
    [
      { dependencies: Array.from({ length: 201 }, (_, n) => ({ path: `${n}.ts`, content: '' })) },
      { dependencies: 'must have at most 200 items' },
    ],
  ];
  for (const type of ['browser', 'multistep']) {
    for (const [fields, attributes] of cases) {
      const check = { name: 'a', frequency: 1440, script: '1;', scriptPath: 'a.spec.ts', ...fields };
      const { status, body } = await api('POST', `/v1/checks/${type}`, check);
      assert.deepEqual([status, body['attributes']], [400, attributes], JSON.stringify(fields).slice(0, 200));
    }
  }
});

test('a fault of an imported file names the file, the line and the column', async () => {
  const check = {
    name: 'a',
    frequency: 1440,
    script: "import { test } from '@playwright/test';\nimport { a } from './pages/a';\ntest('a', () => a);",
    dependencies: [
      { path: 'notes.ts', content: 'a = = 2' },
      { path: 'pages/a.ts', content: 'export const a = 1;\nexport const b = = 2;' },
    ],
  };
  const { status, body } = await api('POST', '/v1/checks/multistep', check);
  const message = 'pages/a.ts is not a valid script for runtime 2026.10: Unexpected token (line 2, column 18)';
  assert.deepEqual([status, body['attributes']], [400, { 'dependencies[1].content': message }]);
});
