// A disk that is full or read-only: the service says so, loses nothing that it acknowledged, and goes on by itself.
import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { mountOwnDisk, type OwnDisk } from '../support/own-disk.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { type Cleanup, type ScriptedServer, startScriptedServer } from '../support/scripted-server.ts';
import { type Service, startService } from '../support/service.ts';
import { until } from '../support/until.ts';

const secret = 'a secret between two';
const checks = 5;

interface Scene {
  readonly disk: OwnDisk;
  readonly service: Service;
  readonly target: ScriptedServer;
  readonly receiver: Receiver;
  readonly checkIds: readonly string[];
}

/** Checks that run every 10 s on a small disk, with a channel that is told of all of them. */
async function openScene(t: Cleanup): Promise<Scene> {
  const disk = await mountOwnDisk(t, 24);
  const service = await startService(t, { TOCSIN_PROBE_THREADS: '1', LOG_LEVEL: 'silent' }, disk.place);
  const [target, receiver] = [await startScriptedServer(t), await startReceiver(t, secret)];
  const config = { url: receiver.url, webhookSecret: secret };
  await service.must('POST', '/v1/alert-channels', { type: 'WEBHOOK', autoSubscribe: true, config });
  const checkIds: string[] = [];
  for (let n = 0; n < checks; n++) {
    const body = { name: `check ${n}`, frequency: 0, frequencyOffset: 10, request: { method: 'GET', url: target.url } };
    checkIds.push(String((await service.must('POST', '/v1/checks/api', body))['id']));
  }
  return { disk, service, target, receiver, checkIds };
}

/** The service's own count of its slots. */
async function outcomes(service: Service): Promise<{ passed: number; failed: number; difference: number }> {
  const text = await (await fetch(`${service.address}/metrics`)).text();
  const figure = (name: string): number => {
    const line = text.split('\n').find((each) => each.startsWith(`${name} `));
    assert.ok(line, `${name} is not among the metrics:\n${text}`);
    return Number(line.split(' ')[1]);
  };
  return {
    passed: figure('tocsin_runs{what="passed"}'),
    failed: figure('tocsin_runs{what="failed"}'),
    difference: figure('tocsin_conservation_difference'),
  };
}

async function readiness(service: Service): Promise<{ status: number; reasons: readonly string[] }> {
  const answer = await fetch(`${service.address}/health/ready`);
  const body = (await answer.json()) as { reasons?: string[] };
  return { status: answer.status, reasons: body.reasons ?? [] };
}

/** Writes until one is refused; every key that was acknowledged. */
async function writeUntilRefused(service: Service, prefix: string): Promise<string[]> {
  const acknowledged: string[] = [];
  for (let n = 0; ; n++) {
    const key = `${prefix}_${n}`;
    const { status, body } = await service.api('POST', '/v1/variables', { key, value: 'x' });
    if (status === 201) {
      acknowledged.push(key);
      assert.ok(n < 5000, 'the disk is never full');
      continue;
    }
    assert.equal(status, 503, JSON.stringify(body));
    assert.equal(body['statusCode'], 503);
    assert.equal(body['error'], 'Service Unavailable');
    assert.match(String(body['message']), /\S/);
    return acknowledged;
  }
}

/** What must hold while nothing can be written. */
async function assertStandsStill({ service, checkIds }: Scene, acknowledged: readonly string[]): Promise<void> {
  const { status, reasons } = await until('the service to say that it is not ready', async () => {
    const said = await readiness(service);
    return said.status === 503 && said;
  });
  assert.equal(status, 503);
  assert.match(reasons.join('\n'), /database.*(full|readonly|read-only|written|I\/O)/i);
  assert.equal((await fetch(`${service.address}/health/live`)).status, 200);
  for (const key of acknowledged) assert.equal((await service.api('GET', `/v1/variables/${key}`)).status, 200, key);
  for (const id of checkIds) {
    const { status, body } = await service.api('GET', `/v1/check-results/${id}`);
    assert.ok(status === 200 && (body as unknown as unknown[]).length > 0);
  }
}

