// Installed runtimes and their problems.
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { RuntimeStage } from '#domain/checks/runtime.ts';
import { type InstalledRuntimes, readRuntimes } from './read-runtimes.ts';

let dir = '';

interface Fixture {
  readonly manifest?: Readonly<Record<string, unknown>>;
  readonly declared?: Readonly<Record<string, string>>;
  /** Default: the declared packages. */
  readonly installed?: Readonly<Record<string, string>>;
}

/** Creates a runtime folder like npm. */
function runtime(name: string, { manifest, declared = {}, installed = declared }: Fixture = {}): string {
  const folder = join(dir, name);
  const write = (path: string, value: unknown): void => {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), JSON.stringify(value));
  };
  write('manifest.json', { name, stage: 'STABLE', multiStepSupport: true, node: 'project', ...manifest });
  write('package.json', { dependencies: declared });
  for (const [dep, version] of Object.entries(installed)) write(`node_modules/${dep}/package.json`, { version });
  return folder;
}

const day = Date.UTC(2026, 10, 21, 12);

function read(lastStages: Readonly<Record<string, RuntimeStage>> = {}, now = day): Promise<InstalledRuntimes> {
  return readRuntimes(dir, { now, projectNode: process.execPath, lastStages: new Map(Object.entries(lastStages)) });
}

const names = ({ runtimes }: InstalledRuntimes): readonly string[] => runtimes.map(({ name }) => name);

