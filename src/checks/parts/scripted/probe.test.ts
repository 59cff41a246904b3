// Runtime selection and verdicts of scripts.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Check } from '#domain/checks/check.ts';
import type { JsonObject } from '#domain/json.ts';
import type { RuntimeStage } from '#domain/checks/runtime.ts';
import type { ScriptOutcome, ScriptWork } from '#domain/checks/script.ts';
import { variable } from '../../../../tests/support/checks/api-check.ts';
import { aCheck, aGroup } from '../../../../tests/support/store/records.ts';
import type { ScriptRuntime } from '../../kind.ts';
import { browserKind } from '../../kinds/browser/browser-kind.ts';
import { multiStepKind } from '../../kinds/multi-step/multi-step-kind.ts';
import { readScript } from './settings.ts';

const accountId = '0198a000-0000-7000-8000-000000000001';
const day = Date.UTC(2026, 10, 21);

function runtime(name: string, stage: RuntimeStage, facts: Partial<ScriptRuntime> = {}): ScriptRuntime {
  const plain = { multiStepSupport: true, nodeJsVersion: 'v24.0.0', dependencies: {}, description: null };
  const places = { folder: `/runtimes/${name}`, nodeBinary: `/runtimes/${name}/node` };
  return { name, stage, runtimeEndOfLife: null, ...plain, ...places, ...facts };
}

const installed = [
  runtime('2026.10', 'CURRENT'),
  runtime('2026.04', 'STABLE', { runtimeEndOfLife: '12/01/2026' }),
  runtime('2025.10', 'DEPRECATED'),
  runtime('2025.04', 'STABLE', { multiStepSupport: false }),
  runtime('2024.10', 'STABLE', { runtimeEndOfLife: '11/21/2026' }),
];
const nothingThere = { chromium: () => null, readScriptFile: async () => null };
const ended: ScriptOutcome = {
  ending: 'ended',
  problem: null,
  startedAt: day,
  stoppedAt: day + 1000,
  testsMs: 10,
  tests: 1,
  failedTests: 0,
  errors: [],
  steps: [],
  openStep: null,
  flaky: [],
  log: [],
  pageLines: [],
  pageVitals: [],
  left: null,
  assets: [],
  leftOut: [],
};

interface Wanted {
  readonly wallClockMs?: number;
  readonly check?: Partial<Check>;
  readonly group?: string;
  readonly account?: string;
  readonly outcome?: Partial<ScriptOutcome>;
}

/** Probes with a given script outcome and returns the finding and the run. */
async function probe({ check = {}, group, account, outcome = {}, wallClockMs }: Wanted) {
  const ran: ScriptWork[] = [];
  const inspect = multiStepKind.createProbe({
    runtimes: () => installed,
    now: () => day,
    ...nothingThere,
    wallClockMs: wallClockMs === undefined ? {} : { MULTI_STEP: wallClockMs },
    runSideProbe: () => assert.fail('multi-step checks have no side probe'),
    runScript: (work) => {
      ran.push(work);
      return Promise.resolve({ ...ended, ...outcome });
    },
  });
  const settings = { script: 'await 1;', scriptPath: 'check.mjs' };
  const input = {
    check: aCheck(accountId, { checkType: 'MULTI_STEP', settings, ...check }),
    group: group === undefined ? null : aGroup(accountId, { id: 1, runtimeId: group }),
    revision: 1,
    variables: [variable('PASSWORD', 'hunter22', true)],
    accountRuntimeId: account ?? null,
  };
  const finding = await inspect(input, new AbortController().signal);
  const part = multiStepKind.describeResult(finding, null);
  return { finding, ran, part: part as Record<string, unknown> };
}

