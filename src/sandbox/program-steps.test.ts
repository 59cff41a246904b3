// Steps of a plain program, which do not affect the program.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ScriptOutcome } from '#domain/checks/script.ts';
import { runPlain } from '../../tests/support/scripts/script-runs.ts';
import { startTarget } from '../../tests/support/targets/target.ts';

const requestsOf = ({ steps }: ScriptOutcome) => steps.filter(({ category }) => category === 'request');

test('reports the first of ten thousand requests, and the program itself', async (t) => {
  const target = await startTarget(t, (_, response) => void response.end());
  const content = `import http from 'node:http';
const agent = new http.Agent({ keepAlive: true, maxSockets: 20 });
const get = (n) => new Promise((resolve, reject) => {
  http.get('${target.url}/' + n, { agent }, (answer) => answer.resume().on('end', resolve)).on('error', reject);
});
for (let n = 0; n < 10_000; n += 100) await Promise.all(Array.from({ length: 100 }, (_, at) => get(n + at)));`;
  const outcome = await runPlain(content);
  assert.deepEqual([outcome.ending, outcome.failedTests], ['ended', 0], JSON.stringify(outcome.errors));
  assert.deepEqual([requestsOf(outcome).length, outcome.steps.at(-1)?.category], [499, 'test']);
  const titles = new Set(requestsOf(outcome).map(({ title }) => title));
  assert.ok(titles.has(`GET ${target.url}/0`) && !titles.has(`GET ${target.url}/600`));
});

test('skips long steps before they exceed the output limit', async (t) => {
  const target = await startTarget(t, (_, response) => void response.end());
  const content = `for (let n = 0; n < 400; n++) await (await fetch('${target.url}/' + 'x'.repeat(8000))).text();
await (await fetch('${target.url}/short')).text();`;
  const outcome = await runPlain(content, { limits: { outputBytes: 1 << 20 } });
  assert.equal(outcome.ending, 'ended');
  const titles = requestsOf(outcome).map(({ title }) => title);
  assert.ok(
    titles.length > 10 && titles.length < 50 && titles.at(-1) === `GET ${target.url}/short`,
    `${titles.length}`,
  );
});

test('a request open at the end is no step; one whose response breaks off has failed', async (t) => {
  const target = await startTarget(t, (request, response) => {
    if (request.url === '/whole') response.end('all of it');
    if (request.url !== '/part') return;
    response.writeHead(200, { 'content-length': '100' }).write('a part');
    setTimeout(() => request.socket.destroy(), 50);
  });
  const content = `import http from 'node:http';
const ask = (path) => new Promise((resolve) => {
  http.get('${target.url}' + path, (answer) => answer.on('error', () => undefined).resume().on('close', resolve));
});
void fetch('${target.url}/open').catch(() => undefined);
await ask('/whole');
await ask('/part');
await fetch('${target.url}/part').then((answer) => answer.text()).catch(() => undefined);
process.exit();`;
  const outcome = await runPlain(content);
  assert.deepEqual(
    requestsOf(outcome).map(({ title, error, place }) => [title.replace(target.url, ''), error, place?.line]),
    [
      ['GET /whole', null, 3],
      ['GET /part', 'aborted', 3],
      ['GET /part', 'other side closed', 8],
    ],
  );
});

test('an unhandled request error still ends the program and belongs to its request', async () => {
  const hide = (text: string): string => text.replaceAll('hunter22', '********');
  const content = `import http from 'node:http';
http.get('http://hunter22.invalid/orders');
setTimeout(() => console.log('on'), 20_000);`;
  const outcome = await runPlain(content, { hide });
  assert.deepEqual([outcome.ending, outcome.failedTests, outcome.log], ['ended', 1, []]);
  const [step] = requestsOf(outcome);
  assert.deepEqual([step?.title, step?.error], ['GET http://********.invalid/orders', outcome.errors[0]?.message]);
  assert.match(step?.error ?? '', /\*{8}\.invalid/);
});

test('requests of a script around a request are no steps', async (t) => {
  const target = await startTarget(t, (_, response) => void response.end());
  const request = { method: 'GET', url: 'https://shop.example/', headers: {}, queryParameters: {}, body: '' };
  const outcome = await runPlain(`await (await fetch('${target.url}')).text();`, {
    sort: 'hook',
    hook: { request, response: null, hides: { variables: [], fields: [] } },
  });
  assert.deepEqual([outcome.ending, outcome.failedTests, requestsOf(outcome)], ['ended', 0, []]);
});

test('masks a secret that looks like a query, and never shows queries', async (t) => {
  const target = await startTarget(t, (_, response) => void response.end());
  const hide = (text: string): string => text.replaceAll('hush?hush', '********');
  const content = `import http from 'node:http';
await (await fetch('${target.url}/one/hush?hush/two?page=2')).text();
await new Promise((resolve) => {
  http.get('${target.url}/one/hush?hush#two', (answer) => answer.resume().on('end', resolve));
});`;
  const outcome = await runPlain(content, { hide });
  assert.deepEqual(
    requestsOf(outcome).map(({ title }) => title),
    [`GET ${target.url}/one/********/two`, `GET ${target.url}/one/********`],
  );
});

test('an aborted response is no error, a request that was not awaited is', async (t) => {
  const target = await startTarget(t, (request, response) => {
    if (request.url === '/silent') return;
    response.writeHead(200).write('a beginning');
  });
  const content = `await (await fetch('${target.url}/long')).body.cancel();
await fetch('${target.url}/silent', { signal: AbortSignal.timeout(200) }).catch(() => undefined);
process.exit();`;
  const outcome = await runPlain(content);
  const shown = requestsOf(outcome).map(({ title, error }) => [title.replace(target.url, ''), error !== null]);
  assert.deepEqual(shown, [
    ['GET /long', false],
    ['GET /silent', true],
  ]);
});
