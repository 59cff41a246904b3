// The bytes that a receiver gets, and the recorded response.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import https from 'node:https';
import net from 'node:net';
import { test } from 'node:test';
import { setImmediate as nextTick } from 'node:timers/promises';
import tls from 'node:tls';
import { createAuthority } from '../../../../tests/support/targets/certificates.ts';
import type { ConnectionGuard } from '#lib/net/guarded.ts';
import {
  listen,
  open,
  raw,
  receiver,
  sender as senderOf,
  sending,
} from '../../../../tests/support/receivers/http-receivers.ts';
import { prepareWebhook } from './send.ts';

const sender = (deadlineMs?: number, guard?: ConnectionGuard, extraCertificates?: readonly string[]) =>
  senderOf(deadlineMs, guard, extraCertificates, prepareWebhook);

test('sends the exact bytes, signed, with the delivery headers', async () => {
  const { host, received } = await receiver((_request, response) => response.end('thanks'));
  const headers = [
    ['X-Name', 'größer'],
    ['content-type', 'application/json'],
  ] as const;
  const outcome = await sender().send(
    sending(host, { headers, url: `http://${host}/a%20b?c=%2f` }, { secrets: { webhookSecret: 's' }, attempt: 3 }),
  );
  assert.equal(outcome.error, null);
  assert.equal(outcome.response?.status, 200);
  assert.equal(outcome.response?.body, 'thanks');
  const [got] = received;
  assert.ok(got);
  assert.equal(got.method, 'POST');
  assert.equal(got.url, '/a%20b?c=%2f');
  assert.equal(got.headers['x-service-signature'], createHmac('sha256', 's').update(got.body).digest('hex'));
  assert.equal(got.headers['x-service-timestamp'], '1000');
  assert.equal(got.headers['x-service-delivery-id'], 'd-1');
  assert.equal(got.headers['x-service-attempt'], '3');
  assert.equal(got.headers['accept-encoding'], 'identity');
  assert.equal(got.headers['content-length'], String(Buffer.byteLength('{"a":"größer 🔥"}')));
  assert.equal(Buffer.from(got.headers['x-name'] as string, 'latin1').toString('utf8'), 'größer');
  assert.equal(got.body.toString('utf8'), '{"a":"größer 🔥"}');
  for (const [name, value] of outcome.headers) {
    assert.equal(Buffer.from(String(got.headers[name.toLowerCase()]), 'latin1').toString('utf8'), value);
  }
});

test('our headers take precedence over the channel’s', async () => {
  const { host, received } = await receiver((_request, response) => response.end());
  const headers = [
    ['X-Service-Timestamp', 'forged'],
    ['Accept-Encoding', 'gzip'],
    ['Webhook-Id', 'forged'],
  ] as const;
  await sender().send(sending(host, { headers }, { secrets: { webhookSecret: 's' } }));
  const names = received[0]?.rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase()) ?? [];
  assert.equal(new Set(names).size, names.length);
  assert.equal(received[0]?.headers['x-service-timestamp'], '1000');
  assert.equal(received[0]?.headers['webhook-id'], 'd-1');
});

test('GET and HEAD have no body and sign the empty payload', async () => {
  const { host, received } = await receiver((_request, response) => response.end('x'));
  const one = sender();
  for (const method of ['GET', 'HEAD']) {
    const outcome = await one.send(sending(host, { method, body: '' }, { secrets: { webhookSecret: 's' } }));
    assert.equal(outcome.error, null);
  }
  assert.deepEqual(
    received.map(({ method }) => method),
    ['GET', 'HEAD'],
  );
  for (const { body, headers } of received) {
    assert.equal(body.length, 0);
    assert.equal(headers['x-service-signature'], createHmac('sha256', 's').digest('hex'));
  }
});

test('reuses connections', async () => {
  const ports = new Set<number | undefined>();
  const { host } = await receiver((request, response) => {
    ports.add(request.socket.remotePort);
    response.end('ok');
  });
  const one = sender();
  for (let i = 0; i < 5; i++) await one.send(sending(host));
  // The client frees a connection one loop iteration after the response, so a second one may be open.
  assert.ok(ports.size <= 2, `${ports.size} connections for 5 requests`);
});

test('reports a status above 399 as class status, with the response', async () => {
  const { host } = await receiver((_request, response) =>
    response.writeHead(400, { 'x-why': 'no' }).end('bad signature'),
  );
  const outcome = await sender().send(sending(host));
  assert.deepEqual(outcome.error, { class: 'status', message: 'the receiver answered with status 400' });
  assert.equal(outcome.response?.headers['x-why'], 'no');
  assert.equal(outcome.response?.body, 'bad signature');
});

