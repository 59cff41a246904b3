// A proxy that is configured makes every connection, and judges in the place of TOCSIN_EGRESS (docs/decisions/0065).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createWebhookSender } from '#channels/webhook/send.ts';
import { sending } from '#channels/webhook/test-receivers.ts';
import { createGuard } from '#egress/guard.ts';
import { readProxy } from '#egress/proxy.ts';
import { probeOnce, verdictOf } from '../support/api-probe.ts';
import { createAuthority } from '../support/certificates.ts';
import { startConnectProxy } from '../support/connect-proxy.ts';
import { freePort } from '../support/free-port.ts';
import { startScriptedServer } from '../support/scripted-server.ts';
import { startService } from '../support/service.ts';
import { startTcpTarget, startTlsTarget } from '../support/target.ts';

/** A guard that allows public addresses only, with that proxy. */
function guardOf(proxy: string) {
  return createGuard({ mode: 'public', allow: [], proxy: readProxy(`http://${proxy}`) ?? null });
}

test('test messages and checks of the service go through it, names and private addresses alike', async (t) => {
  const target = await startScriptedServer(t);
  const proxy = await startConnectProxy(t, Number(new URL(target.url).port));
  const service = await startService(t, { TOCSIN_EGRESS: 'public', TOCSIN_PROXY: `http://me:secret@${proxy.host}` });
  const config = { url: 'http://hooks.nowhere.test/alert' };
  const { id } = await service.must('POST', '/v1/alert-channels', { type: 'WEBHOOK', config });
  for (let n = 0; n < 2; n++) {
    const tested = await service.must('POST', `/v1/alert-channels/${Number(id)}/test`, {});
    assert.equal(tested['error'], undefined);
  }
  const request = { method: 'GET', url: 'http://[fd00::1]:8080/status' };
  const { id: checkId } = await service.must('POST', '/v1/checks/api', { name: 'Inside', frequency: 1440, request });
  const { token } = await service.must('POST', `/v1/triggers/checks/${String(checkId)}`);
  assert.equal((await service.api('GET', `/checks/${String(checkId)}/trigger/${String(token)}`)).status, 200);
  const authorization = `Basic ${Buffer.from('me:secret').toString('base64')}`;
  assert.deepEqual(
    new Set(proxy.asked),
    new Set([`hooks.nowhere.test:80 ${authorization}`, `[fd00::1]:8080 ${authorization}`]),
  );
  assert.ok(target.all.some(({ url, headers }) => url === '/alert' && headers.host === 'hooks.nowhere.test'));
  assert.ok(target.all.some(({ url }) => url === '/status'));
});

test('TLS is with the target, whose certificate counts', async (t) => {
  const authority = createAuthority();
  const names = ['inside.test'];
  const target = await startTlsTarget(t, authority.issue({ names }), (_, response) => response.end('secured'));
  const guard = guardOf((await startConnectProxy(t, target.port)).host);
  const means = { guard, extraCertificates: [authority.cert] };
  assert.equal(verdictOf(await probeOnce({ url: 'https://inside.test/' }, { means })), 'passed');
  assert.equal(verdictOf(await probeOnce({ url: 'https://other.test/' }, { means })), 'failed tls');
  const sender = createWebhookSender({ guard, deadlineMs: 5000 });
  t.after(() => sender.close());
  assert.equal((await sender.send(sending('unused', { url: 'https://inside.test/' }))).error?.class, 'tls');
});

test('what the proxy does not connect to has failed, and says what the proxy said', async (t) => {
  const target = await startScriptedServer(t);
  const proxy = await startConnectProxy(t, Number(new URL(target.url).port));
  proxy.answer = 'HTTP/1.1 403 Forbidden\r\n\r\n';
  const guard = guardOf(proxy.host);
  const message = `the proxy ${proxy.host} made no connection to inside.test:80: it answered 403`;
  const finding = await probeOnce({ url: 'http://inside.test/' }, { means: { guard } });
  assert.deepEqual([verdictOf(finding), finding.message], ['failed connect', message]);
  const sender = createWebhookSender({ guard, deadlineMs: 5000 });
  t.after(() => sender.close());
  assert.deepEqual((await sender.send(sending('unused', { url: 'http://inside.test/' }))).error, {
    class: 'connect',
    message,
  });
});

test('a proxy that cannot be used is no failure of a target', async (t) => {
  const target = await startScriptedServer(t);
  const proxy = await startConnectProxy(t, Number(new URL(target.url).port));
  const dead = `127.0.0.1:${await freePort()}`;
  const gone = await startTcpTarget(t, (socket) => socket.destroy());
  for (const [answer, host, message] of [
    ['HTTP/1.1 407 Who?\r\n\r\n', proxy.host, /wants another user and password/],
    ['SSH-2.0-OpenSSH_9.6\r\n\r\n', proxy.host, /does not answer in HTTP/],
    ['HTTP/1.1 200 OK\r\n', proxy.host, /closed the connection without an answer/],
    [`HTTP/1.1 200 OK\r\nx: ${'a'.repeat(20_000)}`, proxy.host, /answers without end/],
    [null, `127.0.0.1:${gone.port}`, /cannot be used: ECONNRESET|without an answer/],
    [null, dead, /cannot be used: ECONNREFUSED/],
  ] as const) {
    proxy.answer = answer;
    const finding = await probeOnce({ url: 'http://inside.test/' }, { means: { guard: guardOf(host) } });
    assert.equal(verdictOf(finding), 'unknown observer-network', finding.message ?? '');
    assert.match(finding.message ?? '', message);
  }
});

test('an attempt whose proxy never answers ends at its deadline', async (t) => {
  const silent = await startTcpTarget(t, () => {});
  const sender = createWebhookSender({ guard: guardOf(`127.0.0.1:${silent.port}`), deadlineMs: 300 });
  t.after(() => sender.close());
  assert.equal((await sender.send(sending('unused', { url: 'http://inside.test/' }))).error?.class, 'timeout');
});