describe('a script runs', () => {
  it('in the runtime of its check, group or account, otherwise in the CURRENT one', async () => {
    for (const [wanted, name] of [
      [{ check: { runtimeId: '2025.10' }, group: '2026.04', account: '2026.10' }, '2025.10'],
      [{ group: '2026.04', account: '2026.10' }, '2026.04'],
      [{ account: '2026.04' }, '2026.04'],
      [{}, '2026.10'],
    ] as const) {
      const { ran, part } = await probe(wanted);
      assert.deepEqual([ran[0]?.runtime.folder, part['runtimeVersion']], [`/runtimes/${name}`, name]);
      assert.equal(ran[0]?.runtime.nodeBinary, `/runtimes/${name}/node`);
    }
  });

  it('in a deprecated or ending runtime with a warning', async () => {
    assert.deepEqual((await probe({})).part['warnings'], []);
    const deprecated = await probe({ check: { runtimeId: '2025.10' } });
    assert.deepEqual(deprecated.part['warnings'], ['runtime 2025.10 is deprecated; choose a newer one']);
    const ending = await probe({ account: '2026.04' });
    assert.match(String(ending.part['warnings']), /2026\.04 reaches its end of life on 12\/01\/2026/);
  });

  it('in another runtime after its end of life only if the check allows it; otherwise it is unknown', async () => {
    const check = { runtimeId: '2024.10', runtimeFallback: true };
    const fallen = await probe({ check, account: '2026.04' });
    assert.equal(fallen.ran[0]?.runtime.folder, '/runtimes/2026.04');
    assert.match(String(fallen.part['warnings']), /2024\.10 is not available; 2026\.04 is used instead/);
    const { finding, ran } = await probe({ check: { runtimeId: '2024.10' } });
    assert.deepEqual([finding.verdict, finding.reason, ran.length], ['unknown', 'runtime', 0]);
    assert.match(finding.message ?? '', /^not run: runtime 2024\.10 is not available/);
  });

  it('not in a runtime without support for multi-step checks', async () => {
    const { finding, ran } = await probe({ check: { runtimeId: '2025.04' } });
    assert.deepEqual([finding.verdict, finding.reason, ran.length], ['unknown', 'runtime', 0]);
    assert.match(finding.message ?? '', /2025\.04 does not support multi-step checks/);
  });

  it('not as Playwright tests in a runtime without the runner', async () => {
    const script = "import { test } from '@playwright/test';\ntest('a', () => {});";
    const { finding, ran } = await probe({ check: { settings: { script } } });
    assert.deepEqual([finding.verdict, finding.reason, ran.length], ['unknown', 'runtime', 0]);
    assert.match(finding.message ?? '', /2026\.10 does not include @playwright\/test/);
  });

  it('not as a browser check without Chromium, and the message says what to do', async () => {
    const installed = [runtime('2026.10', 'CURRENT', { dependencies: { playwright: '1.56.0' } })];
    const inspect = browserKind.createProbe({
      runtimes: () => installed,
      now: () => day,
      ...nothingThere,
      wallClockMs: {},
      runSideProbe: () => assert.fail('the side probe ran for a script that does not run'),
      runScript: () => assert.fail('a script that needs a browser ran without one'),
    });
    const settings = { script: 'await 1;', scriptPath: 'check.mjs' };
    const finding = await inspect(
      {
        check: aCheck(accountId, { checkType: 'BROWSER', settings }),
        group: null,
        revision: 1,
        variables: [],
        accountRuntimeId: null,
      },
      new AbortController().signal,
    );
    assert.deepEqual([finding.verdict, finding.reason], ['unknown', 'runtime']);
    assert.match(finding.message ?? '', /^not run: Chromium is not installed; run npm ci or set TOCSIN_CHROMIUM$/);
  });

  it('within size limits', () => {
    const problems = (settings: JsonObject) => multiStepKind.validateSettings({ scriptPath: 'check.mjs', ...settings });
    const file = (index: number) => ({ path: `${index}.mjs`, content: 'x'.repeat(300_000) });
    assert.deepEqual(problems({ script: 'await 1;', dependencies: [file(0), file(1), file(2)] }), []);
    assert.deepEqual(problems({ script: 'await 1;', dependencies: [file(0), file(1), file(2), file(3)] }), [
      { path: 'dependencies', message: 'must be at most 1 MB together with the script' },
    ]);
  });

  const fixtures = {
    path: 'lib/fixtures.ts',
    content: "import { test as base } from '@playwright/test';\nexport const test = base;",
  };
  const helper = {
    path: 'lib/open.ts',
    content: "import { chromium } from '@playwright/test';\nexport default chromium;",
  };
  const suite = { path: 'suite.ts', content: "import { test } from '@playwright/test';\ntest('a', () => {});" };
  for (const [name, script, more] of [
    [
      'with `test` from a dependency',
      "import { test } from './lib/fixtures';\ntest('a', () => {});",
      { dependencies: [fixtures] },
    ],
    [
      'with `test` from a dependency, renamed',
      "import { test as it } from './lib/fixtures';\nit.only('a', () => {});",
      { dependencies: [fixtures] },
    ],
    [
      'with a namespace import of a dependency',
      "import * as lib from './lib/fixtures';\nlib.test('a', () => {});",
      { dependencies: [fixtures] },
    ],
    [
      'with `test` from a CommonJS dependency',
      "const { test: it } = require('./lib/fixtures');\nit('a', () => {});",
      { dependencies: [fixtures] },
    ],
    [
      'with a re-exported `test`',
      "import { test } from './all';\ntest('a', () => {});",
      { dependencies: [{ path: 'all.ts', content: "export * from '@playwright/test';" }] },
    ],
    ['with a renamed `test`', "import { expect, test as it } from '@playwright/test';\nit('a', () => {});", {}],
    ['with `test` renamed to a dollar sign', "import { test as $ } from '@playwright/test';\n$('a', () => {});", {}],
    ['with `test` as the default import', "import it from '@playwright/test';\nit('a', () => {});", {}],
    ['with `test` from playwright/test', "import { test } from 'playwright/test';\ntest('a', () => {});", {}],
    [
      'with a `test` extended from `test`',
      "import { test as base } from '@playwright/test';\nconst it = base.extend<{ a: 1 }>({});\nit('a', () => {});",
      {},
    ],
    [
      'with a test file name and tests in a dependency',
      "import './suite';",
      { scriptPath: 'all.spec.ts', dependencies: [suite] },
    ],
    ['with the other test file name', "import './suite';", { scriptPath: 'shop/all.test.mjs', dependencies: [suite] }],
  ] as const) {
    it(`as tests ${name}`, () => assert.equal(readScript({ script, ...more }).sort, 'spec'));
  }

  const program = "import { chromium } from '@playwright/test';\nconst browser = await chromium.launch();";
  for (const [name, script, more] of [
    ['with no path set', "import './suite';", { dependencies: [suite] }],
    ['despite a test file name', 'await fetch(process.env.SHOP);', { scriptPath: 'check.spec.ts' }],
    ['with a browser from Playwright', program, { scriptPath: 'check.spec.ts' }],
    ['with a browser in a dependency', "import open from './lib/open';\nopen.launch();", { dependencies: [helper] }],
    ['with node:test', "import { test } from 'node:test';\ntest('a', () => {});", { dependencies: [fixtures] }],
    ['that calls RegExp.test', "import a from './a';\nif (/a/.test(a)) a();", { dependencies: [fixtures] }],
  ] as const) {
    it(`as a program ${name}`, () => assert.equal(readScript({ script, ...more }).sort, 'plain'));
  }

  it('classified in bounded time, whatever its text', () => {
    const beginning = performance.now();
    const { sort } = readScript({ script: `'@playwright/test'; ${'test '.repeat(1e5)} test${' '.repeat(4e5)}` });
    assert.equal(sort, 'plain');
    assert.equal(readScript({ script: "'@playwright/test'; test . describe.only (" }).sort, 'spec');
    const dependencies = [fixtures];
    for (const piece of [
      'import ',
      'import { test as a } from "./a";',
      'const { ',
      'const a = require("',
      'test as a ',
    ]) {
      const script = `'@playwright/test'; ${piece.repeat(524_000 / piece.length)}`;
      assert.equal(readScript({ script, dependencies }).sort, 'plain', piece);
    }
    assert.ok(performance.now() - beginning < 20_000);
  });
});

