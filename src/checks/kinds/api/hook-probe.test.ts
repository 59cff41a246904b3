// Runtime selection and masking of scripts around a request.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject, JsonValue } from '#domain/json.ts';
import type { ExchangeWork } from '#domain/checks/probe.ts';
import type { RuntimeStage } from '#domain/checks/runtime.ts';
import type { ScriptOutcome, ScriptWork } from '#domain/checks/script.ts';
import { apiCheck, inputOf, variable } from '../../../../tests/support/checks/api-check.ts';
import { aGroup } from '../../../../tests/support/store/records.ts';
import type { ScriptRuntime } from '../../kind.ts';
import { decodeDetails, encodeDetails } from '../../parts/http/details.ts';
import { apiKind } from './api-kind.ts';

const now = Date.UTC(2026, 10, 21);

function runtime(name: string, stage: RuntimeStage, runtimeEndOfLife: string | null = null): ScriptRuntime {
  const plain = { multiStepSupport: false, nodeJsVersion: 'v24.0.0', dependencies: {}, description: null };
  return { name, stage, runtimeEndOfLife, ...plain, folder: `/runtimes/${name}`, nodeBinary: '/node' };
}

const installed = [
  runtime('2026.10', 'CURRENT'),
  runtime('2026.04', 'STABLE'),
  runtime('2025.10', 'DEPRECATED'),
  runtime('2024.10', 'STABLE', '11/21/2026'),
];

const nothing = {
  steps: [],
  openStep: null,
  flaky: [],
  log: [],
  pageLines: [],
  pageVitals: [],
  errors: [],
  problem: null,
};
const done: ScriptOutcome = {
  ...nothing,
  ending: 'ended',
  startedAt: now,
  stoppedAt: now + 300,
  testsMs: 1,
  tests: 1,
  failedTests: 0,
  left: null,
  assets: [],
  leftOut: [],
};

interface Wanted {
  readonly check?: { readonly runtimeId?: string; readonly runtimeFallback?: boolean };
  readonly group?: string;
  readonly account?: string;
  /** Output and environment of each script. */
  readonly leaves?: {
    readonly prints?: string;
    readonly environment?: JsonObject;
    /** Values it reports as secret, and its failure. */
    readonly reports?: readonly (string | null)[];
    readonly error?: string;
    readonly ending?: ScriptOutcome['ending'];
  };
  /** Whether the same script also runs after the response. */
  readonly isAfter?: true;
}

async function probe({ check = {}, group, account, leaves = {}, isAfter }: Wanted) {
  const ran: ScriptWork[] = [];
  const sent: ExchangeWork[] = [];
  const { prints = '', environment = {}, reports = [], error, ending = 'ended' } = leaves;
  const inspect = apiKind.hooks?.createProbe({
    runtimes: () => installed,
    now: () => now,
    chromium: () => null,
    readScriptFile: async () => null,
    wallClockMs: {},
    runSideProbe: () => assert.fail('API checks have no side probe'),
    runScript: (work) => {
      ran.push(work);
      for (const value of reports) work.onSecret?.(value);
      const errors = error === undefined ? [] : [{ message: error, place: null }];
      const left = { request: work.hook?.request, response: work.hook?.response ?? null, environment };
      const log = [{ atMs: 1, stream: 'stdout', text: prints }] as const;
      return Promise.resolve({ ...done, ending, errors, left: left as unknown as JsonObject, log });
    },
    exchange: (work) => {
      sent.push(work);
      const times = { startedAt: now, stoppedAt: now + 20, responseTimeMs: 20, loopDelayMs: 0 };
      const details = isAfter === true ? redirectedFrom(prints) : null;
      const finding = { verdict: 'passed', reason: null, message: null, ...times, details } as const;
      const response = { status: 200, statusText: 'OK', headers: {}, body: prints };
      const request = { method: 'GET', url: `https://shop.example/${prints}`, data: '', headers: {}, params: {} };
      const exchange = isAfter === true ? JSON.stringify({ request, response }) : null;
      const answer =
        isAfter === true ? { response, isCut: false, times: {}, threadDelay: { longestMs: 0, addedMs: 0 } } : null;
      return Promise.resolve({ finding: { ...finding, exchange, certificate: null }, answer });
    },
  });
  assert.ok(inspect);
  const settings = isAfter === true ? { localTearDownScript: 'await 1;' } : { localSetupScript: 'await 1;' };
  const request = { url: 'https://shop.example/', headers: [{ key: 'x-key', value: '{{KEY}}' }] };
  const input = {
    ...inputOf(apiCheck(request, settings, check), [variable('KEY', 'hunter22', true)]),
    group: group === undefined ? null : aGroup('a', { id: 1, runtimeId: group }),
    accountRuntimeId: account ?? null,
  };
  const finding = await inspect(input, new AbortController().signal);
  const exchange = finding.exchange === null ? null : (JSON.parse(finding.exchange) as JsonObject);
  return { finding, ran, sent, part: apiKind.describeResult(finding, exchange) };
}

