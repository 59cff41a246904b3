// A process limits its connections to leave file descriptors for its own work. While it refuses some, it counts as
// unable to receive pings (docs/decisions/0091).
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { receptionKey, readReception } from '#store/path/heartbeats/reception.ts';
import { connectionsFor } from '#metrics/descriptors.ts';
import { startService } from '../support/service/service.ts';
import { startTarget } from '../support/targets/target.ts';
import { until } from '../support/until.ts';

const files = 400;

test('about the file: at the connection limit checks still run, and the time counts as unable to receive pings', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'tocsin-descriptors-'));
  t.after(() => rmSync(dataDir, { recursive: true, force: true }));
  const service = await startService(t, {}, { dataDir, enter: ['prlimit', `--nofile=${files}:${files}`] });
  const target = await startTarget(t, (_request, response) => void response.end('ok'));
  const heartbeat = { period: 1, periodUnit: 'hours', grace: 10, graceUnit: 'minutes' };
  await service.must('POST', '/v1/checks/heartbeat', { name: 'Job', heartbeat });
  const request = { method: 'GET', url: target.url };
  const { id } = await service.must('POST', '/v1/checks/api', {
    name: 'Shop',
    frequency: 0,
    frequencyOffset: 10,
    request,
  });
  const reception = () =>
    service.rows((raw) => {
      const row = raw.prepare('SELECT value FROM installation WHERE key = ?').get(receptionKey);
      return readReception((row?.['value'] ?? null) as string | null);
    });
  const gapMs = (): number => reception().gaps.reduce((sum, { ms }) => sum + ms, 0);
  const resultsOf = (): unknown[] => service.rows((raw) => raw.prepare('SELECT 1 FROM results').all());
  await until('the first result', () => resultsOf().length > 0);
  await until('the first sign that pings can be received', () => reception().receivingAt !== null);
  const [before, known] = [gapMs(), resultsOf().length];

  const sockets: Socket[] = [];
  t.after(() => {
    for (const socket of sockets) socket.destroy();
  });
  const port = Number(new URL(service.address).port);
  let refused = 0;
  for (let n = 0; n < connectionsFor(files) + 20; n++) {
    const socket = connect(port, '127.0.0.1');
    sockets.push(socket.on('error', () => undefined).on('close', () => refused++));
  }
  await until('connections to be refused', () => refused >= 20);
  await until('the time to be noted', () => gapMs() > before);
  await until('a check to run meanwhile', () => resultsOf().length > known);
  for (const socket of sockets) socket.destroy();
  await until('the API to answer again', async () => {
    const answer = await fetch(`${service.address}/health/ready`).catch(() => null);
    return answer?.status === 200;
  });
  const list = await service.must('GET', `/v1/check-results/${String(id)}`);
  assert.deepEqual(
    new Set((list as unknown as Record<string, string>[]).map(({ outcome }) => outcome)),
    new Set(['passed']),
  );
});