test('records a redirect without following it', async () => {
  const { host, received } = await receiver((_request, response) =>
    response.writeHead(307, { location: '/other' }).end(),
  );
  const outcome = await sender().send(sending(host));
  assert.equal(outcome.error, null);
  assert.equal(outcome.response?.status, 307);
  assert.equal(received.length, 1);
});

test('reports a refused connection with address and time', async () => {
  const server = net.createServer();
  const host = await listen(server);
  server.close();
  await once(server, 'close');
  const outcome = await sender().send(sending(host));
  assert.equal(outcome.error?.class, 'connect');
  assert.match(outcome.error?.message ?? '', new RegExp(`^connection refused by ${host} after \\d+ ms$`));
  assert.equal(outcome.response, null);
});

test('reports an unknown name as class dns', async () => {
  const resolve = (hostname: string) =>
    Promise.reject(Object.assign(new Error(`no ${hostname}`), { code: 'ENOTFOUND' }));
  const outcome = await sender(5000, { resolve, judge: () => null }).send(sending('nowhere.test'));
  assert.deepEqual(outcome.error, {
    class: 'dns',
    message: 'nowhere.test cannot be resolved: no such name (ENOTFOUND)',
  });
});

test('reports a receiver that closes without a response as class reset', async () => {
  const host = await raw((socket) => socket.destroy());
  const outcome = await sender().send(sending(host));
  assert.equal(outcome.error?.class, 'reset');
  assert.match(outcome.error?.message ?? '', /closed the connection after \d+ ms without a complete response/);
});

const incomplete: Readonly<Record<string, readonly [body: string, problem: string]>> = {
  'is cut': ['content-length: 100\r\n\r\nhalf', 'the connection closed early'],
  'lacks its last chunk': ['transfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n', 'the connection closed early'],
  'is wrongly chunked': ['transfer-encoding: chunked\r\n\r\nzz\r\nhalf', 'its chunked encoding is invalid'],
};

for (const [what, [rest, problem]] of Object.entries(incomplete)) {
  test(`the status decides if the body ${what}: below 400 the alert was delivered`, async () => {
    for (const status of [204, 200, 302, 399, 400, 503]) {
      const host = await raw((socket) => {
        socket.write(`HTTP/1.1 ${status} As Said\r\n${rest}`, () => setImmediate(() => socket.resetAndDestroy()));
      });
      const { error, response, bodyProblem } = await sender().send(sending(host));
      assert.deepEqual([error?.class, response?.status], [status < 400 ? undefined : 'status', status]);
      assert.equal(bodyProblem, status === 204 ? undefined : problem);
    }
  });
}

const lenient: Readonly<Record<string, string>> = {
  'a space after its length': 'content-length: 2 \r\n',
  'its length twice': 'content-length: 2\r\ncontent-length: 2\r\n',
  'its length twice in one line': 'content-length: 2, 2\r\n',
  'a folded header': 'x-folded: one\r\n  two\r\ncontent-length: 2\r\n',
  'a space before a colon': 'x-odd : y\r\ncontent-length : 2\r\n',
  'a line that is no header': 'nonsense\r\ncontent-length: 2\r\n',
  'a control character': 'x-odd: \u0001y\r\ncontent-length: 2\r\n',
  'more than 16 kB of headers': `x: ${'a'.repeat(20_000)}\r\ncontent-length: 2\r\n`,
};

for (const [what, headers] of Object.entries(lenient)) {
  test(`accepts a response with ${what} and keeps its connection`, async () => {
    let connections = 0;
    const host = await listen(
      net.createServer((socket) => {
        connections++;
        socket.on('data', () => socket.write(`HTTP/1.1 200 OK\r\n${headers}\r\nok`));
      }),
    );
    const one = sender();
    for (let n = 0; n < 2; n++) {
      const { error, response, bodyProblem } = await one.send(sending(host));
      assert.deepEqual([error, response?.body, bodyProblem], [null, 'ok', undefined]);
      await nextTick();
    }
    assert.equal(connections, 1);
  });
}

test('joins folded headers, accepts bare line feeds, and prefers chunks to a length', async () => {
  const head = 'HTTP/1.1 200\nX-Folded: one\n\ttwo\nContent-Length: 9\nTransfer-Encoding: chunked\n\n';
  const host = await raw((socket) => socket.write(`${head}2\r\nok\r\n0\r\n\r\n`));
  const { response } = await sender().send(sending(host));
  assert.deepEqual([response?.headers['x-folded'], response?.body], ['one two', 'ok']);
});

test('reports a status below 100 and protocol switches as class protocol', async () => {
  const invalid = await raw((socket) => socket.write('HTTP/1.1 000 No\r\ncontent-length: 0\r\n\r\n'));
  const switched = await raw((socket) => socket.write('HTTP/1.1 101 Switching\r\nupgrade: h2c\r\n\r\n'));
  const errors = [await sender().send(sending(invalid)), await sender().send(sending(switched))].map(
    ({ error }) => error,
  );
  assert.deepEqual(errors, [
    { class: 'protocol', message: `${invalid} returned the invalid status 000` },
    { class: 'protocol', message: `${switched} switched protocols (101)` },
  ]);
});

