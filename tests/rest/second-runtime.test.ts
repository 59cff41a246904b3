// A second runtime with another Node.js, fetched by the command that users have, in a checkout of its own: what is listed, what
// runs in it, and what trying it says.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { awsEnvironment, startAwsServer } from '../support/targets/aws-server.ts';
import { plainEnvironment } from '../support/service/plain-environment.ts';
import { apiKey, startService } from '../support/service/service.ts';
import { startTarget } from '../support/targets/target.ts';
import { until } from '../support/until.ts';

const root = join(import.meta.dirname, '..', '..');
const current = '2026.10';
const older = '2026.04';

/** What a fresh clone has after `npm ci`; the older runtime is there only if it is complete in this one. */
function checkout(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-clone-'));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const each of ['dist', 'bin', 'tooling', 'package.json'])
    cpSync(join(root, each), join(folder, each), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  mkdirSync(join(folder, 'runtimes'));
  const link = (name: string): void => symlinkSync(join(root, 'runtimes', name), join(folder, 'runtimes', name));
  link(current);
  const isThere = existsSync(join(root, 'runtimes', older, 'node_modules', '.tocsin-installed'));
  if (isThere) link(older);
  else {
    const isOwn = (path: string): boolean => !path.endsWith('node_modules');
    cpSync(join(root, 'runtimes', older), join(folder, 'runtimes', older), { recursive: true, filter: isOwn });
  }
  return folder;
}

/** `npm run tocsin -- …` in a checkout. */
function npmRun(folder: string, words: readonly string[]) {
  return run(folder, ['npm', 'run', '--silent', 'tocsin', '--', ...words]);
}

/** What npm runs. */
function tocsin(folder: string, words: readonly string[], environment: NodeJS.ProcessEnv = {}) {
  return run(folder, ['sh', 'bin/tocsin', ...words], environment);
}

function run(folder: string, [program = '', ...words]: readonly string[], environment: NodeJS.ProcessEnv = {}) {
  const child = spawn(program, words, {
    cwd: folder,
    env: { ...plainEnvironment(), ...environment },
  });
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  return new Promise<{ readonly code: number | null; readonly out: string; readonly err: string }>((resolve) => {
    child.once('close', (code) => resolve({ code, out, err }));
  });
}

/** One without packages, whose end is so many days away: `MM/DD/YYYY`. */
function addEnding(folder: string, name: string, days: number): string {
  const [year, month, day] = new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10).split('-');
  const runtimeEndOfLife = `${month}/${day}/${year}`;
  const manifest = { name, stage: 'STABLE', runtimeEndOfLife, multiStepSupport: true, node: 'project' };
  const place = join(folder, 'runtimes', name);
  mkdirSync(place);
  writeFileSync(join(place, 'manifest.json'), JSON.stringify(manifest));
  writeFileSync(join(place, 'package.json'), '{}');
  return runtimeEndOfLife;
}

/** Each asserts which Node.js it runs on. */
const multiStep = `import { test, expect } from '@playwright/test';
import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { total } from './pages/cart';
test('the bucket is filled', async () => {
  const client = new S3Client({ endpoint: process.env.AWS_SERVER, forcePathStyle: true });
  const { Contents } = await client.send(new ListObjectsV2Command({ Bucket: 'orders' }));
  expect(Contents?.map(({ Key }) => Key)).toEqual(['today.csv']);
});
test('it answers', async ({ request }) => {
  expect(total).toBe(3);
  expect(String(total)).toMatchSnapshot('total.txt');
  expect(process.version).toMatch(/^v22\\./);
  expect((await request.get(process.env.SHOP)).status()).toBe(200);
});
`;
const cart = `import prices from '../data/prices.json';
export const total: number = prices.reduce((sum: number, each: number) => sum + each, 0);`;
const program = `import { total } from './pages/cart.ts';
if (total !== 3 || !process.version.startsWith('v22.')) throw new Error(total + ' ' + process.version);`;
const dependencies = [
  { path: 'pages/cart.ts', content: cart },
  { path: 'data/prices.json', content: '[1, 2]' },
];
const browser = `import { test, expect } from '@playwright/test';
test('it opens', async ({ page }) => {
  expect(process.version).toMatch(/^v22\\./);
  await page.goto(process.env.SHOP);
  await expect(page).toHaveTitle('Shop');
});
`;

interface Result {
  readonly checkId: string;
  readonly outcome: string;
  readonly message: string | null;
  readonly multiStepCheckResult?: { readonly nodeJsVersion: string; readonly runtimeVersion: string };
  readonly browserCheckResult?: { readonly nodeJsVersion: string; readonly runtimeVersion: string };
}

interface Tried {
  readonly checks: readonly { readonly name: string; readonly change: string; readonly tried: { message: string } }[];
}

