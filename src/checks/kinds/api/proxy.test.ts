// Probes through a proxy, including proxy failures (docs/decisions/0027).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createHttpSender } from '#channels/http/http-sender.ts';
import { prepareWebhook } from '#channels/kinds/webhook/send.ts';
import { sending } from '../../../../tests/support/receivers/http-receivers.ts';
import { createGuard } from '#egress/guard.ts';
import { readProxy } from '#egress/proxy.ts';
import { probeOnce, verdictOf } from '../../../../tests/support/checks/api-probe.ts';
import { createAuthority } from '../../../../tests/support/targets/certificates.ts';
import { startConnectProxy } from '../../../../tests/support/targets/connect-proxy.ts';
import { freePort } from '../../../../tests/support/free-port.ts';
import { startScriptedServer } from '../../../../tests/support/targets/scripted-server.ts';
import { startTcpTarget, startTlsTarget } from '../../../../tests/support/targets/target.ts';

/** A guard that only allows public addresses, with that proxy. */
function guardOf(proxy: string) {
  return createGuard({ mode: 'public', allow: [], proxy: readProxy(`http://${proxy}`) ?? null });
}

test('TLS is with the target, whose certificate counts', async (t) => {
  const authority = createAuthority();
  const names = ['inside.test'];
  const target = await startTlsTarget(t, authority.issue({ names }), (_, response) => response.end('secured'));
  const guard = guardOf((await startConnectProxy(t, target.port)).host);
  const deps = { guard, extraCertificates: [authority.cert] };
  assert.equal(verdictOf(await probeOnce({ url: 'https://inside.test/' }, { deps })), 'passed');
  assert.equal(verdictOf(await probeOnce({ url: 'https://other.test/' }, { deps })), 'failed tls');
  const sender = createHttpSender({ prepare: prepareWebhook, guard, deadlineMs: 5000 });
  t.after(() => sender.close());
  assert.equal((await sender.send(sending('unused', { url: 'https://inside.test/' }))).error?.class, 'tls');
});

test('fails with the proxy’s response if it cannot connect to the target', async (t) => {
  const target = await startScriptedServer(t);
  const proxy = await startConnectProxy(t, Number(new URL(target.url).port));
  proxy.answer = 'HTTP/1.1 403 Forbidden\r\n\r\n';
  const guard = guardOf(proxy.host);
  const message = `the proxy ${proxy.host} did not connect to inside.test:80: it responded with status 403`;
  const finding = await probeOnce({ url: 'http://inside.test/' }, { deps: { guard } });
  assert.deepEqual([verdictOf(finding), finding.message], ['failed connect', message]);
  const sender = createHttpSender({ prepare: prepareWebhook, guard, deadlineMs: 5000 });
  t.after(() => sender.close());
  assert.deepEqual((await sender.send(sending('unused', { url: 'http://inside.test/' }))).error, {
    class: 'connect',
    message,
  });
});

test('an unusable proxy is not a failure of the target', async (t) => {
  const target = await startScriptedServer(t);
  const proxy = await startConnectProxy(t, Number(new URL(target.url).port));
  const dead = `127.0.0.1:${await freePort()}`;
  const gone = await startTcpTarget(t, (socket) => socket.destroy());
  for (const [answer, host, message] of [
    ['HTTP/1.1 407 Who?\r\n\r\n', proxy.host, /rejected the user name or password/],
    ['SSH-2.0-OpenSSH_9.6\r\n\r\n', proxy.host, /did not answer in HTTP/],
    ['HTTP/1.1 200 OK\r\n', proxy.host, /closed the connection before it responded/],
    [`HTTP/1.1 200 OK\r\nx: ${'a'.repeat(20_000)}`, proxy.host, /sent more than 16 kB of headers/],
    [null, `127.0.0.1:${gone.port}`, /closed the connection/],
    [null, dead, /cannot be used: connection refused/],
  ] as const) {
    proxy.answer = answer;
    const finding = await probeOnce({ url: 'http://inside.test/' }, { deps: { guard: guardOf(host) } });
    assert.equal(verdictOf(finding), 'unknown observer-network', finding.message ?? '');
    assert.match(finding.message ?? '', message);
  }
});

test('an attempt ends at its deadline if the proxy never responds', async (t) => {
  const silent = await startTcpTarget(t, () => {});
  const sender = createHttpSender({
    prepare: prepareWebhook,
    guard: guardOf(`127.0.0.1:${silent.port}`),
    deadlineMs: 300,
  });
  t.after(() => sender.close());
  assert.equal((await sender.send(sending('unused', { url: 'http://inside.test/' }))).error?.class, 'timeout');
});
