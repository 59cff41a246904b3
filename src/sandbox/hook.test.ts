// Scripts around a request in real processes: their globals and their results.
import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import type { ScriptSees } from '#domain/checks/script.ts';
import { printed, runPlain } from '../../tests/support/scripts/script-runs.ts';

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

const hides = { variables: [], fields: [] };

function runHook(content: string, sees: Partial<ScriptSees> = {}, environment: Record<string, string> = {}) {
  return runPlain(content, { sort: 'hook', hook: { request, response: null, hides, ...sees }, environment });
}

/**
 * Runs a script for which `TOKEN`, the header `x-key` and the parameter `sign` are secret. An endless script is stopped
 * after it has reported a value.
 */
async function runHidden(content: string, { isEndless = false } = {}) {
  const reported: (string | null)[] = [];
  const stop = new AbortController();
  const outcome = await runPlain(content, {
    sort: 'hook',
    hook: { request, response: null, hides: { variables: ['TOKEN'], fields: ['x-key', 'sign'] } },
    environment: { TOKEN: 'the old one' },
    hide: (text) => reported.reduce<string>((shown, value) => shown.replaceAll(value ?? '', '****'), text),
    onSecret: (value) => {
      reported.push(value);
      if (isEndless) stop.abort();
    },
    signal: stop.signal,
  });
  return { outcome, reported, shown: JSON.stringify([outcome.log, outcome.errors, outcome.steps]) };
}

