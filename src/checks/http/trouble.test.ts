// Targets in trouble: each way to fail ends with its reason and a sentence.
import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import test from 'node:test';
import type { JsonObject } from '#domain/json.ts';
import { createAuthority } from '../../../tests/support/certificates.ts';
import { detailsOf, exchangeOf, probeOnce, verdictOf } from '../../../tests/support/api-probe.ts';
import { startTarget, startTcpTarget, startTlsTarget } from '../../../tests/support/target.ts';

const authority = createAuthority();
const trusted = { means: { extraCertificates: [authority.cert] } };
const day = 86_400_000;

test('a refused connection says who refused it and when', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => {
    server.once('listening', resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  await new Promise((resolve) => {
    server.close(resolve);
  });
  const finding = await probeOnce({ url: `http://127.0.0.1:${port}/` });
  assert.equal(verdictOf(finding), 'failed connect');
  assert.match(finding.message ?? '', new RegExp(`^connection refused by 127\\.0\\.0\\.1:${port} after [\\d.]+ ms$`));
  assert.equal(finding.responseTimeMs, null);
  assert.equal(exchangeOf(finding)?.['response'], null);
});

test('what no server should do ends with the right reason and a sentence', async (t) => {
  const cases: readonly (readonly [string, RegExp, string | null])[] = [
    ['failed reset', /^connection closed by 127\.0\.0\.1:\d+ before an answer came after/, null],
    ['failed reset', /before the answer was complete/, 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf'],
    ['failed reset', /before an answer came/, 'HTTP/1.1 200 OK\r\nx-half: '],
    ['failed protocol', /did not answer in valid HTTP/, 'SSH-2.0-OpenSSH_9.2\r\n'],
    [
      'failed protocol',
      /did not answer in valid HTTP/,
      'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n',
    ],
    ['failed protocol', /more than 64 kB of headers/, `HTTP/1.1 200 OK\r\nx: ${'a'.repeat(100_000)}\r\n\r\n`],
    ['failed protocol', /switches protocols/, 'HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'],
  ];
  for (const [expected, message, answer] of cases) {
    const target = await startTcpTarget(t, (socket) => {
      socket.once('data', () => (answer === null ? socket.resetAndDestroy() : socket.end(answer)));
    });
    const finding = await probeOnce({ url: target.url });
    assert.equal(verdictOf(finding), expected, finding.message ?? '');
    assert.match(finding.message ?? '', message);
    assert.doesNotMatch(JSON.stringify(finding), /node:|\.ts:\d|at Socket/);
  }
});

test('what never ends is ended at the limit, and it is said where it stood', async (t) => {
  const dripping: readonly (readonly [RegExp, string, string])[] = [
    [/before an answer came/, '', ''],
    [/before an answer came/, 'HTTP/1.1 200 OK\r\n', 'x-more: 1\r\n'],
    [/before an answer came/, '', 'HTTP/1.1 103 Early Hints\r\n\r\n'],
    [/before the answer was complete/, 'HTTP/1.1 200 OK\r\n\r\n', 'x'],
  ];
  for (const [message, first, drop] of dripping) {
    const target = await startTcpTarget(t, (socket) => {
      if (first !== '') socket.write(first);
      const timer = setInterval(() => socket.write(drop), 10);
      socket.once('close', () => clearInterval(timer));
    });
    const started = performance.now();
    const finding = await probeOnce({ url: target.url }, { means: { limitMs: 200 } });
    assert.equal(verdictOf(finding), 'failed timeout');
    assert.match(finding.message ?? '', /^no complete answer from 127\.0\.0\.1:\d+ within 200 ms/);
    assert.match(finding.message ?? '', message);
    assert.equal(performance.now() - started < 2000, true);
  }
});

test('a handshake that never ends is ended at the limit', async (t) => {
  const target = await startTcpTarget(t, (socket) => void socket.resume());
  const finding = await probeOnce({ url: target.url.replace('http:', 'https:') }, { means: { limitMs: 100 } });
  assert.equal(verdictOf(finding), 'failed timeout');
  assert.match(finding.message ?? '', /during the TLS handshake/);
});

test('HTTPS with a trusted certificate passes, and tells protocol and certificate', async (t) => {
  const validTo = new Date(Math.floor((Date.now() + 20 * day) / 1000) * 1000);
  const target = await startTlsTarget(t, authority.issue({ validTo }), (_, response) => response.end('ok'));
  const finding = await probeOnce({ url: target.url }, trusted);
  assert.equal(verdictOf(finding), 'passed', finding.message ?? '');
  assert.equal(finding.certificate?.domain, 'localhost');
  assert.equal(finding.certificate?.validTo, validTo.getTime());
  assert.match(finding.certificate?.fingerprint ?? '', /^([0-9A-F]{2}:){31}[0-9A-F]{2}$/);
  const { protocol, phases } = detailsOf(finding);
  assert.deepEqual([protocol?.http, protocol?.tls], ['1.1', 'TLSv1.3']);
  assert.match(protocol?.cipher ?? '', /^TLS_/);
  assert.equal(phases.tls > 0, true);
  const byAddress = await probeOnce({ url: target.url.replace('localhost', '127.0.0.1') }, trusted);
  assert.equal(verdictOf(byAddress), 'passed', byAddress.message ?? '');
});

test('a certificate that is expired, early, for another name or of nobody we trust fails, and is seen all the same', async (t) => {
  const now = Date.now();
  const cases: readonly (readonly [RegExp, ReturnType<typeof authority.issue>, JsonObject?])[] = [
    [
      /^the certificate of localhost expired on \d{4}-\d\d-\d\d$/,
      authority.issue({ validFrom: new Date(now - 9 * day), validTo: new Date(now - day) }),
    ],
    [
      /is not valid before \d{4}/,
      authority.issue({ validFrom: new Date(now + day), validTo: new Date(now + 9 * day) }),
    ],
    [/is for another name: DNS:other\.test/, authority.issue({ names: ['other.test'] })],
    [
      /is signed by an unknown CA: CN=Somebody else\. The server may not be sending its intermediate/,
      createAuthority('Somebody else').issue(),
    ],
  ];
  for (const [message, issued] of cases) {
    const target = await startTlsTarget(t, issued, (_, response) => response.end('ok'));
    const finding = await probeOnce({ url: target.url }, trusted);
    assert.equal(verdictOf(finding), 'failed tls');
    assert.match(finding.message ?? '', message);
    assert.equal(finding.certificate?.domain, 'localhost');
    assert.equal(verdictOf(await probeOnce({ url: target.url, skipSSL: true }, trusted)), 'passed');
  }
});

test('TLS to a server that speaks plain HTTP fails as TLS', async (t) => {
  const target = await startTarget(t, (_, response) => response.end());
  const finding = await probeOnce({ url: target.url.replace('http:', 'https:') });
  assert.equal(verdictOf(finding), 'failed tls');
  assert.match(
    finding.message ?? '',
    /^TLS handshake with 127\.0\.0\.1:\d+ failed after .*: the server did not answer in TLS$/,
  );
});

test('a target the egress policy refuses is not connected to', async (t) => {
  let connections = 0;
  const target = await startTcpTarget(t, () => connections++);
  for (const url of [
    target.url,
    `http://localhost:${target.port}`,
    `http://[::ffff:7f00:1]:${target.port}`,
    `http://2130706433:${target.port}`,
  ]) {
    const finding = await probeOnce({ url }, { mode: 'private' });
    assert.equal(verdictOf(finding), 'failed egress-refused');
    assert.match(finding.message ?? '', /loopback address; TOCSIN_EGRESS=any would allow it/);
  }
  assert.equal(verdictOf(await probeOnce({ url: target.url }, { means: { limitMs: 500 } })), 'failed timeout');
  assert.equal(connections, 1);
});
