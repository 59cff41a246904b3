// `runtimes try` with real scripts in real runtimes, one of which lacks a package that a check needs.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ensureFirstAccount } from '#actions/accounts/setup.ts';
import { type TriedCheck, triedText, tryRuntime } from './try-runtime.ts';
import type { ProbeInput } from '#domain/checks/probe.ts';
import { systemClock } from '#lib/clock.ts';
import { probeInputOf } from '#pipeline/run-checks.ts';
import type { InstalledRuntime } from '#sandbox/runtimes/read-runtimes.ts';
import { openStore } from '#store/sqlite-store.ts';
import { aCheck } from '../../tests/support/store/records.ts';
import { currentRuntime } from '../../tests/support/scripts/script-runs.ts';
import { startTarget } from '../../tests/support/targets/target.ts';
import { isWithScripts } from '#app/scripts/script-rules.ts';
import { createScriptProber } from '#app/scripts/scripts.ts';
import { createProber } from '#checks/runner/probe-threads.ts';

const facts = { multiStepSupport: true, nodeJsVersion: process.version, runtimeEndOfLife: null, description: null };

/** The CURRENT runtime without one package. */
function without(name: string, folder: string): InstalledRuntime {
  const packages = join(currentRuntime.folder, 'node_modules');
  mkdirSync(join(folder, 'node_modules'));
  for (const each of readdirSync(packages)) {
    if (each !== name) symlinkSync(join(packages, each), join(folder, 'node_modules', each));
  }
  return { ...facts, ...currentRuntime, folder, name: '2027.04', stage: 'BETA', dependencies: {} };
}

test('runtimes try runs checks in both runtimes, reports which get worse and why, and records nothing', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-try-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const asked: unknown[] = [];
  const target = await startTarget(t, (request, response) => {
    asked.push(request.headers['x-sum']);
    response.end('ok');
  });
  const secretKey = new Uint8Array(32).fill(7);
  const database = { kind: 'sqlite', path: join(folder, 'tocsin.db') } as const;
  const store = openStore({ path: database.path, secretKey, clock: systemClock });
  const first = await ensureFirstAccount({ apiKeys: store.apiKeys, clock: systemClock });
  assert.ok(first);
  const add = async (change: Parameters<typeof aCheck>[1]) => {
    const check = aCheck(first.accountId, change);
    await store.checks.add({ check, subscriptions: null, isAutoAssigned: false });
    return check.id;
  };
  const scriptPath = 'check.cjs';
  const variable = { key: 'SHOP', value: target.url, locked: false, secret: true };
  await add({
    name: 'Signed',
    environmentVariables: [variable],
    settings: {
      request: { method: 'GET', url: '{{SHOP}}/signed' },
      localSetupScript: `request.headers['x-sum'] = String(require('lodash').sum([1, 2]));`,
    },
  });
  await add({ checkType: 'MULTI_STEP', name: 'Order', settings: { script: '1;', scriptPath } });
  await add({ checkType: 'MULTI_STEP', name: 'New', runtimeId: '2027.04', settings: { script: '1;', scriptPath } });
  await add({ checkType: 'MULTI_STEP', name: 'Off', activated: false, settings: { script: '1;', scriptPath } });
  const plain = await add({ name: 'Plain' });

  const present: InstalledRuntime = {
    ...facts,
    ...currentRuntime,
    name: '2026.10',
    stage: 'CURRENT',
    dependencies: {},
  };
  mkdirSync(join(folder, 'runtime'));
  const installed = [without('lodash', join(folder, 'runtime')), present];
  const prober = createProber({ threads: 1, egress: { mode: 'any', allow: [] }, version: '9.9' });
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const scripts = createScriptProber({
    runtimes: { list: () => installed },
    clock: systemClock,
    log,
    egress: { mode: 'any', allow: [] },
    mayBeUncontained: false,
    wallClockMs: { BROWSER: 240_000, MULTI_STEP: 120_000 },
    warm: 0,
    atOnce: 2,
    chromium: null,
    readScriptFile: async () => null,
    prober,
  });
  t.after(async () => {
    await scripts.close();
    await prober.close();
    await store.close();
  });
  const deps = {
    signal: new AbortController().signal,
    installed,
    inputOf: probeInputOf,
    isScripted: isWithScripts,
    probe: (input: ProbeInput) => scripts.probe(input),
    atOnce: 2,
    now: () => systemClock.now(),
  };
  const said: string[] = [];
  const screen = { write: (text: string) => said.push(text), isTerminal: false, now: () => performance.now() };
  const order = { database, secretKey, runtime: '2027.04', checks: null };

  // The store stays open, like that of a running service.
  let tried = await tryRuntime(order, deps, screen);
  // On a busy machine, a script may exceed its 10 s in either runtime.
  const isUnclear = (check: TriedCheck) => check.present.verdict !== 'passed' || check.tried.verdict === 'unknown';
  for (let again = 0; again < 3 && tried.checks.some(isUnclear); again++) {
    asked.length = 0;
    said.length = 0;
    tried = await tryRuntime(order, deps, screen);
  }
  const byName = new Map(tried.checks.map((each) => [each.name, each]));
  assert.deepEqual([...byName.keys()].toSorted(), ['Order', 'Signed']);
  assert.deepEqual(tried.already, ['New']);
  assert.equal(byName.get('Order')?.change, 'same');
  const signed = byName.get('Signed');
  assert.deepEqual([signed?.present.verdict, signed?.tried.verdict, signed?.change], ['passed', 'failed', 'worse']);
  assert.match(signed?.tried.message ?? '', /^setup script: .*Cannot find module 'lodash'/);
  assert.deepEqual(asked, ['3'], 'with a script that fails nothing is sent');
  const text = triedText(tried, '2027.04');
  assert.match(
    text,
    /^WORSE +Signed +2026\.10 passed \d+\.\d s +2027\.04 failed \d+\.\d s\n +2027\.04: setup script: /m,
  );
  assert.match(text, /2 checks compared with 2027\.04, 1 same, 1 worse, 0 better, 1 already use it\.\n$/);
  assert.match(said.join(''), /running checks in 2027\.04 +2 of 2 checks/);
  assert.equal(
    (await store.checkResults.list(first.accountId, plain, { resultType: 'ALL' }, { limit: 1, offset: 0 })).total,
    0,
  );

  const named = (checks: readonly string[]) => tryRuntime({ ...order, checks }, deps, screen);
  await assert.rejects(named([plain]), /"Plain"\) has no script to try/);
  await assert.rejects(named(['0198a000-0000-7000-8000-0000000000ff']), /no check with scripts has the id 0198a000-/);
});