test('a script before the request finds it as a global, and its changes and variables are returned', async () => {
  const outcome = await runHook(
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

test('a script after the response finds both, and an unchanged body is not returned', async () => {
  const left = await runHook(
    `import assert from 'node:assert';
assert.equal(response.timingPhases.total, 12);
assert.equal(request.url, 'https://shop.example/');
response.statusCode = 201;`,
    { response },
  );
  const { statusText, headers } = response;
  assert.deepEqual(left.left, { request: null, response: { status: 201, statusText, headers }, environment: {} });
  const changed = await runHook(`response.body = JSON.parse(response.body); response.body.a = 'masked';`, {
    response,
  });
  assert.deepEqual(changed.left, {
    request: null,
    response: { status: 200, statusText, headers, body: '{"a":"masked"}' },
    environment: {},
  });
});

test('a script that throws or exceeds the size limit returns nothing and says why', async () => {
  const thrown = await runHook(`request.url = 'x';\nthrow new Error('no token');`);
  assert.deepEqual([thrown.left, thrown.failedTests, thrown.errors[0]?.message], [null, 1, 'no token']);
  assert.deepEqual([thrown.errors[0]?.place?.file, thrown.errors[0]?.place?.line], ['script.mjs', 2]);
  const large = await runHook(`request.body = 'x'.repeat(1000000);`);
  assert.deepEqual([large.left, large.failedTests], [null, 1]);
  assert.match(
    large.errors[0]?.message ?? '',
    /^the request or response is too large: \d+ characters as JSON, maximum 900000$/,
  );
});

describe('a value that a script gives a secret variable is masked in all its output', () => {
  for (const [how, content] of [
    ['before it throws', `process.env.TOKEN = token; throw new Error('no use: ' + token);`],
    ['before it rejects', `process.env.TOKEN = token; Promise.reject(new Error(token)); await new Promise(() => {});`],
    ['before it ends with a code', `process.env.TOKEN = token; process.exit(3);`],
    ['before it is stopped', `process.env.TOKEN = token; hang();`],
    ['before its process is ended', `process.env.TOKEN = token; process.kill(process.pid, 'SIGKILL');`],
    ['before it deletes it again', `process.env.TOKEN = token; delete process.env.TOKEN; throw new Error(token);`],
    [
      'however it sets it',
      `Object.defineProperty(process.env, 'TOKEN', { value: token, enumerable: true, configurable: true, writable: true }); hang();`,
    ],
    ['in another environment', `process.env = { ...process.env, TOKEN: token }; hang();`],
    ['by another name of the environment', `const { env } = await import('node:process'); env.TOKEN = token; hang();`],
  ] as const) {
    it(how, async () => {
      // An endless loop without CPU use.
      const hang = 'const hang = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);';
      const isEndless = content.endsWith('hang();');
      const printing = `${hang} const token = ['fresh', 'token'].join('-'); console.log('got ' + token); console.error(token);`;
      const { outcome, reported, shown } = await runHidden(`${printing}\n${content}`, { isEndless });
      assert.deepEqual([reported, outcome.ending === 'stopped'], [['fresh-token'], isEndless]);
      assert.equal(printed(outcome), 'got ****\n');
      assert.doesNotMatch(shown, /fresh-token/);
    });
  }

  it('also where its end would be truncated', async () => {
    const { outcome } = await runHidden(`const token = 'fresh-token';
process.stdout.write('x'.repeat(16_380) + token + '\\n');
process.env.TOKEN = token;
throw new Error('no');`);
    assert.match(printed(outcome), /^x+\*\*\*\*\s*…?/);
    assert.doesNotMatch(printed(outcome), /fre/);
  });

  it('values put into credentials or locked fields are masked, too', async () => {
    const { reported, shown } = await runHidden(`
request.headers.Authorization = 'Bearer of-mine';
request.headers['X-Key'] = ['a key', 'another key'];
request.queryParameters.sign = 'signed';
request.headers['x-open'] = 'open';
console.log('of-mine', 'a key', 'another key', 'signed', 'open');
throw new Error('Bearer of-mine was not taken');`);
    for (const value of ['Bearer of-mine', 'of-mine', 'a key', 'another key', 'signed'])
      assert.ok(reported.includes(value));
    assert.ok(!reported.includes('open'));
    assert.doesNotMatch(shown, /of-mine|a key|another|signed/);
  });

  it('a value too long to report is reported as too long', async () => {
    const { reported } = await runHidden(`process.env.TOKEN = 'x'.repeat(70_000);`);
    assert.deepEqual(reported, [null]);
  });
});

test('copies of process.env have the same variables, are independent and may replace it', async () => {
  const content = `
const { strict: assert } = require('node:assert');
const copies = {
  inherited: Object.create(process.env),
  inClass: new (class Environment { constructor() { Object.setPrototypeOf(this, process.env); } })(),
  spread: { ...process.env },
  assigned: Object.assign({}, process.env),
  cloned: structuredClone(process.env),
  clonedSpread: structuredClone({ ...process.env }),
  parsed: JSON.parse(JSON.stringify(process.env)),
};
for (const [how, copy] of Object.entries(copies)) {
  assert.deepEqual([copy.TOKEN, copy.SHOP, copy.NONE], ['the old one', 'shop', undefined], how);
  const names = [];
  for (const name in copy) names.push(name);
  assert.ok(names.includes('TOKEN') && names.includes('SHOP'), how);
  copy.TOKEN = 'of the copy';
  copy.OTHER = 7;
  assert.deepEqual([copy.TOKEN, copy.OTHER, process.env.TOKEN, process.env.OTHER], ['of the copy', 7, 'the old one', undefined], how);
}
const { TOKEN, ...rest } = process.env;
assert.deepEqual([TOKEN, rest.SHOP, 'TOKEN' in rest], ['the old one', 'shop', false]);
process.env = Object.create(process.env);
process.env.LATER = 'later';
process.env.TOKEN = 'fresh';
assert.deepEqual([process.env.SHOP, structuredClone(process.env).LATER], ['shop', 'later']);
`;
  const variables = { TOKEN: 'the old one', SHOP: 'shop' };
  for (const hidden of [[], ['TOKEN']]) {
    const reported: (string | null)[] = [];
    const outcome = await runPlain(content, {
      sort: 'hook',
      hook: { request, response: null, hides: { variables: hidden, fields: [] } },
      environment: variables,
      onSecret: (value) => reported.push(value),
    });
    assert.deepEqual([outcome.ending, outcome.errors], ['ended', []]);
    const left = outcome.left as { environment: unknown };
    assert.deepEqual(left.environment, { LATER: 'later', TOKEN: 'fresh' });
    assert.equal(reported.includes('fresh'), hidden.length > 0);
  }
});

test('a script’s own reports are treated as untrusted', async () => {
  const forged = `require('node:fs').writeSync(3, JSON.stringify({ kind: 'left', left: ['no'] }) + '\\n');
require('node:fs').writeSync(3, JSON.stringify({ kind: 'left', left: 7 }) + '\\n'); process.reallyExit(0);`;
  const outcome = await runHook(forged);
  assert.deepEqual([outcome.left, outcome.failedTests], [{}, 1]);
});
