// Scripts around a request, in real processes: what they find by name, and what they tell that they have left.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ScriptSees } from '#domain/script.ts';
import { printed, runPlain } from '../../tests/support/script-runs.ts';
import { scriptFault } from './read-script.ts';

const request = {
  method: 'POST',
  url: 'https://shop.example/',
  headers: { accept: '*/*', 'x-gone': '1' },
  queryParameters: {},
  body: 'text',
};
const response = {
  status: 200,
  statusText: 'OK',
  headers: { 'content-type': 'application/json' },
  body: '{"a":1}',
  times: { timingPhases: { total: 12 } },
};

function runAround(content: string, sees: Partial<ScriptSees> = {}, environment: Record<string, string> = {}) {
  return runPlain(content, { sort: 'around', around: { request, response: null, ...sees }, environment });
}

test('a script before the request finds it by name, and tells what it has left of it and set of its environment', async () => {
  const outcome = await runAround(
    `
const { join } = require('node:path');
delete request.headers.accept;
request.headers['x-gone'] = null;
request.headers['x-n'] = 7;
request.body = { path: join('a', 'b') };
process.env.TOKEN = await Promise.resolve('fresh');
process.env.KEPT = 'kept';
console.log(typeof response, request.method);
process.exit(0);
`,
    {},
    { KEPT: 'kept', OLD: 'old' },
  );
  assert.deepEqual([outcome.ending, outcome.failedTests, outcome.errors], ['ended', 0, []]);
  assert.equal(printed(outcome), 'undefined POST\n');
  const { method, url } = request;
  assert.deepEqual(outcome.left, {
    request: { method, url, headers: { 'x-n': '7' }, queryParameters: {}, body: '{"path":"a/b"}' },
    response: null,
    environment: { TOKEN: 'fresh' },
  });
});

test('a script after the answer finds both, and of a body that it leaves alone it tells nothing', async () => {
  const left = await runAround(
    `import assert from 'node:assert';
assert.equal(response.timingPhases.total, 12);
assert.equal(request.url, 'https://shop.example/');
response.statusCode = 201;`,
    { response },
  );
  const { statusText, headers } = response;
  assert.deepEqual(left.left, { request: null, response: { status: 201, statusText, headers }, environment: {} });
  const changed = await runAround(`response.body = JSON.parse(response.body); response.body.a = 'masked';`, {
    response,
  });
  assert.deepEqual(changed.left, {
    request: null,
    response: { status: 200, statusText, headers, body: '{"a":"masked"}' },
    environment: {},
  });
});

test('a script that throws leaves nothing, nor does one that leaves too much, and both say why', async () => {
  const thrown = await runAround(`request.url = 'x';\nthrow new Error('no token');`);
  assert.deepEqual([thrown.left, thrown.failedTests, thrown.errors[0]?.message], [null, 1, 'no token']);
  assert.deepEqual([thrown.errors[0]?.place?.file, thrown.errors[0]?.place?.line], ['script.mjs', 2]);
  const large = await runAround(`request.body = 'x'.repeat(1000000);`);
  assert.deepEqual([large.left, large.failedTests], [null, 1]);
  assert.match(large.errors[0]?.message ?? '', /^what it leaves is too large: \d+ characters as JSON, of 900000$/);
});

test('what a script tells of itself in the place of ours is read as foreign', async () => {
  const forged = `require('node:fs').writeSync(3, JSON.stringify({ kind: 'left', left: ['no'] }) + '\\n');
require('node:fs').writeSync(3, JSON.stringify({ kind: 'left', left: 7 }) + '\\n'); process.reallyExit(0);`;
  const outcome = await runAround(forged);
  assert.deepEqual([outcome.left, outcome.failedTests], [{}, 1]);
});

test('a text is read as a script without being run, in whatever form scripts are written', async () => {
  for (const text of [
    `const axios = require('axios'); const { data } = await axios.get('http://127.0.0.1:9/');`,
    `import { x } from 'nowhere'; export const y: number = x as number;`,
    `process.exit(1); throw 1;`,
  ]) {
    assert.equal(await scriptFault(text), null, text);
  }
  assert.deepEqual(await scriptFault('const a = 1;\n  a = = 2;'), {
    message: 'Expression expected',
    line: 2,
    column: 7,
  });
  assert.match((await scriptFault('enum A { B }'))?.message ?? '', /enum is not supported/);
  assert.deepEqual(await scriptFault('['.repeat(200_000)), { message: 'it is too deep or too large to be read' });
});