test('a runtime with another major of Node.js is fetched by its command, and checks of both sorts run in it', async (t) => {
  const folder = checkout(t);
  const installed = await npmRun(folder, ['runtimes', 'install', older]);
  assert.equal(installed.code, 0, installed.err);
  assert.match(installed.out, /runtime 2026\.04 (?:installed in \d+ s|is installed), \d+ MB on disk/);

  const target = await startTarget(t, (_, response) =>
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>Shop</title>'),
  );
  const dataDir = mkdtempSync(join(tmpdir(), 'tocsin-service-'));
  const service = await startService(t, {}, { dataDir, enter: [], program: join(folder, 'dist', 'main.js') });
  const must = (method: string, path: string, body?: unknown) => service.must(method, path, body);
  const runtimes = (await must('GET', '/v1/runtimes')) as unknown as readonly Record<string, string>[];
  assert.deepEqual(
    runtimes.map(({ name, nodeJsVersion = '' }) => `${name} ${nodeJsVersion.split('.')[0]}`),
    [`${current} v24`, `${older} v22`],
  );

  const group = await must('POST', '/v1/check-groups', { name: 'Older' });
  const aws = await startAwsServer(t);
  const variables = { ...awsEnvironment, AWS_SERVER: aws.url, SHOP: `${target.url}/` };
  const environmentVariables = Object.entries(variables).map(([key, value]) => ({ key, value }));
  const shared = { frequency: 1440, groupId: group['id'], runtimeId: older, environmentVariables };
  const uploaded = await fetch(`${service.address}/v1/script-files`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/octet-stream' },
    body: '3',
  });
  const { key } = (await uploaded.json()) as { readonly key: string };
  const snapshots = [{ path: 'check.spec.ts-snapshots/total-linux.txt', key }];
  const files = { ...shared, dependencies };
  await must('POST', '/v1/checks/multistep', { name: 'Answers', script: multiStep, snapshots, ...files });
  await must('POST', '/v1/checks/multistep', { name: 'Counts', script: program, scriptPath: 'main.ts', ...files });
  await must('POST', '/v1/checks/browser', { name: 'Opens', script: browser, ...shared });
  await must('POST', `/v1/triggers/check-groups/${String(group['id'])}`);
  const checks = (await must('GET', `/v1/check-groups/${String(group['id'])}/checks`)) as unknown as readonly {
    readonly id: string;
    readonly name: string;
  }[];
  assert.equal(checks.length, 3);
  for (const { id, name } of checks) {
    const newest = async () => ((await must('GET', `/v1/check-results/${id}`)) as unknown as Result[])[0];
    const result = await until(`a result of ${name}`, newest, { withinMs: 120_000 });
    assert.deepEqual([result.outcome, result.message], ['passed', null], name);
    const part = result.multiStepCheckResult ?? result.browserCheckResult;
    assert.equal(part?.runtimeVersion, older);
    assert.match(part.nodeJsVersion, /^v22\./);
  }

  // What ends, or has ended, is reported to the operator, although the service has not seen it yet.
  const [soon, over] = [addEnding(folder, '2019.10', 7), addEnding(folder, '2019.04', -7)];
  const listed = await tocsin(folder, ['runtimes']);
  assert.match(listed.out, new RegExp(`^2019\\.10  STABLE, .*, until ${soon}$`, 'm'));
  assert.match(listed.out, new RegExp(`^2019\\.04  ended on ${over}$`, 'm'));
  const examined = await tocsin(folder, ['doctor'], service.environment);
  for (const [name, words] of [
    ['2019.10', `ends on ${soon}: scripts that use it will not run after that date`],
    ['2019.04', `ended on ${over}: scripts that use it do not run`],
  ] as const) {
    assert.match(examined.out, new RegExp(`^warning  runtime end  ${name} ${words}; GET /v1/notices lists`, 'm'));
  }

  // What only the newer of them has: trying the older one says so before anybody is woken.
  const names: Record<string, string> = {};
  for (const [name, script] of [
    ['Escapes', `if (RegExp.escape('.') !== '\\\\.') throw new Error('another escape');`],
    ['Sums', `if ([1, 2].reduce((sum, each) => sum + each) !== 3) throw new Error('another sum');`],
  ] as const) {
    const check = { name, frequency: 1440, activated: false, scriptPath: 'check.mjs', script };
    names[name] = String((await must('POST', '/v1/checks/multistep', check))['id']);
  }
  const words = ['runtimes', 'try', older, '--checks', Object.values(names).join(','), '--json'];
  const tried = await tocsin(folder, words, service.environment);
  assert.equal(tried.code, 1, tried.err);
  const { checks: compared } = JSON.parse(tried.out) as Tried;
  assert.deepEqual(
    compared.map(({ name, change }) => `${name} ${change}`).toSorted(),
    ['Escapes worse', 'Sums same'],
    tried.out,
  );
  assert.match(
    compared.find(({ name }) => name === 'Escapes')?.tried.message ?? '',
    /RegExp\.escape is not a function/,
  );
});
