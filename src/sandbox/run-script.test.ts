// Attribution of script processes that end without a report.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { keepsNothing } from '#domain/checks/script.ts';
import { currentRuntime, plainRun, printed, runPlain } from '../../tests/support/scripts/script-runs.ts';
import { startTarget } from '../../tests/support/targets/target.ts';
import { startZoneServer } from '../../tests/support/targets/zone-server.ts';
import { runScript } from './run-script.ts';

test('a process killed from outside says nothing about the target', async () => {
  for (const signal of ['SIGKILL', 'SIGTERM']) {
    const content = `process.kill(process.pid, '${signal}'); await new Promise((resolve) => setTimeout(resolve, 30_000));`;
    const outcome = await runPlain(content);
    assert.deepEqual([outcome.ending, outcome.failedTests], ['crashed', 0], JSON.stringify(outcome));
    assert.match(outcome.problem ?? '', /^the script's process was killed from outside/);
  }
});

test('a script tries every address of its own lookup and gets the first error', async (t) => {
  const { port } = await startTarget(t, (_, response) => response.end());
  const content = `import net from 'node:net';
const lookup = (_host, { all }, done) => {
  const found = ['::1', '127.0.0.3', '127.0.0.1'].map((address) => ({ address, family: net.isIP(address) }));
  return all ? done(null, found) : done(null, found[0].address, found[0].family);
};
for (const port of [${port}, 1]) {
  const socket = net.connect({ host: 'name.test', port, lookup, autoSelectFamily: true });
  const { promise, resolve } = Promise.withResolvers();
  socket.once('connect', () => resolve(socket.remoteAddress)).once('error', ({ code }) => resolve(code));
  console.log(await promise);
  socket.destroy();
}`;
  const outcome = await runPlain(content);
  assert.deepEqual(printed(outcome).trim().split('\n'), ['127.0.0.1', 'ECONNREFUSED'], JSON.stringify(outcome));
});

test('a script fails because of our name servers only if none of them answers', async (t) => {
  const isRoot = ({ type }: { readonly type: number }): boolean => type === 2;
  const dead = await startZoneServer(t, () => ({ code: 2 }));
  const working = await startZoneServer(t, (question) => ({ code: isRoot(question) ? 0 : 2 }));
  const content = "await fetch('http://www.shop.test/');";
  const run = (server: { readonly port: number }, script = content) =>
    runPlain(script, {
      egress: { mode: 'any', allow: [], names: { servers: [`127.0.0.1:${server.port}`], hostsFile: '/nowhere' } },
    });
  const unresolved = await run(dead);
  assert.deepEqual([unresolved.failedTests, unresolved.isResolverDown], [1, true], JSON.stringify(unresolved));
  const ofZone = await run(working);
  assert.deepEqual([ofZone.failedTests, ofZone.isResolverDown], [1, undefined], JSON.stringify(ofZone));
  const unrelated = await run(dead, "throw new Error('EAI_AGAIN');");
  assert.equal(unrelated.isResolverDown, undefined, 'it resolved nothing');
});

test('an uncontained script that could not resolve a name asks whether the name servers answer', async () => {
  const { work, deps } = await plainRun("throw new Error('getaddrinfo EAI_AGAIN shop.test');", { level: 'process' });
  const run = (isDown: boolean) =>
    runScript(work, new AbortController().signal, { ...deps, isResolverDown: () => Promise.resolve(isDown) });
  assert.equal((await run(true)).isResolverDown, true);
  assert.equal((await run(false)).isResolverDown, undefined);
});

test('measures how long a script waited for a processor', { skip: process.platform !== 'linux' }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'tsn-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const [cpu = '0'] = /^Cpus_allowed_list:\s*(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.slice(1) ?? [];
  const nodeBinary = join(folder, 'node');
  writeFileSync(nodeBinary, `#!/bin/sh\nexec taskset -c ${cpu} '${process.execPath}' "$@"\n`, { mode: 0o755 });
  // Shares a processor with the script, which has the lowest priority.
  const busy = spawn('taskset', ['-c', cpu, process.execPath, '-e', 'for (;;);'], { stdio: 'ignore' });
  t.after(() => busy.kill('SIGKILL'));
  const runtime = { ...currentRuntime, nodeBinary };
  const limits = { wallClockMs: 4000 };
  const starved = await runPlain('for (;;);', { runtime, limits, level: 'process' });
  assert.equal(starved.ending, 'deadline', JSON.stringify(starved));
  assert.ok((starved.waitedMs ?? 0) >= 2000, `waited ${starved.waitedMs} ms`);
});

test('a script that ends its own process has failed', async () => {
  const outcome = await runPlain('process.abort();');
  assert.deepEqual([outcome.ending, outcome.failedTests], ['ended', 1], JSON.stringify(outcome));
});

test('a full heap exceeds the memory limit; printing that it is full does not', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'tsn-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const nodeBinary = join(folder, 'node');
  writeFileSync(nodeBinary, `#!/bin/sh\nexec '${process.execPath}' --max-old-space-size=64 "$@"\n`, { mode: 0o755 });
  const runtime = { ...currentRuntime, nodeBinary };
  // Uncontained, because the program in place of Node.js refers to one outside.
  const full = await runPlain('const all = []; for (;;) all.push(new Array(1e6).fill(0.5));', {
    runtime,
    level: 'process',
  });
  assert.equal(full.ending, 'memory', JSON.stringify(full));
  const words = `console.error('FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory');`;
  const passed = await runPlain(words);
  assert.deepEqual([passed.ending, passed.failedTests], ['ended', 0], JSON.stringify(passed));
  const failed = await runPlain(`${words} throw new Error('no');`);
  assert.deepEqual([failed.ending, failed.errors[0]?.message], ['ended', 'no'], JSON.stringify(failed));
});