describe('installed runtimes', () => {
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'tocsin-runtimes-'));
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  it('are listed newest first with their manifest and installed packages', async () => {
    runtime('2025.04', { manifest: { stage: 'DEPRECATED', runtimeEndOfLife: '12/31/2026', multiStepSupport: false } });
    const folder = runtime('2026.10', {
      manifest: { stage: 'CURRENT', description: 'All new' },
      declared: { lodash: '^4.0.0', '@scope/pkg': '1.x' },
      installed: { lodash: '4.18.1', '@scope/pkg': '1.2.3' },
    });
    const { runtimes, problems, stages } = await read();
    assert.deepEqual(problems, []);
    assert.deepEqual(runtimes[0], {
      name: '2026.10',
      stage: 'CURRENT',
      description: 'All new',
      runtimeEndOfLife: null,
      multiStepSupport: true,
      nodeJsVersion: process.version,
      dependencies: { '@scope/pkg': '1.2.3', lodash: '4.18.1' },
      folder,
      nodeBinary: process.execPath,
    });
    assert.equal(runtimes[1]?.runtimeEndOfLife, '12/31/2026');
    assert.deepEqual(
      [...stages],
      [
        ['2026.10', 'CURRENT'],
        ['2025.04', 'DEPRECATED'],
      ],
    );
  });

  it('get the version of their own Node.js with an empty environment', async () => {
    const folder = runtime('2026.04', { manifest: { stage: 'CURRENT', node: 'own' } });
    mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true });
    const binary = join(folder, 'node_modules/.bin/node');
    writeFileSync(
      binary,
      '#!/bin/sh\n[ -z "$HOME$TOCSIN_CANARY" ] && [ "$*" = "-p process.version" ] && echo v22.23.3\n',
    );
    chmodSync(binary, 0o755);
    const { runtimes, problems } = await read();
    assert.deepEqual(problems, []);
    assert.equal(runtimes[0]?.nodeJsVersion, 'v22.23.3');
    assert.equal(runtimes[0]?.nodeBinary, binary);
  });

  it('are skipped with a reason if a package or the Node.js is missing', async () => {
    runtime('2026.10', { manifest: { stage: 'CURRENT' } });
    runtime('2026.04', { declared: { lodash: '4.18.1', dayjs: '1.0.0' }, installed: { dayjs: '1.0.0' } });
    runtime('2025.10', { manifest: { node: 'own' } });
    const found = await read();
    assert.deepEqual(names(found), ['2026.10']);
    const [packages, node] = found.problems;
    assert.match(packages?.message ?? '', /lodash missing; npm run tocsin -- runtimes install 2026\.04 fetches/);
    assert.match(node?.message ?? '', /Node\.js at .*2025\.10.* cannot be executed/);
    assert.ok(found.problems.length === 2 && found.problems.every(({ refusesStart }) => !refusesStart));
  });

  it('are available but not a problem before installation, except the CURRENT one', async () => {
    runtime('2026.10', { manifest: { stage: 'CURRENT' }, declared: { lodash: '4.18.1' }, installed: {} });
    runtime('2026.04', { declared: { lodash: '4.18.1' }, installed: {} });
    const found = await read();
    assert.deepEqual([names(found), found.notInstalled], [[], ['2026.04']]);
    assert.match(found.problems[0]?.message ?? '', /lodash missing; npm run tocsin -- runtimes install 2026\.10/);
  });

  const faults: readonly (readonly [field: string, manifest: Record<string, unknown>])[] = [
    ['name', { name: '2026.11' }],
    ['name', { name: '2026.13' }],
    ['stage', { stage: 'NEW' }],
    ['description', { description: 7 }],
    ['runtimeEndOfLife', { runtimeEndOfLife: '2026-12-31' }],
    ['runtimeEndOfLife', { runtimeEndOfLife: '02/30/2027' }],
    ['multiStepSupport', { multiStepSupport: 'yes' }],
    ['node', { node: '/usr/bin/node' }],
    ['runtimeEndofLife', { runtimeEndofLife: '12/31/2026' }],
  ];
  for (const [field, manifest] of faults) {
    it(`are skipped if the manifest says ${JSON.stringify(manifest)}, with the field`, async () => {
      runtime('2026.10', { manifest: { stage: 'CURRENT', ...manifest } });
      const found = await read();
      assert.deepEqual(names(found), []);
      assert.ok(found.problems[0]?.message.startsWith(`${field} `), found.problems[0]?.message);
      assert.equal(found.problems[0]?.runtime, '2026.10');
    });
  }

  it('without a readable manifest are a problem, not a crash', async () => {
    mkdirSync(join(dir, '2026.10'));
    writeFileSync(join(runtime('2026.04'), 'manifest.json'), '{');
    const { problems } = await read();
    assert.match(problems[0]?.message ?? '', /^manifest\.json cannot be read/);
    assert.match(problems[1]?.message ?? '', /^manifest\.json is not JSON/);
  });

  it('are not listed but remembered if REMOVED by stage or by UTC date', async () => {
    runtime('2026.10', { manifest: { stage: 'CURRENT' } });
    runtime('2026.04', { manifest: { runtimeEndOfLife: '11/22/2026' } });
    runtime('2025.10', { manifest: { stage: 'REMOVED' } });
    assert.deepEqual(names(await read({}, Date.UTC(2026, 10, 22) - 1)), ['2026.10', '2026.04']);
    const after = await read({}, Date.UTC(2026, 10, 22));
    assert.deepEqual(names(after), ['2026.10']);
    assert.equal(after.stages.get('2025.10'), 'REMOVED');
  });

  it('prevent the start if two are CURRENT', async () => {
    runtime('2026.10', { manifest: { stage: 'CURRENT' } });
    runtime('2026.04', { manifest: { stage: 'CURRENT' } });
    const { problems } = await read();
    assert.deepEqual(problems, [
      {
        runtime: '2026.04',
        message: 'stage CURRENT is held by 2026.10 and 2026.04; only one runtime may have it',
        refusesStart: true,
      },
    ]);
  });

  it('prevent the start after a step back of a stage, but not after a step forward', async () => {
    runtime('2026.10', { manifest: { stage: 'CURRENT' } });
    assert.deepEqual((await read({ '2026.10': 'BETA', '2020.01': 'REMOVED' })).problems, []);
    const [problem] = (await read({ '2026.10': 'DEPRECATED' })).problems;
    assert.match(problem?.message ?? '', /cannot go back from DEPRECATED to CURRENT/);
    assert.equal(problem?.refusesStart, true);
  });

  it('are none, with a message, if the folder does not exist', async () => {
    const found = await readRuntimes(join(dir, 'no'), {
      now: day,
      projectNode: process.execPath,
      lastStages: new Map(),
    });
    assert.deepEqual(found.runtimes, []);
    assert.match(found.problems[0]?.message ?? '', /no installed runtime is CURRENT/);
  });
});
