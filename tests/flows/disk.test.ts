// A full disk or a read-only database: the service reports it, loses nothing acknowledged, and recovers. In one
// topology the disk is full, in the other the database refuses writes.
import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe } from 'node:test';
import { test as it } from '../support/service/each-topology.ts';
import type { Given } from '../support/service/flow-cases.ts';
import { mountOwnDisk, type OwnDisk } from '../support/own-disk.ts';
import { type Receiver, startReceiver } from '../support/receivers/receiver.ts';
import { type Cleanup, type ScriptedServer, startScriptedServer } from '../support/targets/scripted-server.ts';
import type { Service } from '../support/service/service.ts';
import { assertEverySlotOnce, type ResultRow, resultRows } from '../support/store/slots.ts';
import { sharedPostgres } from '../support/postgres/shared-postgres.ts';
import { until } from '../support/until.ts';

const secret = 'a secret between two';
const checks = 5;
const intervalMs = 10_000;

/** What prevents a service from writing, and how to read its results. */
interface Hindrance {
  readonly begin: () => Promise<void>;
  readonly end: () => Promise<void>;
  readonly results: () => ResultRow[];
}

interface Fixture extends Hindrance {
  /** null on PostgreSQL. */
  readonly disk: OwnDisk | null;
  readonly service: Service;
  readonly target: ScriptedServer;
  readonly receiver: Receiver;
  readonly checkIds: readonly string[];
}

const quiet = { LOG_LEVEL: 'silent' };

/** Checks that run every 10 s, with a channel subscribed to all of them. */
async function openFixture(
  t: Cleanup,
  service: Service,
  hindrance: Hindrance,
  disk: OwnDisk | null = null,
): Promise<Fixture> {
  const [target, receiver] = [await startScriptedServer(t), await startReceiver(t, secret)];
  const config = { url: receiver.url, webhookSecret: secret };
  await service.must('POST', '/v1/alert-channels', { type: 'WEBHOOK', autoSubscribe: true, config });
  const checkIds: string[] = [];
  for (let n = 0; n < checks; n++) {
    const body = { name: `check ${n}`, frequency: 0, frequencyOffset: 10, request: { method: 'GET', url: target.url } };
    checkIds.push(String((await service.must('POST', '/v1/checks/api', body))['id']));
  }
  return { ...hindrance, disk, service, target, receiver, checkIds };
}

/** On its own small disk. */
async function openOnDisk({ t, startService }: Pick<Given, 't' | 'startService'>): Promise<Fixture> {
  const disk = await mountOwnDisk(t, 24);
  const service = await startService(t, quiet, { place: disk.place });
  const hindrance = {
    begin: () => Promise.resolve(disk.fill()),
    end: () => Promise.resolve(disk.free()),
    results: () => resultsOnDisk(disk),
  };
  return openFixture(t, service, hindrance, disk);
}