/** Details of a response reached by a redirect. */
function redirectedFrom(place: string): JsonValue {
  const redirects = [{ status: 302, location: `https://shop.example/${place}` }];
  return encodeDetails({ ...decodeDetails(null), status: 200, statusText: `OK ${place}`, redirects });
}

describe('scripts around a request run', () => {
  it('in the runtime of their check, group or account, otherwise in the CURRENT one', async () => {
    for (const [wanted, name] of [
      [{ check: { runtimeId: '2025.10' }, group: '2026.04', account: '2026.10' }, '2025.10'],
      [{ group: '2026.04', account: '2026.10' }, '2026.04'],
      [{ account: '2026.04' }, '2026.04'],
      [{}, '2026.10'],
    ] as const) {
      const { finding, ran, part } = await probe(wanted);
      assert.deepEqual([finding.verdict, ran[0]?.runtime.folder], ['passed', `/runtimes/${name}`]);
      assert.equal((part['scripts'] as JsonObject)['runtimeVersion'], name);
    }
  });

  it('in another runtime after its end of life only if the check allows it; otherwise it is unknown and nothing is sent', async () => {
    const gone = { runtimeId: '2024.10' };
    const fallen = await probe({ check: { ...gone, runtimeFallback: true }, account: '2026.04' });
    assert.equal(fallen.ran[0]?.runtime.folder, '/runtimes/2026.04');
    assert.match(JSON.stringify(fallen.part['scripts']), /2024\.10 is not available; 2026\.04 is used/);
    const { finding, ran, sent } = await probe({ check: gone });
    assert.deepEqual([finding.verdict, finding.reason, ran.length, sent.length], ['unknown', 'runtime', 0, 0]);
    assert.match(finding.message ?? '', /^not run: runtime 2024\.10 is not available/);
  });
});

describe('a script around a request', () => {
  it('counts towards the duration but not the response time', async () => {
    const { finding, part } = await probe({});
    assert.equal(finding.responseTimeMs, 20);
    assert.deepEqual((part['scripts'] as JsonObject)['runs'], [{ script: 'setup', durationMs: 300 }]);
  });

  it('has old and new values of secret variables masked in its output', async () => {
    const leaves = { prints: 'hunter22 fresh-secret plain', environment: { KEY: 'fresh-secret' } };
    const { part, sent } = await probe({ leaves });
    const { setup } = part['jobLog'] as { readonly setup: readonly { readonly msg: string }[] };
    assert.equal(setup[0]?.msg, '******** ******** plain');
    const [work] = sent;
    assert.deepEqual(work?.input.scripted?.headers, [['x-key', 'fresh-secret']]);
    assert.ok(work?.input.scripted?.hidden.includes('hunter22'));
  });

  it('has reported values masked after it fails or is killed', async () => {
    for (const ending of ['ended', 'deadline', 'memory'] as const) {
      const leaves = { prints: 'fresh-secret', reports: ['fresh-secret'], error: 'Error: fresh-secret', ending };
      const { finding, sent } = await probe({ leaves });
      assert.deepEqual([finding.verdict, sent.length], ['failed', 0]);
      assert.doesNotMatch(JSON.stringify(finding), /fresh/);
      assert.match(finding.exchange ?? '', /"msg":"\*{8}"/);
    }
  });

  it('receives the names of secret variables to report', async () => {
    const { ran } = await probe({});
    assert.deepEqual(ran[0]?.hook?.hides, { variables: ['KEY'], fields: [] });
  });

  it('has values it made secret masked in the response, too', async () => {
    const { finding, sent } = await probe({
      isAfter: true,
      leaves: { prints: 'fresh-secret', reports: ['fresh-secret'] },
    });
    assert.equal(finding.verdict, 'passed');
    assert.doesNotMatch(JSON.stringify(finding), /fresh/);
    assert.deepEqual(sent[1]?.input.scripted?.hidden, ['fresh-secret']);
  });

  it('causes the request and response to be omitted if a secret value is too long to mask', async () => {
    const { finding, part } = await probe({ isAfter: true, leaves: { prints: 'fresh-secret', reports: [null] } });
    assert.deepEqual([finding.verdict, finding.reason], ['failed', 'script']);
    assert.doesNotMatch(JSON.stringify([finding, part]), /fresh/);
    const { status, body } = part['response'] as JsonObject;
    assert.deepEqual([part['request'], status], [null, 200]);
    assert.match(JSON.stringify(body), /^"not shown: the scripts of this check created too many secret values/);
  });

  it('causes everything to be masked and fails if it reports too many secrets', async () => {
    const many = Array.from({ length: 101 }, (_, number) => `fresh-${number}`);
    for (const reports of [[null], many, Array.from({ length: 5 }, (_, at) => String(at).repeat(60_000))]) {
      const { finding, sent } = await probe({ leaves: { prints: 'fresh-7', reports, error: 'fresh-7' } });
      assert.deepEqual([finding.verdict, finding.reason, sent.length], ['failed', 'script', 0]);
      assert.match(finding.message ?? '', /^not shown: .* too many secret values/);
      assert.doesNotMatch(JSON.stringify(finding), /fresh/);
    }
  });
});