describe('the verdict of a script', () => {
  for (const [ending, message] of [
    ['deadline', /more than 120 s/],
    ['memory', /more than 512 MB of memory/],
    ['processes', /more than 64 processes/],
    ['output', /more than 4 MB of output/],
    ['disk', /more than 256 MB on disk/],
  ] as const) {
    it(`is failed for ${ending} and names the limit`, async () => {
      const { finding } = await probe({ outcome: { ending } });
      assert.deepEqual([finding.verdict, finding.reason], ['failed', ending]);
      assert.match(finding.message ?? '', message);
    });
  }

  it('is failed after the time limit of its type, with that limit', async () => {
    const { finding, ran } = await probe({ wallClockMs: 600_000, outcome: { ending: 'deadline' } });
    assert.equal(ran[0]?.limits.wallClockMs, 600_000);
    assert.equal(finding.message, 'the script was stopped: it took more than 600 s');
    assert.equal((await probe({})).ran[0]?.limits.wallClockMs, 120_000);
  });

  it('shows where a script was when a limit ended it', async () => {
    const settings = { script: "\nawait fetch('hunter22');", scriptPath: 'check.mjs' };
    const openStep = { message: 'GET https://shop.example/slow', place: { file: 'check.mjs', line: 2, column: 1 } };
    const { finding } = await probe({ check: { settings }, outcome: { ending: 'deadline', openStep } });
    const where = "await fetch('********') (check.mjs:2): GET https://shop.example/slow";
    assert.equal(finding.message, `the script was stopped: it took more than 120 s; it stopped at ${where}`);
  });

  it('warns about a test that only passed on retry', async () => {
    const { finding, part } = await probe({ outcome: { flaky: ['buying'] } });
    assert.deepEqual([finding.verdict, part['warnings']], ['passed', ['flaky: buying failed and passed when retried']]);
  });

  it('is unknown if we stopped the script or could not run it', async () => {
    for (const outcome of [{ ending: 'stopped' }, { ending: 'crashed', problem: 'no such file' }] as const) {
      const { finding } = await probe({ outcome });
      assert.deepEqual([finding.verdict, finding.reason], ['unknown', 'crashed']);
    }
  });

  it('distinguishes network errors from script errors', async () => {
    for (const [text, reason] of [
      ['Error: apiRequestContext.get: connect ECONNREFUSED 127.0.0.1:9', 'connect'],
      ['Error: getaddrinfo ENOTFOUND shop.example', 'dns'],
      ['Error: socket hang up', 'reset'],
      ['TypeError: fetch failed: refused by the egress policy: 10.0.0.1 is a private address', 'egress-refused'],
      ['Test timeout of 100ms exceeded.', 'timeout'],
      ['Test timeout exceeded: the tests of a run share 225 s', 'deadline'],
      ['the tests took more than 225 s in total: buying did not run', 'deadline'],
      ['TypeError: fetch failed: certificate has expired', 'tls'],
      [
        "Error: Hostname/IP does not match certificate's altnames: Host: a. is not in the cert's altnames: DNS:b",
        'tls',
      ],
      ['Error: apiRequestContext.get: unable to get local issuer certificate', 'tls'],
      ['Error: self-signed certificate', 'tls'],
      ['Error: write EPROTO 80:error:0A00010B:SSL routines:ssl3_get_record:wrong version number', 'tls'],
      ['Error: page.goto: net::ERR_SSL_PROTOCOL_ERROR at https://shop.example/', 'tls'],
      ['Error: page.goto: net::ERR_CONNECTION_CLOSED at https://shop.example/', 'reset'],
      ['Error: page.goto: net::ERR_EMPTY_RESPONSE at http://shop.example/', 'reset'],
      ['fetch failed: Client network socket disconnected before secure TLS connection was established', 'reset'],
      ['fetch failed: other side closed', 'reset'],
      ['Error: page.goto: net::ERR_CONNECTION_TIMED_OUT at http://shop.example/', 'connect'],
      ['fetch failed: connect ETIMEDOUT 192.0.2.1:443', 'connect'],
      ['Error: page.goto: net::ERR_TIMED_OUT at http://shop.example/', 'timeout'],
      ['fetch failed: Connect Timeout Error (attempted address: shop.example:443, timeout: 10000ms)', 'timeout'],
      ['TimeoutError: The operation was aborted due to timeout', 'timeout'],
      ['TimeoutError: page.goto: Timeout 300ms exceeded.\nCall log:\n  - navigating to "http://a/"', 'timeout'],
      ['TimeoutError: apiRequestContext.get: Timeout 300ms exceeded.\nCall log:\n  - → GET http://a/', 'timeout'],
      ["TimeoutError: locator.click: Timeout 30000ms exceeded.\nCall log:\n  - waiting for locator('#a')", 'script'],
      ["page.waitForSelector: Timeout 300ms exceeded.\n  - waiting for getByText('ECONNRESET')", 'script'],
      ['Error: x\n\nCall Log:\n- Timeout 300ms exceeded while waiting on the predicate', 'assertion'],
      ['Error: socket hang up\n\nCall Log:\n- Timeout 300ms exceeded while waiting on the predicate', 'reset'],
      ['Error: expect(received).toBe(expected)', 'assertion'],
      ['TypeError: x is not a function', 'script'],
    ] as const) {
      const { finding } = await probe({ outcome: { failedTests: 1, errors: [{ message: text, place: null }] } });
      assert.deepEqual([finding.verdict, finding.reason], ['failed', reason], text);
    }
  });

  it('describes TLS errors like other checks and advises about an unknown CA', async () => {
    const hint = /certificate\. The server may not be .* set TOCSIN_CA_FILE/;
    for (const [text, message] of [
      ['Error: fetch failed: unable to get local issuer certificate', hint],
      ['Error: page.goto: net::ERR_CERT_AUTHORITY_INVALID at https://shop.example/', /set TOCSIN_CA_FILE/],
      [
        'Error: write EPROTO 80:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:../deps/openssl/x.c:354:',
        /^the server did not answer in TLS$/,
      ],
    ] as const) {
      const { finding } = await probe({ outcome: { failedTests: 1, errors: [{ message: text, place: null }] } });
      assert.match(finding.message ?? '', message);
    }
  });

  it('distinguishes waiting for a page from waiting for a response', async () => {
    for (const [text, reason] of [
      ["Error: locator.click: Test timeout of 100ms exceeded.\nCall log:\n  - waiting for locator('#a')", 'script'],
      ['Error: page.goto: Test timeout of 100ms exceeded.', 'timeout'],
      ['Error: page.goto: net::ERR_ABORTED; maybe frame was detached?', 'timeout'],
      ['TimeoutError: locator.click: Timeout 30ms exceeded.\n(of the next test)', 'timeout'],
    ] as const) {
      const errors = ['Test timeout of 100ms exceeded.', text].map((message) => ({ message, place: null }));
      const { finding } = await probe({ outcome: { failedTests: 1, errors } });
      assert.deepEqual([finding.verdict, finding.reason], ['failed', reason], text);
      if (text.includes('Test timeout')) assert.match(finding.message ?? '', /^(?:locator\.click|page\.goto): /);
    }
  });

  it('distinguishes the limit of the run from that of a test', async () => {
    const waited = "Error: locator.click: Test timeout of 100ms exceeded.\nCall log:\n  - waiting for locator('#a')";
    for (const [text, reason, message] of [
      ['Test timeout of 100ms exceeded.', 'script', /^locator\.click: .*\(and 1 more error\)$/],
      [
        'Test timeout of 225000ms exceeded: the tests of a run share 225 s',
        'deadline',
        /^locator\.click: .*\(and 1 more error\); the tests of a run share 225 s$/,
      ],
    ] as const) {
      const errors = [text, waited].map((each) => ({ message: each, place: null }));
      const { finding } = await probe({ outcome: { failedTests: 1, errors } });
      assert.deepEqual([finding.verdict, finding.reason], ['failed', reason], text);
      assert.match(finding.message ?? '', message);
    }
  });

  it('is truncated only after masking', async () => {
    const text = `${'x'.repeat(496)}hunter22`;
    const place = { file: 'check.mjs', line: 1, column: 1 };
    const { finding } = await probe({ outcome: { failedTests: 1, errors: [{ message: text, place: null }] } });
    assert.doesNotMatch(finding.message ?? '', /hunt/);
    const settings = { script: `check('${'x'.repeat(288)}hunter22')`, scriptPath: 'check.mjs' };
    const errors = [{ message: 'no', place }];
    const written = await probe({ check: { settings }, outcome: { failedTests: 1, errors } });
    assert.match(written.finding.message ?? '', /^check\('x+/);
    assert.doesNotMatch(written.finding.message ?? '', /hunt/);
    const content = new Uint8Array(4);
    const assets = [{ sort: 'screenshot', name: 'of hunter22', contentType: 'image/png', content }] as const;
    assert.equal((await probe({ outcome: { assets } })).finding.assets?.[0]?.name, 'of ********');
  });

  it('is failed if no test was found', async () => {
    const { finding } = await probe({ outcome: { tests: 0 } });
    assert.deepEqual([finding.verdict, finding.reason], ['failed', 'settings']);
  });
});