/** On a database that can be made read-only, as after a failover. */
async function openOverPostgres({ t, startService }: Pick<Given, 't' | 'startService'>): Promise<Fixture> {
  const server = await sharedPostgres();
  let name = '';
  const service = await startService(t, quiet, { prepare: (database) => (name = database.name) });
  const setReadOnly = async (state: 'on' | 'off'): Promise<void> => {
    await server.admin(`ALTER DATABASE ${name} SET default_transaction_read_only = ${state}`);
    // Existing connections keep the old setting.
    await server.admin(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`);
  };
  const hindrance = {
    begin: () => setReadOnly('on'),
    end: () => setReadOnly('off'),
    results: () => service.rows(resultRows),
  };
  return openFixture(t, service, hindrance);
}

/** Slot outcomes as counted by the service. */
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

/** For all processes together. */
async function readiness({ addresses }: Service): Promise<{ isReady: boolean; reasons: readonly string[] }> {
  const said = await Promise.all(
    addresses.map(async (address) => {
      const answer = await fetch(`${address}/health/ready`);
      assert.ok(answer.status === 200 || answer.status === 503);
      return { isReady: answer.ok, reasons: ((await answer.json()) as { reasons?: string[] }).reasons ?? [] };
    }),
  );
  return { isReady: said.every(({ isReady }) => isReady), reasons: said.flatMap(({ reasons }) => reasons) };
}

/** Writes until a write is refused and returns all acknowledged keys. */
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

/** Asserts what must hold while nothing can be written. */
async function assertStandsStill({ service, checkIds }: Fixture, acknowledged: readonly string[]): Promise<void> {
  // Connections that end with the change say so first.
  await until('every process to say that it is not ready, and why', async () => {
    const { reasons } = await readiness(service);
    const isSaid = /database.*(full|readonly|read-only|written|I\/O)/i.test(reasons.join('\n'));
    return reasons.length >= service.addresses.length && isSaid;
  });
  for (const address of service.addresses) assert.equal((await fetch(`${address}/health/live`)).status, 200);
  for (const key of acknowledged) assert.equal((await service.api('GET', `/v1/variables/${key}`)).status, 200, key);
  // Another connection of the pool may end only now.
  for (const id of checkIds) {
    await until('the results of each check', async () => {
      const { status, body } = await service.api('GET', `/v1/check-results/${id}`);
      return status === 200 && (body as unknown as unknown[]).length > 0;
    });
  }
}

/** From database rows. SQLite cannot open a path in another namespace, so it reads a copy. */
function resultsOnDisk(disk: OwnDisk): ResultRow[] {
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-copy-'));
  copyFileSync(`${disk.folder}/tocsin.db`, `${folder}/tocsin.db`);
  const database = new DatabaseSync(`${folder}/tocsin.db`, { readOnly: true });
  const rows = resultRows(database);
  database.close();
  rmSync(folder, { recursive: true });
  return rows;
}

async function assertRecovers({ service, receiver, results }: Fixture, acknowledged: readonly string[]): Promise<void> {
  await until('the service to be ready again', async () => (await readiness(service)).isReady);
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
  assertEverySlotOnce(results(), intervalMs, checks);
  await service.restart('api');
  assert.equal((await outcomes(service)).difference, 0);
  const alerts = receiver.all.filter(({ json }) => json['ALERT_TYPE'] === 'ALERT_FAILURE');
  assert.equal(new Set(alerts.map(({ deliveryId }) => deliveryId)).size, checks, 'one alert for each check');
}

describe('a database that cannot be written', { concurrency: 2 }, () => {
  it('rejects writes with 503; results are recorded once it is writable', async (given) => {
    const fixture = await (given.topology === 'one process, SQLite' ? openOnDisk(given) : openOverPostgres(given));
    const { service, target } = fixture;
    await until('a first result of each check', async () => (await outcomes(service)).passed >= checks);
    // Probes in progress when writing stops; their findings must wait.
    target.answer({ status: 500, delayMs: 1500 });
    await target.hits(target.all.length + 1);
    await fixture.begin();
    const acknowledged = await writeUntilRefused(service, 'FULL');
    await assertStandsStill(fixture, acknowledged);
    await until('a result to wait', async () =>
      /results waiting for the database/.test((await readiness(service)).reasons.join()),
    );
    await fixture.end();
    await assertRecovers(fixture, acknowledged);
  });

  it('ends the start with one line; once it is writable, all data is there', async (given) => {
    const isFile = given.topology === 'one process, SQLite';
    const { disk, service, receiver, target, ...fixture } = await (isFile
      ? openOnDisk(given)
      : openOverPostgres(given));
    await service.must('POST', '/v1/variables', { key: 'BEFORE', value: 'x' });
    assert.equal((await service.stop()).code, 0);
    // A disk cannot become read-only while a file is open for writing, so this is found at a start.
    await (disk !== null ? Promise.resolve(disk.setReadOnly(true)) : fixture.begin());
    const present = disk !== null ? readFileSync(`${disk.folder}/tocsin.db`) : null;
    await assert.rejects(service.restart('api'), (error: Error) => {
      const printed = error.message.split('it printed:\n')[1] ?? '';
      assert.match(error.message, /ended with 1;/);
      assert.match(printed, /^tocsin: [^\n]*(tocsin\.db.*writable|database.*read-only)[^\n]*\n$/, 'one line');
      return true;
    });
    if (disk !== null) assert.deepEqual(readFileSync(`${disk.folder}/tocsin.db`), present);
    await (disk !== null ? Promise.resolve(disk.setReadOnly(false)) : fixture.end());
    target.answer({ status: 500 });
    await service.restart();
    assert.equal((await service.api('GET', '/v1/variables/BEFORE')).status, 200);
    await receiver.alert('ALERT_FAILURE', 20_000);
    assert.equal((await outcomes(service)).difference, 0);
  });
});
