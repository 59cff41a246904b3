// Runners of deploy/ have the room that as many scripts of each type as run at once may take, beside what the service itself takes.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { hookLimits, browserLimits, programLimits } from '#domain/checks/script.ts';
import { readConfig } from '#config/config.ts';
import {
  type Fields,
  fieldsAt,
  listOf,
  readCompose,
  readImage,
  textAt,
  textsOf,
} from './support/service/deploy-files.ts';
import { containerOf, deployments, podOf, roleOf } from './support/service/manifests.ts';

/** One script in each lane, of a multi-step check, of a browser check and around a request (docs/decisions/0082). */
const lanes = [programLimits, browserLimits, hookLimits];
const maxMemory = lanes.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0);
const maxDisk = lanes.reduce((sum, { diskBytes }) => sum + diskBytes, 0);
/** What a runner takes itself, bytes: threads that probe, and findings that wait while the database is away. */
const serviceBytes = 768 << 20;
/** What each process takes that waits for a script (docs/decisions/0082). */
const waitingBytes = 160 << 20;
/** What there is beside scripts: the manifests leave as many waiting as wait without a word. */
const besideBytes = serviceBytes + waitingBytes * readConfig({}, 2).scriptsWarm;

/** `64Mi` of Kubernetes and `64M`, `64m` of compose are the same. */
function bytesOf(text: string): number {
  const [, count, unit = ''] = /^(\d+)([mMgG])i?$/.exec(text) ?? [];
  assert.ok(count, text);
  return Number(count) * 2 ** (unit.toLowerCase() === 'g' ? 30 : 20);
}

/** Scripts at once as they are configured there, and not by the processors of a machine. */
function scriptsAtOnce(value: string | undefined): number {
  assert.ok(value, 'TOCSIN_SCRIPTS_AT_ONCE is given');
  return readConfig({ ...readImage().environment, TOCSIN_SCRIPTS_AT_ONCE: value }).scriptsAtOnce;
}

it('deploy/kubernetes/runner.yaml never has a script within its limits evicted', () => {
  const runner = deployments.find((one) => roleOf(one) === 'runner') ?? {};
  const container = containerOf(runner);
  const variable = listOf(container['env']).find(({ name }) => name === 'TOCSIN_SCRIPTS_AT_ONCE');
  const atOnce = scriptsAtOnce(variable && textAt(variable, 'value'));
  const sizeOf = (volume: Fields): number => bytesOf(textAt(volume, 'emptyDir', 'sizeLimit'));
  const empty = listOf(podOf(runner)['volumes']).filter((volume) => volume['emptyDir'] !== undefined);
  const temporary = empty.find(({ name }) => name === 'tmp') ?? {};
  assert.ok(
    sizeOf(temporary) > atOnce * maxDisk,
    'a folder is looked at twice a second: it may be passed for a moment',
  );
  for (const kind of ['requests', 'limits']) {
    const memory = bytesOf(textAt(container, 'resources', kind, 'memory'));
    assert.ok(memory >= besideBytes + atOnce * maxMemory, `${kind} ${memory}`);
  }
  assert.deepEqual(Object.keys(fieldsAt(temporary, 'emptyDir')), ['sizeLimit'], 'on the disk, not in memory');
  const storage = bytesOf(textAt(container, 'resources', 'requests', 'ephemeral-storage'));
  assert.ok(storage >= empty.reduce((sum, volume) => sum + sizeOf(volume), 0), `${storage}`);
});

it('the runner of deploy/compose.postgres.yaml has memory for scripts and for the files they write, which are in memory', () => {
  const secret = 'a'.repeat(64);
  const { services } = readCompose({ ADMIN_PASSWORD: secret, DATABASE_PASSWORD: secret, SECRET_KEY: secret });
  const runner = services.find(({ name }) => name === 'runner');
  const atOnce = scriptsAtOnce(runner?.environment['TOCSIN_SCRIPTS_AT_ONCE']);
  const sizes = textsOf(runner?.settings['tmpfs']).map((text) => /^\/tmp:size=(\w+)$/.exec(text)?.[1]);
  const temporary = bytesOf(sizes.find((size) => size !== undefined) ?? 'no size');
  assert.ok(temporary > atOnce * maxDisk, `${temporary}`);
  const memory = bytesOf(textAt(fieldsAt(runner?.settings, 'deploy', 'resources', 'limits'), 'memory'));
  assert.ok(memory >= besideBytes + atOnce * maxMemory + temporary, `${memory}`);
});
