// Failing targets: each failure has its reason and message.
import assert from 'node:assert/strict';
import http2 from 'node:http2';
import { createServer } from 'node:net';
import test from 'node:test';
import type { JsonObject } from '#domain/json.ts';
import { createAuthority } from '../../../../tests/support/targets/certificates.ts';
import { detailsOf, exchangeOf, probeOnce, responseOf, verdictOf } from '../../../../tests/support/checks/api-probe.ts';
import { startTarget, startTcpTarget, startTlsTarget } from '../../../../tests/support/targets/target.ts';

const authority = createAuthority();
const trusted = { deps: { extraCertificates: [authority.cert] } };
const day = 86_400_000;

test('a refused connection shows the address and time', async () => {
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

test('a protocol violation has its reason and message', async (t) => {
  const cases: readonly (readonly [string, RegExp, string | null])[] = [
    ['failed reset', /^127\.0\.0\.1:\d+ closed the connection before it responded \(after [\d.]+ ms\)$/, null],
    ['failed reset', /before the response was complete/, 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf'],
    ['failed reset', /before it responded/, 'HTTP/1.1 200 O'],
    ['failed reset', /before the response was complete/, 'HTTP/1.1 200 OK\r\nx-half: '],
    ['failed protocol', /^127\.0\.0\.1:\d+ did not answer in HTTP$/, 'SSH-2.0-OpenSSH_9.2\r\n'],
    ['failed protocol', /did not answer in HTTP$/, 'RTSP/1.0 200 OK\r\n\r\n'],
    ['failed protocol', /only speaks HTTP\/2, which checks do not support$/, '\0\0\x06\x04\0\0\0\0\0\0\x03\0\0\0\x64'],
    ['failed protocol', /only speaks TLS on this port; use https:\/\/$/, '\x15\x03\x01\0\x02\x02\x46'],
    ['failed protocol', /did not answer in HTTP\/1\.0 or HTTP\/1\.1$/, 'HTTP/2 200 OK\r\n\r\n'],
    [
      'failed protocol',
      /did not answer in HTTP\/1\.0 or HTTP\/1\.1$/,
      'HTTP/3.0 200 OK\r\ncontent-length: 2\r\n\r\nok',
    ],
    [
      'failed protocol',
      /did not answer in HTTP\/1\.0 or HTTP\/1\.1$/,
      'HTTP/2.0 200 OK\r\ncontent-length: 2\r\n\r\nok',
    ],
    ['failed protocol', /sent an invalid status code$/, 'HTTP/1.1 000 OK\r\ncontent-length: 2\r\n\r\nok'],
    ['failed protocol', /sent an invalid status code$/, 'HTTP/1.1 099 OK\r\ncontent-length: 2\r\n\r\nok'],
    ['failed protocol', /sent an invalid status code$/, 'HTTP/1.1 99 OK\r\ncontent-length: 2\r\n\r\nok'],
    ['failed protocol', /sent an invalid status code$/, 'HTTP/1.1 2000 OK\r\ncontent-length: 2\r\n\r\nok'],
    [
      'failed protocol',
      /sent several different Content-Length headers$/,
      'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n',
    ],
    ['failed protocol', /sent an invalid Content-Length header$/, 'HTTP/1.1 200 OK\r\ncontent-length: two\r\n\r\n'],
    ['failed protocol', /sent a malformed header$/, 'HTTP/1.1 200 OK\r\nwhat is this\r\n\r\n'],
    [
      'failed protocol',
      /sent a body with an invalid chunk size$/,
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nok\r\n0\r\n\r\n',
    ],
    ['failed protocol', /more than 100 interim responses$/, 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(101)],
    ['failed protocol', /more than 64 kB of headers/, `HTTP/1.1 200 OK\r\nx: ${'a'.repeat(100_000)}\r\n\r\n`],
    [
      'failed protocol',
      /switched protocols without/,
      'HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n',
    ],
    ['failed protocol', /switched protocols without/, 'HTTP/1.1 101 Switching\r\n\r\n'],
  ];
  for (const [expected, message, answer] of cases) {
    const target = await startTcpTarget(t, (socket) => {
      socket.once('data', () => (answer === null ? socket.resetAndDestroy() : socket.end(answer, 'latin1')));
    });
    const finding = await probeOnce({ url: target.url });
    assert.equal(verdictOf(finding), expected, `${answer}: ${finding.message}`);
    assert.match(finding.message ?? '', message);
    assert.doesNotMatch(JSON.stringify(finding), /node:|\.ts:\d|at Socket/);
  }
});

const unavailable = 'expected a status below 400, got 503 Service Unavailable';

test('a status of 400 or more decides, and body problems are added', async (t) => {
  const head = 'HTTP/1.1 503 Service Unavailable\r\n';
  const cases: readonly (readonly [problem: RegExp, answer: string])[] = [
    [/the body is labelled gzip but is not valid gzip$/, 'content-encoding: gzip\r\ncontent-length: 5\r\n\r\nplain'],
    [/closed the connection before the response was complete \(after [\d.]+ ms\)$/, 'content-length: 9\r\n\r\nhalf'],
    [/sent a body with an invalid chunk size$/, 'transfer-encoding: chunked\r\n\r\n4\r\nhalf\r\nxyz\r\n'],
    [/closed the connection before the response was complete/, 'transfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n'],
    [/closed the connection before the response was complete/, 'x-half: '],
    [/sent several different Content-Length headers$/, 'content-length: 2\r\ncontent-length: 3\r\n\r\nok'],
    [/sent an invalid Content-Length header$/, 'content-length: two\r\n\r\nok'],
    [/sent a malformed header$/, 'what is this\r\n\r\nok'],
    [/sent more than 64 kB of headers$/, `x: ${'a'.repeat(100_000)}\r\n\r\n`],
  ];
  for (const [problem, answer] of cases) {
    const target = await startTcpTarget(t, (socket) => socket.once('data', () => socket.end(head + answer)));
    const assertions = [{ source: 'TEXT_BODY', comparison: 'CONTAINS', target: 'x' }];
    for (const request of [{ url: target.url }, { url: target.url, assertions }]) {
      const finding = await probeOnce(request);
      assert.equal(verdictOf(finding), 'failed status', answer);
      assert.equal(finding.message?.startsWith(`${unavailable}; `), true, finding.message ?? '');
      assert.match(finding.message ?? '', problem);
      assert.equal(detailsOf(finding).status, 503);
      assert.equal(responseOf(finding)['status'], 503);
    }
    assert.doesNotMatch(
      (await probeOnce({ url: target.url }, { check: { shouldFail: true } })).message ?? '',
      /got 503/,
    );
  }
});

test('a status of 400 or more decides if the body stalls or is too large', async (t) => {
  const stalled = await startTcpTarget(t, (socket) =>
    socket.once('data', () => socket.write('HTTP/1.1 503 Service Unavailable\r\ncontent-length: 9\r\n\r\nhalf')),
  );
  const finding = await probeOnce({ url: stalled.url }, { deps: { limitMs: 100 } });
  assert.equal(verdictOf(finding), 'failed status');
  assert.match(
    finding.message ?? '',
    /^expected .* got 503 Service Unavailable; the response from .* was not complete within 100 ms$/,
  );
  assert.deepEqual([responseOf(finding)['body'], responseOf(finding)['truncated']], ['half', true]);
  assert.equal(finding.responseTimeMs, null);
  const large = await startTarget(t, (_, response) => response.writeHead(503).end(Buffer.alloc(6 * 1024 * 1024)));
  const assertions = [{ source: 'TEXT_BODY', comparison: 'CONTAINS', target: 'x' }];
  const cut = await probeOnce({ url: large.url, assertions });
  assert.equal(cut.message, `${unavailable}; the body is larger than 5 MB, the limit for assertions`);
});

test('evaluates a status assertion even if the body cannot be read', async (t) => {
  const target = await startTcpTarget(t, (socket) =>
    socket.once('data', () => socket.end('HTTP/1.1 202 Accepted\r\ncontent-length: 9\r\n\r\nhalf')),
  );
  const status = (expected: string) => ({ source: 'STATUS_CODE', comparison: 'EQUALS', target: expected });
  const body = { source: 'TEXT_BODY', comparison: 'CONTAINS', target: 'half' };
  const wrong = await probeOnce({ url: target.url, assertions: [body, status('200')] });
  assert.equal(verdictOf(wrong), 'failed assertion');
  assert.match(
    wrong.message ?? '',
    /^expected status code to equal 200, got 202; 127\.0\.0\.1:\d+ closed the connection/,
  );
  const right = await probeOnce({ url: target.url, assertions: [body, status('202')] });
  assert.match(right.message ?? '', /^127\.0\.0\.1:\d+ closed the connection/);
  assert.deepEqual(
    detailsOf(right).assertions.map(({ passed }) => passed),
    [false, true],
  );
});

test('ignores bytes after a complete response, in the same chunk or later', async (t) => {
  const heads = [
    ['GET', 'HTTP/1.1 204 No Content\r\n\r\n'],
    ['GET', 'HTTP/1.1 304 Not Modified\r\ncontent-length: 7\r\n\r\n'],
    ['HEAD', 'HTTP/1.1 200 OK\r\ncontent-length: 7\r\n\r\n'],
    ['GET', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'],
    ['GET', 'HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\nok'],
    ['GET', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n'],
  ] as const;
  for (const [method, head] of heads) {
    for (const surplus of ['surplus', 'HTTP/1.1 500 Oops\r\n\r\n', '\0\0\0']) {
      for (const isLater of [false, true]) {
        const target = await startTcpTarget(t, (socket) =>
          socket.once('data', () => {
            if (!isLater) return socket.end(head + surplus);
            socket.setNoDelay(true);
            return socket.write(head, () => socket.end(surplus));
          }),
        );
        const finding = await probeOnce({ url: target.url, method });
        assert.equal(verdictOf(finding), 'passed', `${head}${surplus}: ${finding.message}`);
        assert.equal(responseOf(finding)['body'], head.includes('ok') ? 'ok' : '');
      }
    }
  }
});

test('accepts headers that browsers and curl accept', async (t) => {
  const heads = [
    'content-length: 2 \r\n',
    'content-length : 2\r\n',
    'content-length: 2\r\ncontent-length: 2\r\n',
    'content-length: 2, 2\r\n',
    'x-a: one\r\n two\r\ncontent-length: 2\r\n',
    'content-length: 7\r\ntransfer-encoding: identity\r\n',
    'x-a: a\x01b\0c\ncontent-length: 2\n',
  ];
  for (const head of heads) {
    const target = await startTcpTarget(t, (socket) =>
      socket.once('data', () => socket.end(`HTTP/1.1 200 OK\r\n${head}\r\nok`)),
    );
    const finding = await probeOnce({ url: target.url });
    assert.equal(verdictOf(finding), head.includes('7') ? 'failed reset' : 'passed', `${head}: ${finding.message}`);
  }
  const folded = await startTcpTarget(t, (socket) =>
    socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nx-a: one\r\n\t two\r\n\r\n')),
  );
  const assertions = [{ source: 'HEADERS', property: 'x-a', comparison: 'EQUALS', target: 'one two' }];
  assert.equal(verdictOf(await probeOnce({ url: folded.url, assertions })), 'passed');
});

test('compares all values of a repeated header, joined by commas', async (t) => {
  const names = ['age', 'etag', 'server', 'x-a', 'content-type', 'retry-after'];
  const target = await startTcpTarget(t, (socket) =>
    socket.once('data', () => {
      const lines = names.map((name) => `${name}: one\r\n${name}: two\r\n`).join('');
      socket.end(`HTTP/1.1 200 OK\r\n${lines}set-cookie: a=1\r\nset-cookie: b=2\r\n\r\n`);
    }),
  );
  const equal = (property: string, wanted: string) => {
    return { source: 'HEADERS', property, comparison: 'EQUALS', target: wanted };
  };
  const assertions = [...names.map((name) => equal(name, 'one, two')), equal('set-cookie', 'a=1, b=2')];
  const finding = await probeOnce({ url: target.url, assertions });
  assert.equal(verdictOf(finding), 'passed', finding.message ?? '');
  const headers = responseOf(finding)['headers'] as JsonObject;
  assert.deepEqual([headers['age'], headers['set-cookie']], ['one, two', ['a=1', 'b=2']]);
  const hidden = { ...equal('server', 'two'), comparison: 'NOT_CONTAINS' };
  assert.equal(verdictOf(await probeOnce({ url: target.url, assertions: [hidden] })), 'failed assertion');
});

test('ends an endless exchange at the limit and names its phase', async (t) => {
  const dripping: readonly (readonly [RegExp, string, string])[] = [
    [/^127\.0\.0\.1:\d+ did not respond within 200 ms$/, '', ''],
    [/ did not respond within 200 ms$/, 'HTTP/1.1 200 OK\r\n', 'x-more: 1\r\n'],
    [/ did not respond within 200 ms$/, '', 'HTTP/1.1 103 Early Hints\r\n\r\n'],
    [/^the response from 127\.0\.0\.1:\d+ was not complete within 200 ms$/, 'HTTP/1.1 200 OK\r\n\r\n', 'x'],
  ];
  for (const [message, first, drop] of dripping) {
    const target = await startTcpTarget(t, (socket) => {
      if (first !== '') socket.write(first);
      const timer = setInterval(() => socket.write(drop), 10);
      socket.once('close', () => clearInterval(timer));
    });
    const started = performance.now();
    const finding = await probeOnce({ url: target.url }, { deps: { limitMs: 200 } });
    assert.equal(verdictOf(finding), 'failed timeout');
    assert.match(finding.message ?? '', message);
    assert.ok(performance.now() - started < 20_000);
  }
});

test('ends an endless handshake at the limit', async (t) => {
  const target = await startTcpTarget(t, (socket) => void socket.resume());
  const finding = await probeOnce({ url: target.url.replace('http:', 'https:') }, { deps: { limitMs: 100 } });
  assert.equal(verdictOf(finding), 'failed timeout');
  assert.match(finding.message ?? '', /^the TLS handshake with 127\.0\.0\.1:\d+ did not finish within 100 ms$/);
});

test('HTTPS with a trusted certificate passes and reports protocol and certificate', async (t) => {
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

test('fails for an expired, early, mismatched or untrusted certificate and still reports it', async (t) => {
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

test('TLS to a plain HTTP server fails as TLS', async (t) => {
  const target = await startTarget(t, (_, response) => response.end());
  const finding = await probeOnce({ url: target.url.replace('http:', 'https:') });
  assert.equal(verdictOf(finding), 'failed tls');
  assert.match(
    finding.message ?? '',
    /^TLS handshake with 127\.0\.0\.1:\d+ failed after .*: the server did not answer in TLS$/,
  );
});

test('reports a server that only speaks HTTP/2, with and without TLS', async (t) => {
  const servers = [http2.createSecureServer(authority.issue()), http2.createServer()] as const;
  for (const [index, server] of servers.entries()) {
    server.on('error', () => {});
    server.on('sessionError', () => {});
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    t.after(() => server.close());
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const finding = await probeOnce({ url: `${index === 0 ? 'https' : 'http'}://localhost:${port}/` }, trusted);
    assert.equal(verdictOf(finding), 'failed protocol');
    assert.match(finding.message ?? '', /^127\.0\.0\.1:\d+ only speaks HTTP\/2, which checks do not support$/);
  }
});

test('does not connect to a target that the egress policy refuses', async (t) => {
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
  assert.equal(verdictOf(await probeOnce({ url: target.url }, { deps: { limitMs: 500 } })), 'failed timeout');
  assert.equal(connections, 1);
});
