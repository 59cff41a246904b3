// Client certificates through the whole service: made, shown without their keys, and used by checks and webhooks.
import assert from 'node:assert/strict';
import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { createServer } from 'node:https';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TLSSocket } from 'node:tls';
import { createAuthority } from '../support/targets/certificates.ts';
import { asker } from '../support/service/service.ts';
import { startComposed } from '../support/service/composed.ts';
import { until } from '../support/until.ts';
import { resourcesUnderTest } from './resources-under-test.ts';

type Body = Record<string, unknown>;

const clients = createAuthority('Clients');
const { cert, key } = clients.issue({ names: ['tocsin'] });

test('a client certificate is made, listed without its key and deleted; what TLS cannot use is refused by its field', async () => {
  await using api = resourcesUnderTest();
  const path = '/v1/client-certificates';
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const other = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const encrypted = (passphrase: string): string =>
    privateKey.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase }).toString();
  const wrong: readonly (readonly [Body, string, RegExp])[] = [
    [{ cert: 'no PEM' }, 'cert', /certificates in PEM/],
    [{ cert: cert.replace(/[A-Za-z]{8}/, 'AAAAAAAA') }, 'cert', /certificates in PEM/],
    [{ ca: key }, 'ca', /certificates in PEM/],
    [{ key: 'no PEM' }, 'key', /private key in PEM/],
    [{ key: other }, 'key', /not the key of the certificate/],
    [{ key: encrypted('right') }, 'passphrase', /required/],
    [{ key: encrypted('right'), passphrase: 'wrong' }, 'passphrase', /does not decrypt the key/],
    [{ host: 'https://shop.example' }, 'host', /host name/],
    [{ host: 'shop.example:443' }, 'host', /without a port/],
  ];
  for (const [change, field, message] of wrong) {
    const { status, body, text } = await api.ask('POST', path, { host: 'shop.example', cert, key, ...change });
    assert.equal(status, 400, text);
    assert.deepEqual(Object.keys(body.attributes), [field], text);
    assert.match(body.attributes[field], message);
    assert.doesNotMatch(text, /PRIVATE KEY|OpenSSL|error:/);
  }
  const made = await api.ask('POST', path, { host: 'Bücher.example', cert, key, ca: clients.cert });
  assert.equal(made.status, 201, made.text);
  const { id, created_at, ...shown } = made.body;
  const expiresAt = new X509Certificate(cert).validToDate.toISOString();
  assert.deepEqual(shown, { host: 'xn--bcher-kva.example', cert, ca: clients.cert, expiresAt });
  assert.deepEqual((await api.ask('GET', path, undefined, 'tsn_reader')).body, [made.body]);
  assert.deepEqual((await api.ask('GET', `${path}/${id}`)).body, made.body);
  assert.equal(Number.isNaN(Date.parse(created_at)), false);
  assert.equal((await api.ask('POST', path, { host: 'a.example', cert, key }, 'tsn_reader')).status, 403);
  assert.deepEqual((await api.ask('GET', path, undefined, 'tsn_foreign')).body, []);
  for (const [method, as] of [
    ['GET', 'tsn_foreign'],
    ['DELETE', 'tsn_foreign'],
  ] as const)
    assert.equal((await api.ask(method, `${path}/${id}`, undefined, as)).status, 404);
  const renewed = await api.ask('POST', path, { host: 'xn--bcher-kva.example', cert, key });
  assert.equal(renewed.status, 201, renewed.text);
  assert.deepEqual((await api.ask('GET', path)).body, [renewed.body]);
  assert.equal((await api.ask('DELETE', `${path}/${id}`)).status, 404);
  assert.equal((await api.ask('DELETE', `${path}/${renewed.body.id}`)).status, 204);
  assert.deepEqual((await api.ask('GET', path)).body, []);
});

test('checks and webhooks of the account show it, and its key is in no answer, log or file', async (t) => {
  const servers = createAuthority('Servers');
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-ca-'));
  writeFileSync(join(folder, 'ca.pem'), servers.cert);
  const seen: string[] = [];
  const options = { ...servers.issue(), requestCert: true, rejectUnauthorized: true, ca: clients.cert };
  const server = createServer(options, (request, response) => {
    seen.push(`${request.url} ${String((request.socket as TLSSocket).getPeerCertificate().subject.CN)}`);
    response.writeHead(request.url === '/check' ? 503 : 200).end();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  t.after(() => {
    server.close().closeAllConnections();
    rmSync(folder, { recursive: true });
  });
  const on = await startComposed(t, { TOCSIN_CA_FILE: join(folder, 'ca.pem') });
  const { must } = asker(() => on.address, on.apiKey);
  const url = `https://localhost:${(server.address() as AddressInfo).port}`;
  await must('POST', '/v1/client-certificates', { host: 'localhost', cert, key });
  await must('POST', '/v1/alert-channels', { type: 'WEBHOOK', autoSubscribe: true, config: { url: `${url}/hook` } });
  const { id } = await must('POST', '/v1/checks/api', {
    name: 'guarded',
    frequency: 1440,
    request: { method: 'GET', url: `${url}/check` },
  });
  await must('POST', `/v1/triggers/checks/${String(id)}`);
  await until('the webhook', () => seen.some((each) => each.startsWith('/hook')));
  assert.deepEqual(new Set(seen), new Set(['/check tocsin', '/hook tocsin']));
  const [secret = ''] = /[A-Za-z0-9+/]{40}/.exec(key.split('\n').slice(1).join('')) ?? [];
  const answers = ['/v1/client-certificates', `/v1/check-results/${String(id)}`, '/v1/deliveries', '/v1/checks'];
  const outputs = [
    JSON.stringify(on.logged),
    ...(await Promise.all(answers.map(async (path) => JSON.stringify(await must('GET', path))))),
  ];
  for (const table of ['client_certificates', 'results', 'exchanges', 'attempts', 'delivery_requests'])
    outputs.push(JSON.stringify(on.raw.prepare(`SELECT * FROM ${table}`).all()));
  for (const output of outputs) assert.equal(output.includes(secret), false);
});
