// A process limits its connections to leave file descriptors for its own work, and shares them between addresses
// (docs/decisions/0132). While it may have refused pings, it counts as unable to receive them (docs/decisions/0091).
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { receptionKey, readReception } from '#store/path/heartbeats/reception.ts';
import { idBytes } from '#store/base/codec.ts';
import { outcomeCodes } from '#store/base/codes.ts';
import { startService } from '../support/service/service.ts';
import type { Cleanup } from '../support/targets/scripted-server.ts';
import { startTarget } from '../support/targets/target.ts';
import { until } from '../support/until.ts';

const files = 256;

/** Keeps connections open that send nothing, and opens each again when it is closed. */
function startFlood(t: Cleanup, port: number) {
  const sockets = new Set<Socket>();
  let [isOver, closed] = [false, 0];
  const take = (localAddress: string): void => {
    if (isOver) return;
    const socket = connect({ port, host: '127.0.0.1', localAddress }).on('error', () => undefined);
    sockets.add(socket);
    socket.resume().on('close', () => {
      closed++;
      sockets.delete(socket);
      setTimeout(() => take(localAddress), 10);
    });
  };
  const end = (): void => {
    isOver = true;
    for (const socket of sockets) socket.destroy();
  };
  t.after(end);
  return {
    begin: (address: string, count: number) => Array.from({ length: count }, () => take(address)),
    closed: () => closed,
    end,
  };
}

/** The status of a GET over its own connection; 0 = none. */
function statusOf(port: number, path: string): Promise<number> {
  return new Promise((resolve) => {
    request({ port, host: '127.0.0.1', path, agent: false })
      .on('response', (response) => resolve(response.resume().statusCode ?? 0))
      .on('error', () => resolve(0))
      .end();
  });
}

test('about the file: a client that takes all connections hides no missing ping and raises no false alert', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'tocsin-descriptors-'));
  t.after(() => rmSync(dataDir, { recursive: true, force: true }));
  const service = await startService(t, {}, { dataDir, enter: ['prlimit', `--nofile=${files}:${files}`] });
  const port = Number(new URL(service.address).port);
  const target = await startTarget(t, (_request, response) => void response.end('ok'));
  const heartbeat = { period: 1, periodUnit: 'hours', grace: 10, graceUnit: 'minutes' };
  const [silent, job] = await Promise.all(
    ['Silent', 'Job'].map((name) => service.must('POST', '/v1/checks/heartbeat', { name, heartbeat })),
  );
  const { pingToken } = (job?.['heartbeat'] ?? {}) as Record<string, string>;
  const { id } = await service.must('POST', '/v1/checks/api', {
    name: 'Shop',
    frequency: 0,
    frequencyOffset: 10,
    request: { method: 'GET', url: target.url },
  });
  const outcomesOf = (checkId: unknown): string[] =>
    service.rows((raw) =>
      raw
        .prepare('SELECT outcome FROM results WHERE check_id = ? ORDER BY id')
        .all(idBytes(String(checkId)))
        .map(({ outcome }) => outcomeCodes.decode(Number(outcome))),
    );
  const gapMs = (): number =>
    service.rows((raw) => {
      const row = raw.prepare('SELECT value FROM installation WHERE key = ?').get(receptionKey);
      const { gaps, receivingAt } = readReception((row?.['value'] ?? null) as string | null);
      return receivingAt === null ? -1 : gaps.reduce((sum, { ms }) => sum + ms, 0);
    });
  await until('the first sign that pings can be received', () => gapMs() >= 0);
  await until('the first result', () => outcomesOf(id).length > 0);
  const [before, known] = [gapMs(), outcomesOf(id).length];

  const flood = startFlood(t, port);
  flood.begin('127.0.0.2', 2 * files);
  await until('connections to be closed', () => flood.closed() > 2 * files);
  for (let index = 0; index < 20; index++) {
    assert.equal(await statusOf(port, `/ping/${pingToken}`), 200);
    assert.equal(await statusOf(port, '/health/ready'), 200);
  }
  service.rows((raw) => {
    const [dueAt, startedAt] = [Date.now(), Date.now() - 70 * 60_000];
    const late = raw.prepare('UPDATE heartbeats SET timer_at = ?, pinged_at = ?, due_at = ? WHERE check_id = ?');
    late.run(startedAt, startedAt, dueAt, idBytes(String(silent?.['id'])));
  });
  await until('the missing ping to be judged', () => outcomesOf(silent?.['id']).length > 0);
  assert.deepEqual(outcomesOf(silent?.['id']), ['failed'], 'the flood hides nothing');
  await until('a check to run meanwhile', () => outcomesOf(id).length > known);
  assert.equal(gapMs(), before, 'connections of an address without pings are not pings');

  // This address sends pings, so a refused connection may be one.
  flood.begin('127.0.0.1', 4 * files);
  await until('the time to be noted', () => gapMs() > before);
  flood.end();
  await until('the API to answer again', async () => (await statusOf(port, '/health/ready')) === 200);
  const notices = (await service.must('GET', '/v1/notices')) as unknown as { kind: string }[];
  assert.ok(
    notices.some(({ kind }) => kind === 'connections-refused'),
    JSON.stringify(notices),
  );
  assert.deepEqual(new Set(outcomesOf(id)), new Set(['passed']));
});