/** Every slot of every check from its first to its last has one outcome; missed stretches count their slots. */
function assertEverySlotOnce(disk: OwnDisk): void {
  // SQLite cannot follow the way to another namespace: it reads a copy.
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-copy-'));
  copyFileSync(`${disk.folder}/tocsin.db`, `${folder}/tocsin.db`);
  const database = new DatabaseSync(`${folder}/tocsin.db`, { readOnly: true });
  const rows = database
    .prepare('SELECT hex(check_id) AS check_id, hex(id) AS id, slots FROM results ORDER BY id')
    .all();
  database.close();
  rmSync(folder, { recursive: true });
  const byCheck = Map.groupBy(rows, ({ check_id }) => String(check_id));
  assert.equal(byCheck.size, checks);
  for (const results of byCheck.values()) {
    let next: number | null = null;
    for (const { id, slots } of results) {
      const slotAt = Number.parseInt(String(id).slice(0, 12), 16);
      if (next !== null) assert.equal(slotAt, next, 'a slot without an outcome, or with two');
      next = slotAt + Number(slots) * 10_000;
    }
  }
}

async function assertRecovers(scene: Scene, acknowledged: readonly string[]): Promise<void> {
  const { service, receiver, disk } = scene;
  await until('the service to be ready again', async () => (await readiness(service)).status === 200);
  for (let n = 0; n < checks; n++) {
    await receiver.received(
      ({ json }) => json['CHECK_NAME'] === `check ${n}` && json['ALERT_TYPE'] === 'ALERT_FAILURE',
    );
  }
  const { failed } = await outcomes(service);
  await until('results after it', async () => (await outcomes(service)).failed > failed);
  assert.equal((await outcomes(service)).difference, 0);
  await service.must('POST', '/v1/variables', { key: 'AFTERWARDS', value: 'x' });
  for (const key of acknowledged) assert.equal((await service.api('GET', `/v1/variables/${key}`)).status, 200, key);
  assert.equal((await service.stop()).code, 0);
  assertEverySlotOnce(disk);
  await service.restart();
  assert.equal((await outcomes(service)).difference, 0);
  const alerts = receiver.all.filter(({ json }) => json['ALERT_TYPE'] === 'ALERT_FAILURE');
  assert.equal(new Set(alerts.map(({ deliveryId }) => deliveryId)).size, checks, 'one alert for each check');
}

describe('a disk that is full', () => {
  it('stops writes with 503 and nothing else; when there is room again, what waited is recorded', async (t) => {
    const scene = await openScene(t);
    const { disk, service, target } = scene;
    await until('a first result of each check', async () => (await outcomes(service)).passed >= checks);
    // Probes under way while the disk fills: what they find has to wait.
    target.answer({ status: 500, delayMs: 1500 });
    await target.hits(target.all.length + 1);
    disk.fill();
    const acknowledged = await writeUntilRefused(service, 'FULL');
    await assertStandsStill(scene, acknowledged);
    await until('a result to wait', async () => /results wait/.test((await readiness(service)).reasons.join()));
    disk.free();
    await assertRecovers(scene, acknowledged);
  });
});

// A file that is open for writing keeps a disk from turning read-only under it: this is found at a start.
describe('a disk that is read-only', () => {
  it('ends the start with one line that says so, and changes nothing; once it can be written, all is there', async (t) => {
    const { disk, service, receiver, target } = await openScene(t);
    await service.must('POST', '/v1/variables', { key: 'BEFORE', value: 'x' });
    assert.equal((await service.stop()).code, 0);
    const present = readFileSync(`${disk.folder}/tocsin.db`);
    disk.setReadOnly(true);
    await assert.rejects(service.restart(), (error: Error) => {
      const printed = error.message.split('it printed:\n')[1] ?? '';
      assert.match(error.message, /ended with 1;/);
      assert.match(printed, /^tocsin: .*tocsin\.db.*\n$/, 'one line');
      assert.match(printed, /write/);
      return true;
    });
    assert.deepEqual(readFileSync(`${disk.folder}/tocsin.db`), present);
    disk.setReadOnly(false);
    target.answer({ status: 500 });
    await service.restart();
    assert.equal((await service.api('GET', '/v1/variables/BEFORE')).status, 200);
    await receiver.alert('ALERT_FAILURE');
    assert.equal((await outcomes(service)).difference, 0);
  });
});
