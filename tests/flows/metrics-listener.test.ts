// Metrics on their own listener, in one process: about the file.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { metricsConnections } from '#metrics/descriptors.ts';
import { freePort } from '../support/free-port.ts';
import { startService } from '../support/service/service.ts';
import { until } from '../support/until.ts';

test('about the file: metrics are only served on their own port with their token, and no check reaches it', async (t) => {
  const port = await freePort();
  const token = 'm'.repeat(32);
  const service = await startService(t, { TOCSIN_METRICS_PORT: String(port), TOCSIN_METRICS_TOKEN: token });
  const metrics = `http://127.0.0.1:${port}/metrics`;
  const ask = async (url: string, authorization = '') => (await fetch(url, { headers: { authorization } })).status;
  assert.deepEqual(
    [
      await ask(metrics, `Bearer ${token}`),
      await ask(metrics),
      await ask(`${service.address}/metrics`, `Bearer ${token}`),
    ],
    [200, 401, 404],
  );
  assert.equal(await ask(`http://127.0.0.1:${port}/v1/checks`), 404);
  const request = { method: 'GET', url: metrics, headers: [{ key: 'authorization', value: `Bearer ${token}` }] };
  const { id } = await service.must('POST', '/v1/checks/api', { name: 'Metrics', frequency: 1440, request });
  const { token: trigger } = await service.must('POST', `/v1/triggers/checks/${String(id)}`);
  await service.api('GET', `/checks/${String(id)}/trigger/${String(trigger)}`);
  const [result] = (await service.must('GET', `/v1/check-results/${String(id)}`)) as unknown as Record<
    string,
    unknown
  >[];
  assert.match(String(result?.['message']), /is Tocsin itself, which checks, webhooks and scripts cannot reach/);
});

test('about the file: the metrics listener limits connections to leave file descriptors for other work', async (t) => {
  const port = await freePort();
  await startService(t, { TOCSIN_METRICS_PORT: String(port) });
  let [taken, refused] = [0, 0];
  for (let n = 0; n < metricsConnections + 5; n++) {
    const socket = connect(port, '127.0.0.1', () => taken++);
    t.after(() => socket.destroy());
    socket.on('error', () => undefined).on('close', () => refused++);
  }
  await until('connections to be refused', () => taken === metricsConnections + 5 && refused >= 5);
});