test('reports a receiver that does not speak HTTP/1 as class protocol, with its protocol', async () => {
  for (const [answer, problem] of [
    ['SSH-2.0-OpenSSH_9.6\r\n', 'did not answer in HTTP'],
    ['HTTP/1.1 20 OK\r\n\r\n', 'did not answer in HTTP'],
    ['\0\0\x06\x04\0\0\0\0\0\0\x03\0\0\0\x64', 'only speaks HTTP/2, which webhooks do not support'],
    ['\x15\x03\x01\0\x02\x02\x46', 'only speaks TLS on this port; use https://'],
  ] as const) {
    const host = await raw((socket) => socket.end(answer, 'latin1'));
    const outcome = await sender().send(sending(host));
    assert.deepEqual(outcome.error, { class: 'protocol', message: `${host} ${problem}` });
  }
});

test('reports more than 64 kB of headers as class protocol', async () => {
  const host = await raw((socket) => socket.write(`HTTP/1.1 200 OK\r\nx: ${'a'.repeat(70_000)}\r\n\r\n`));
  const outcome = await sender().send(sending(host));
  const message = `${host} sent more than 64 kB before its headers were complete`;
  assert.deepEqual(outcome.error, { class: 'protocol', message });
});

test('reports a plain server behind https as class tls', async () => {
  const host = await raw((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
  const outcome = await sender().send(sending(host, { url: `https://${host}/` }));
  assert.equal(outcome.error?.class, 'tls');
  assert.match(
    outcome.error?.message ?? '',
    /^TLS handshake with 127.* failed after \d+ ms: the server did not answer in TLS$/,
  );
});

test('describes a rejected certificate like a check, and sends nothing', async () => {
  const authority = createAuthority();
  const expired = authority.issue({ validTo: new Date(Date.UTC(2026, 0, 2)), validFrom: new Date(0) });
  const cases = [
    [authority.issue({ names: ['other.test'] }), /^the certificate of localhost is for another name: DNS:other\.test$/],
    [expired, /^the certificate of localhost expired on 2026-01-02$/],
    [
      createAuthority('Other').issue(),
      /^the certificate of localhost is signed by an unknown CA: CN=Other\. The server may not be sending its intermediate certificate\. To trust a private CA, set TOCSIN_CA_FILE/,
    ],
  ] as const;
  const one = sender(5000, open, [authority.cert]);
  let requests = 0;
  const urlOf = async (issued: { key: string; cert: string }): Promise<string> => {
    const host = await listen(https.createServer(issued, (_request, response) => response.end(String(++requests))));
    return `https://${host.replace('127.0.0.1', 'localhost')}/`;
  };
  for (const [issued, message] of cases) {
    const url = await urlOf(issued);
    // The second attempt could resume the session of the first.
    for (let attempt = 1; attempt <= 2; attempt++) {
      const { error } = await one.send(sending('', { url }));
      assert.equal(error?.class, 'tls');
      assert.match(error?.message ?? '', message);
    }
  }
  assert.equal(requests, 0);
  assert.equal((await one.send(sending('', { url: await urlOf(authority.issue()) }))).error, null);
  assert.equal(requests, 1);
});

test('sends a client certificate to a receiver that requires one, over an unshared connection', async () => {
  const [servers, clients] = [createAuthority('Servers'), createAuthority('Clients')];
  const options = { ...servers.issue(), requestCert: true, rejectUnauthorized: true, ca: clients.cert };
  let requests = 0;
  const host = await listen(https.createServer(options, (_request, response) => response.end(String(++requests))));
  const url = `https://${host.replace('127.0.0.1', 'localhost')}/`;
  const one = sender(5000, open, [servers.cert]);
  const identity = { ...clients.issue(), host: 'localhost', ca: null, passphrase: null };
  const isReceived: boolean[] = [];
  for (const more of [{}, { identity }, {}, { identity }])
    isReceived.push((await one.send(sending('', { url }, more))).error === null);
  assert.deepEqual(isReceived, [false, true, false, true]);
  assert.equal(requests, 2);
});

test('reports a TLS server without a common protocol as class tls', async () => {
  const host = await listen(tls.createServer({}));
  const outcome = await sender().send(sending(host, { url: `https://${host}/` }));
  assert.equal(outcome.error?.class, 'tls');
});

test('a closed sender sends nothing and says so', async () => {
  const one = sender();
  await one.close();
  assert.equal((await one.send(sending('127.0.0.1:9'))).error?.class, 'interrupted');
});