test('a full heap in tests exceeds the memory limit', async () => {
  const content = `import { test } from '@playwright/test';
test('a', () => { const all = []; for (;;) all.push(new Array(1e6).fill(0.5)); });`;
  const files = [{ path: 'a.spec.mjs', content }];
  const environment = { NODE_OPTIONS: '--max-old-space-size=64' };
  const outcome = await runPlain('', { sort: 'spec', entry: 'a.spec.mjs', files, environment });
  assert.equal(outcome.ending, 'memory', JSON.stringify(outcome));
});

test('tests whose runner cannot be loaded have not failed', async () => {
  const runtime = { folder: tmpdir(), nodeBinary: process.execPath };
  const outcome = await runPlain('', { sort: 'spec', runtime });
  assert.deepEqual([outcome.ending, outcome.tests], ['crashed', 0], JSON.stringify(outcome));
});

test('masks values in output, also across chunks, and keeps characters complete', async () => {
  const content = `import { writeSync } from 'node:fs';
const wait = () => new Promise((resolve) => setTimeout(resolve, 200));
const bytes = Buffer.from('grün: hunter22');
for (const piece of [bytes.subarray(0, 3), bytes.subarray(3, 10), bytes.subarray(10)]) { writeSync(1, piece); await wait(); }`;
  const hide = (text: string): string => text.replaceAll('hunter22', '********');
  assert.equal(printed(await runPlain(content, { hide })), 'grün: ********');
});

test('counts retried tests once and reports those that pass in the end', async () => {
  const content = `import { test, expect } from '@playwright/test';
test.describe.configure({ retries: 1 });
const seen = () => console.log(Object.keys(process.env).filter((name) => name.startsWith('TOCSIN')).join());
seen();
test('never', () => { seen(); expect(1).toBe(2); });
test('second', async ({}, { retry }) => { expect(retry).toBe(1); });
`;
  const files = [{ path: 'a.spec.mjs', content }];
  const outcome = await runPlain('', { sort: 'spec', entry: 'a.spec.mjs', files, keeps: keepsNothing });
  assert.deepEqual([outcome.ending, outcome.tests, outcome.failedTests, outcome.flaky], ['ended', 2, 1, ['second']]);
  assert.deepEqual(
    outcome.errors.map(({ place }) => place?.line),
    [5],
  );
  assert.deepEqual(new Set(printed(outcome).split('\n')), new Set(['']), 'nothing of ours is in its environment');
});

test('a program that waits for a response shows its request without the query', async (t) => {
  const stop = new AbortController();
  const target = await startTarget(t, ({ url }) => void (url === '/after' && stop.abort()));
  // Uses the script's own clock, because it has the lowest priority. The request for the end is not an HTTP request,
  // which would be reported as the current step.
  const content = `import { connect } from 'node:net';
const answer = fetch('${target.url}/slow?token=1');
const ask = () => connect(${target.port}, '127.0.0.1').write('GET /after HTTP/1.1\\r\\nhost: here\\r\\n\\r\\n');
setTimeout(() => setTimeout(ask, 700), 700);
await answer;`;
  const outcome = await runPlain(content, { signal: stop.signal });
  assert.deepEqual([outcome.ending, outcome.openStep?.message], ['stopped', `GET ${target.url}/slow`]);
});

test('an endless report line counts as a flood', async () => {
  const content = `import { writeSync } from 'node:fs';
try { for (;;) writeSync(3, 'x'.repeat(1000)); } catch (error) { if (error.code !== 'EAGAIN') throw error; }
for (;;) try { writeSync(3, 'x'.repeat(1000)); } catch { /* again */ }`;
  assert.equal((await runPlain(content, { limits: { outputBytes: 64 << 20 } })).ending, 'output');
});

test('scripts have the lowest CPU priority', { skip: process.platform !== 'linux' }, async () => {
  const content = `import { readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { spawn } from 'node:child_process';
const other = spawn('sleep', ['60'], { detached: true });
const late = spawn('sh', ['-c', 'sleep 0.5; exec setsid sleep 60']);
const leads = (pid) => readFileSync('/proc/' + pid + '/stat', 'utf8').split(' ')[5] === String(pid);
const wait = () => new Promise((resolve) => setTimeout(resolve, 100));
const group = (pid) => { try { return readFileSync('/proc/' + pid + '/autogroup', 'utf8').trim(); } catch { return 'nice 19'; } };
const isLow = (pid) => group(pid) === '' || group(pid).endsWith('nice 19');
const isLowLate = () => leads(late.pid) && isLow(late.pid);
for (let looks = 0; looks < 300 && !(isLow('self') && isLow(other.pid) && isLowLate()); looks++) await wait();
console.log(getPriority(), getPriority(other.pid), isLow('self'), isLow(other.pid), isLowLate());
other.kill();
late.kill();`;
  assert.equal(printed(await runPlain(content)).trim(), '19 19 true true true');
});

test('Playwright compiles the test file and none of our files', async () => {
  const content = `import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { test } from '@playwright/test';
test('look', () => {
  const compiled = readdirSync(tmpdir(), { recursive: true }).filter((path) => /playwright-transform-cache-.*\\.js$/.test(path));
  console.log(compiled.map((path) => path.replace(/.*_/, '')).join());
});
`;
  const files = [{ path: 'mine.spec.mjs', content }];
  const outcome = await runPlain('', { sort: 'spec', entry: 'mine.spec.mjs', files });
  assert.equal(printed(outcome), 'minespec.js\n', JSON.stringify(outcome));
});
