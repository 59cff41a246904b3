// Client certificates are sent only to their host, by every check type with TLS.
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import type { ServerOptions } from 'node:https';
import type { TLSSocket } from 'node:tls';
import test, { type TestContext } from 'node:test';
import type { ClientIdentity } from '#domain/accounts/client-certificate.ts';
import { probeOnce, verdictOf } from '../../../../tests/support/checks/api-probe.ts';
import { createAuthority } from '../../../../tests/support/targets/certificates.ts';
import { probeKind } from '../../../../tests/support/checks/kind-probe.ts';
import { startTlsTarget } from '../../../../tests/support/targets/target.ts';

const servers = createAuthority('Servers');
const clients = createAuthority('Clients');
const shown = { ...clients.issue({ names: ['tocsin'] }), ca: null, passphrase: null };
const identities = (host: string, identity: Partial<ClientIdentity> = {}): ClientIdentity[] => [
  { ...shown, host, ...identity },
];

/** A server that records client certificates and requires a trusted one. */
async function guarded(
  t: TestContext,
  answer = (response: ServerResponse) => void response.end('in'),
  more: ServerOptions = {},
) {
  const seen: string[] = [];
  const options = { ...servers.issue(), requestCert: true, rejectUnauthorized: true, ca: clients.cert, ...more };
  const target = await startTlsTarget(t, options, ({ socket }, response) => {
    seen.push(String((socket as TLSSocket).getPeerCertificate().subject.CN));
    answer(response);
  });
  return { ...target, seen };
}

const depsWith = (list: readonly ClientIdentity[]) => ({
  deps: { extraCertificates: [servers.cert], clientCertificates: () => list },
});

test('sends a host its own client certificate and no other', async (t) => {
  const { url, port, seen } = await guarded(t);
  for (const host of ['localhost', '*.localhost']) {
    const named = host === 'localhost' ? url : url.replace('localhost', 'shop.localhost');
    const finding = await probeOnce({ url: named, skipSSL: true }, depsWith(identities(host)));
    assert.equal(verdictOf(finding), 'passed', finding.message ?? '');
  }
  assert.deepEqual(seen, ['tocsin', 'tocsin']);
  assert.equal(verdictOf(await probeKind('URL', { request: { url } }, depsWith(identities('localhost')))), 'passed');
  const ssl = { sslConfig: { hostname: 'localhost', port } };
  assert.equal(verdictOf(await probeKind('SSL', ssl, depsWith(identities('localhost')))), 'passed');
  for (const list of [[], identities('other.test'), identities('*.localhost')]) {
    assert.equal((await probeOnce({ url }, depsWith(list))).verdict, 'failed');
  }
  assert.equal(seen.length, 3);
});

test('fails if the certificate is missing or not trusted', async (t) => {
  // Later versions refuse after the handshake, and may close before the alert is read.
  const { url } = await guarded(t, undefined, { maxVersion: 'TLSv1.2' });
  const missing = await probeOnce({ url }, depsWith([]));
  assert.match(missing.message ?? '', /^TLS handshake with .*, or it requires a client certificate$/);
  const stranger = { ...createAuthority('Strangers').issue(), ca: null };
  assert.equal((await probeOnce({ url }, depsWith(identities('localhost', stranger)))).verdict, 'failed');
});

test('a redirect sends the client certificate only to its own host', async (t) => {
  const inner = await guarded(t);
  const outer = await guarded(t, (response) => void response.writeHead(302, { location: inner.url }).end());
  const start = outer.url.replace('localhost', '127.0.0.1');
  assert.equal((await probeOnce({ url: start }, depsWith(identities('127.0.0.1')))).verdict, 'failed');
  assert.deepEqual([outer.seen, inner.seen], [['tocsin'], []]);
  const both = [...identities('127.0.0.1'), ...identities('localhost')];
  assert.equal(verdictOf(await probeOnce({ url: start }, depsWith(both))), 'passed');
  assert.deepEqual(inner.seen, ['tocsin']);
});

test('trusts the CA of a client certificate for its host, and never shows the key', async (t) => {
  const { url } = await guarded(t);
  const identity = identities('localhost', { ca: servers.cert });
  const deps = { clientCertificates: () => identity };
  const finding = await probeOnce({ url }, { deps });
  assert.equal(verdictOf(finding), 'passed', finding.message ?? '');
  assert.equal(verdictOf(await probeOnce({ url: url.replace('localhost', '127.0.0.1') }, { deps })), 'failed tls');
  assert.doesNotMatch(JSON.stringify(finding), /PRIVATE KEY/);
});
