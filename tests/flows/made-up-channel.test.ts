// A channel kind is a folder and four lines: adds a made-up kind to a copy of the sources and delivers an alert with it.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { test, type TestContext } from 'node:test';
import { copyWithMadeUpKinds } from '../support/made-up-kinds.ts';
import { firstRun } from '../support/service/first-run.ts';
import { startScriptedServer } from '../support/targets/scripted-server.ts';
import { startService } from '../support/service/service.ts';
import { until } from '../support/until.ts';

/** Records every line; the first connection is answered with `no`. */
async function startLineReceiver(t: TestContext): Promise<{ readonly address: string; readonly lines: string[] }> {
  const lines: string[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (data: Buffer) => {
      lines.push(data.toString());
      socket.write(lines.length === 1 ? 'no\n' : 'ok\n');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  return { address: `127.0.0.1:${(server.address() as AddressInfo).port}`, lines };
}

test('a made-up channel kind is documented, saved, masked, rendered, sent, retried and logged (about the file)', async (t) => {
  const { place } = copyWithMadeUpKinds(t);
  const service = await startService(t, { TOCSIN_EGRESS_ALLOW: '127.0.0.0/8' }, place);
  const { address, lines } = await startLineReceiver(t);
  const schemas = JSON.stringify((await service.api('GET', '/v1/openapi.json')).body);
  for (const name of ['LineConfigWrite', 'LineConfig', 'WebhookConfigWrite'])
    assert.ok(schemas.includes(`/${name}"`), name);

  const wrong = async (body: object, method = 'POST', path = '/v1/alert-channels') => {
    const { status, body: said } = await service.api(method, path, body);
    assert.equal(status, 400);
    return JSON.stringify(said['attributes']);
  };
  const config = { address, text: '{{ALERT_TYPE}} {{CHECK_NAME}} {{TOKEN}}', password: 'open-sesame' };
  assert.match(await wrong({ type: 'PIGEON', config }), /must be WEBHOOK or .*LINE/);
  assert.match(await wrong({ type: 'LINE', config: { password: 'x' } }), /config\.address/);
  assert.match(await wrong({ type: 'LINE', config: { ...config, url: 'x' } }), /config\.url.*unknown field/);
  assert.match(await wrong({ type: 'LINE', config: { ...config, text: '{{nope 1}}' } }), /config\.text.*line 1/);
  await service.must('POST', '/v1/variables', { key: 'TOKEN', value: 'locked-value', locked: true });
  const made = await service.must('POST', '/v1/alert-channels', { type: 'LINE', config, autoSubscribe: true });
  assert.deepEqual(made['config'], { ...config, name: '', password: '********' });
  const id = Number(made['id']);
  const renamed = await service.must('PUT', `/v1/alert-channels/${id}`, { config: { name: 'Lines' } });
  assert.deepEqual(renamed['config'], { ...config, name: 'Lines', password: '********' });
  assert.match(await wrong({ type: 'WEBHOOK' }, 'PUT', `/v1/alert-channels/${id}`), /cannot be changed/);
  assert.ok(!JSON.stringify(service.stored()).includes('open-sesame'), 'its secret is sealed');
  const preview = await service.must('POST', '/v1/alert-channels/preview', { type: 'LINE', config });
  assert.equal((preview['request'] as { url: string }).url, `tcp://${address}`);

  const target = await startScriptedServer(t);
  target.answer({ status: 503 });
  const check = { name: 'Cart', frequency: 1440, request: { method: 'GET', url: target.url } };
  const { id: checkId } = await service.must('POST', '/v1/checks/api', check);
  await firstRun(service, checkId);
  await until('the first attempt', () => lines.length === 1);
  interface Shown {
    readonly id: string;
    readonly status: string;
    readonly attempts: readonly { readonly request: object; readonly error?: { readonly message: string } }[];
  }
  const logged = async () => (await service.must('GET', '/v1/deliveries')) as unknown as readonly Shown[];
  const [first] = await until('its log', async () => {
    const found = await logged();
    return found[0]?.attempts.length === 1 && found;
  });
  await service.must('POST', `/v1/deliveries/${first?.id}/retry`);
  const [delivered] = await until('the retry', async () => {
    const found = await logged();
    return found[0]?.status === 'delivered' && found;
  });
  const line = 'open-sesame ALERT_FAILURE Cart locked-value\n';
  assert.deepEqual(lines, [line, line]);
  assert.deepEqual(
    delivered?.attempts.map(({ error }) => error?.message ?? null),
    ['answered no', null],
  );
  const whole = (await service.must('GET', `/v1/deliveries/${first?.id}`)) as unknown as Shown;
  assert.deepEqual(whole.attempts[1]?.request, {
    method: 'LINE',
    url: `tcp://${address}`,
    headers: {},
    body: 'ALERT_FAILURE Cart ********',
  });
  const [notification] = (await service.must('GET', '/v1/alert-notifications')) as unknown as { type: string }[];
  assert.equal(notification?.type, 'LINE');
});
