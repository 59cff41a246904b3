// SSL checks against real TLS servers with certificates of our own CA.
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import type { ServerOptions } from 'node:https';
import test, { type TestContext } from 'node:test';
import { createSecureContext } from 'node:tls';
import type { JsonObject } from '#domain/json.ts';
import type { Finding } from '#domain/results/result.ts';
import { verdictOf } from '../../../../tests/support/checks/api-probe.ts';
import { type CertificateFacts, createAuthority } from '../../../../tests/support/targets/certificates.ts';
import {
  describedKind,
  type KindProbeOptions,
  probeKind,
  problemsOfKind,
  startPlanned,
} from '../../../../tests/support/checks/kind-probe.ts';
import { startTcpTarget, startTlsTarget } from '../../../../tests/support/targets/target.ts';

const day = 86_400_000;
const authority = createAuthority();
const trusted = { deps: { extraCertificates: [authority.cert] } };

function inDays(days: number): Date {
  return new Date(Date.now() + days * day + 60_000);
}

async function inspectServer(
  t: TestContext,
  server: ServerOptions,
  config: JsonObject = {},
  options: KindProbeOptions = trusted,
): Promise<Finding> {
  const { port } = await startTlsTarget(t, server, (_, response) => response.end());
  return probeKind('SSL', { sslConfig: { hostname: 'localhost', port, ...config } }, options);
}

const issued = (facts?: CertificateFacts) => authority.issue(facts);

test('passes for a valid certificate and shows it with its connection', async (t) => {
  const finding = await inspectServer(t, issued());
  assert.equal(verdictOf(finding), 'passed', finding.message ?? '');
  const { response, timingPhases } = describedKind('SSL', finding) as Record<string, Record<string, JsonObject>>;
  const { certificate, connection } = response as Record<string, JsonObject>;
  assert.deepEqual(
    [certificate?.['subjectCN'], certificate?.['issuerCN'], certificate?.['sans'], certificate?.['signatureAlgorithm']],
    ['localhost', 'Tests of Tocsin', ['localhost', '127.0.0.1'], 'ECDSA-SHA256'],
  );
  assert.deepEqual(
    [certificate?.['keyAlgorithm'], certificate?.['keySizeBits'], certificate?.['selfSigned'], certificate?.['isCA']],
    ['ECDSA', 256, false, false],
  );
  assert.equal(certificate?.['daysUntilExpiry'], 89);
  assert.deepEqual(
    { ...connection, cipherSuite: '' },
    {
      tlsVersion: 'TLS1.3',
      cipherSuite: '',
      hostnameVerified: true,
      chainTrusted: true,
      ocspStapled: false,
      ocspStatus: 'unknown',
      resolvedIp: '127.0.0.1',
    },
  );
  assert.deepEqual(Object.keys(timingPhases ?? {}), ['dns', 'tcp', 'tls']);
  assert.equal(finding.certificate?.domain, 'localhost');
});

test('fails for an expired, early, mismatched or untrusted certificate, each with its own message', async (t) => {
  const cases: readonly (readonly [ServerOptions, RegExp, KindProbeOptions?])[] = [
    [issued({ validTo: inDays(-3) }), /^the certificate of localhost expired on \d{4}-\d\d-\d\d$/],
    [issued({ validFrom: inDays(2) }), /^the certificate of localhost is not valid before /],
    [issued({ names: ['other.example'] }), /^the certificate of localhost is for another name: DNS:other\.example$/],
    [issued(), /is signed by an unknown CA: CN=Tests of Tocsin\. /, {}],
    [createAuthority('Others').issue(), /unknown CA: CN=Others\. /],
  ];
  for (const [server, message, options] of cases) {
    const finding = await inspectServer(t, server, {}, options ?? trusted);
    assert.equal(verdictOf(finding), 'failed tls');
    assert.match(finding.message ?? '', message);
    assert.notEqual(finding.certificate, null, 'its expiry is reported anyway');
  }
});

test('trusts a complete chain, but not one without its intermediate', async (t) => {
  const between = authority.subordinate('Between');
  const { key, cert } = between.issue();
  const whole = await inspectServer(t, { key, cert: cert + between.cert });
  assert.equal(verdictOf(whole), 'passed', whole.message ?? '');
  const torn = await inspectServer(t, { key, cert });
  assert.match(
    torn.message ?? '',
    /^the certificate of localhost is signed by an unknown CA: CN=Between\. The server may not be sending its intermediate certificate\. To trust a private CA, set TOCSIN_CA_FILE or NODE_EXTRA_CA_CERTS\.$/,
  );
});

test('without chain validation only dates and baseline count', async (t) => {
  const skip = { skipChainValidation: true };
  assert.equal(verdictOf(await inspectServer(t, issued({ names: ['other.example'] }), skip, {})), 'passed');
  assert.equal(verdictOf(await inspectServer(t, issued({ validTo: inDays(-1) }), skip, {})), 'failed tls');
});

test('is degraded as many days before expiry as configured', async (t) => {
  const soon = await inspectServer(t, issued({ validTo: inDays(12) }));
  assert.equal(verdictOf(soon), 'degraded tls');
  assert.equal(soon.message, 'the certificate of localhost expires in 12 days, degraded below 20 days');
  assert.equal(
    verdictOf(await inspectServer(t, issued({ validTo: inDays(12) }), { alertDaysBeforeExpiry: 10 })),
    'passed',
  );
});

test('an intermediate certificate that expires first counts, with its name and date', async (t) => {
  const chain = (validTo: Date) => {
    const between = authority.subordinate('Between', { validTo, validFrom: inDays(-300) });
    const { key, cert } = between.issue();
    return { key, cert: cert + between.cert };
  };
  const expired = await inspectServer(t, chain(new Date(Date.UTC(2026, 0, 2))));
  assert.equal(verdictOf(expired), 'failed tls');
  assert.equal(expired.message, 'the intermediate certificate "Between" of localhost expired on 2026-01-02');
  const soon = await inspectServer(t, chain(new Date(Date.now() + 5.5 * 3_600_000)));
  const role = 'intermediate certificate "Between"';
  assert.equal(soon.message, `the ${role} of localhost expires in 5 hours, degraded below 20 days`);
  assert.equal(soon.certificate?.role, role);
  assert.equal(soon.certificate?.domain, 'localhost');
});

test('ignores certificates that the path does not need', async (t) => {
  const between = authority.subordinate('Between');
  const { key, cert } = between.issue();
  const retired = createAuthority('Retired');
  const surplus = [
    authority.subordinate('Weak', { hash: 'sha1' }).cert,
    retired.crossSign(authority, { validTo: inDays(-1), hash: 'sha1' }),
    retired.crossSign(between, { validTo: inDays(-1), hash: 'sha1' }),
  ];
  // In random order: the path is found by signatures.
  const finding = await inspectServer(t, { key, cert: cert + surplus.join('') + between.cert });
  assert.equal(verdictOf(finding), 'passed', finding.message ?? '');
  assert.equal(finding.certificate?.role, undefined);
});

test('is degraded in every run if a server alternates between two certificates, and passes soon after the old one is replaced', async (t) => {
  const [old, fresh] = [issued({ validTo: inDays(6) }), issued()];
  const shown = [fresh, old];
  let connections = 0;
  // The context is selected during the handshake.
  const SNICallback: ServerOptions['SNICallback'] = (_name, answer) =>
    answer(null, createSecureContext(shown[connections++ % shown.length]));
  const { port } = await startTlsTarget(t, { ...fresh, SNICallback }, (_, response) => response.end());
  const check = { sslConfig: { hostname: 'localhost', port } };
  const inspect = startPlanned('SSL', check, trusted);
  for (let run = 1; run <= 5; run++) {
    const finding = await inspect();
    assert.equal(verdictOf(finding), 'degraded tls', `run ${run}`);
    assert.equal(finding.message, 'the certificate of localhost expires in 6 days, degraded below 20 days');
    const seen = [finding.certificate, ...(finding.otherCertificates ?? [])].map((each) => each?.fingerprint);
    assert.ok(seen.includes(new X509Certificate(old.cert).fingerprint256));
  }
  shown.shift();
  shown[0] = fresh;
  const verdicts = [];
  for (let run = 1; run <= 5; run++) verdicts.push((await inspect()).verdict);
  assert.deepEqual(verdicts, ['degraded', 'degraded', 'degraded', 'passed', 'passed']);
});

test('passes at once after a renewal', async (t) => {
  const target = await startTlsTarget(t, issued({ validTo: inDays(6) }), (_, response) => response.end());
  const inspect = startPlanned('SSL', { sslConfig: { hostname: 'localhost', port: target.port } }, trusted);
  assert.equal((await inspect()).verdict, 'degraded');
  target.renew(issued());
  assert.equal((await inspect()).verdict, 'passed');
});

test('reports a self-signed certificate', async (t) => {
  const { cert, privateKey } = createAuthority('Alone');
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  assert.equal((await inspectServer(t, { cert, key })).message, 'the certificate of localhost is self-signed');
});

test('a weak key, signature, version or cipher violates the baseline with its severity', async (t) => {
  const weakly = { ciphers: 'DEFAULT:@SECLEVEL=0' };
  const key = { ...issued({ rsaBits: 1024 }), ...weakly };
  assert.match((await inspectServer(t, key)).message ?? '', /^the key is weak: RSA with 1024 bits, less than 2048$/);
  const sha1 = { ...issued({ hash: 'sha1' }), ...weakly };
  assert.match(
    (await inspectServer(t, sha1)).message ?? '',
    /^a certificate in the chain has a weak signature: ECDSA-SHA1$/,
  );
  const old = { ...issued(), ...weakly, minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1' } as const;
  assert.match((await inspectServer(t, old)).message ?? '', /^the connection uses TLS1\.1, older than TLS1\.2$/);
  const cipher = { ...issued({ rsaBits: 2048 }), ciphers: 'AES128-SHA:@SECLEVEL=0', maxVersion: 'TLSv1.2' } as const;
  assert.match((await inspectServer(t, cipher)).message ?? '', /^the cipher TLS_RSA_WITH_AES_128_CBC_SHA is weak$/);

  const rule = (severity: string) => ({ securityBaseline: { minKeySizeBits: { value: 2048, severity } } });
  assert.equal(verdictOf(await inspectServer(t, key, rule('degrade'))), 'degraded tls');
  assert.equal(verdictOf(await inspectServer(t, key, rule('ignore'))), 'passed');
  assert.equal(verdictOf(await inspectServer(t, key, { securityBaseline: { enabled: false } })), 'passed');
  const wanted = { recommendedTLSVersion: { value: 'TLS1.3', severity: 'degrade' } };
  const twelve = { ...issued(), maxVersion: 'TLSv1.2' } as const;
  assert.equal(verdictOf(await inspectServer(t, twelve, { securityBaseline: wanted })), 'degraded tls');
});

test('fails if a required stapled response is missing, unless configured otherwise', async (t) => {
  const finding = await inspectServer(t, issued({ mustStaple: true }));
  assert.equal(verdictOf(finding), 'failed tls');
  assert.match(finding.message ?? '', /^the certificate requires a stapled OCSP response, but none was sent$/);
  assert.equal(verdictOf(await inspectServer(t, issued())), 'passed');
  const securityBaseline = { ocspMustStapleRespected: { severity: 'ignore' } };
  assert.equal(verdictOf(await inspectServer(t, issued({ mustStaple: true }), { securityBaseline })), 'passed');
});

test('evaluates assertions on the certificate, connection, JSON, text and time', async (t) => {
  const holds = async (source: string, property: string, comparison: string, target: string): Promise<boolean> => {
    const assertions = [{ source, property, comparison, target }];
    const finding = await inspectServer(t, issued(), { assertions });
    assert.match(verdictOf(finding), /^(passed|failed assertion)$/);
    return finding.verdict === 'passed';
  };
  assert.equal(await holds('CERTIFICATE', 'daysUntilExpiry', 'GREATER_THAN', '30'), true);
  assert.equal(await holds('CERTIFICATE', 'daysUntilExpiry', 'GREATER_THAN', '100'), false);
  const assertions = [{ source: 'CERTIFICATE', property: 'keySizeBits', comparison: 'GREATER_THAN', target: '300' }];
  const { message } = await inspectServer(t, issued(), { assertions });
  assert.match(message ?? '', /keySizeBits to be greater than 300, got 256/);
  assert.equal(await holds('CERTIFICATE', 'sans', 'CONTAINS', 'localhost'), true);
  assert.equal(await holds('CERTIFICATE', 'selfSigned', 'EQUALS', 'false'), true);
  assert.equal(await holds('CONNECTION', 'tlsVersion', 'EQUALS', 'TLS1.2'), false);
  assert.equal(await holds('CONNECTION', 'chainTrusted', 'EQUALS', 'true'), true);
  assert.equal(await holds('JSON_RESPONSE', '$.certificate.keySizeBits', 'EQUALS', '256'), true);
  assert.equal(await holds('TEXT_RESPONSE', '', 'CONTAINS', 'Tests of Tocsin'), true);
  assert.equal(await holds('RESPONSE_TIME', '', 'LESS_THAN', '0'), false);
});

test('fails for a server without TLS or without a response; the egress policy applies', async (t) => {
  const plain = await startTcpTarget(t, (socket) => socket.end('220 mail\r\n'));
  const silent = await startTcpTarget(t, () => {});
  const config = (port: number) => ({ sslConfig: { hostname: '127.0.0.1', port, handshakeTimeoutMs: 1000 } });
  assert.equal(verdictOf(await probeKind('SSL', config(plain.port))), 'failed tls');
  const late = await probeKind('SSL', config(silent.port));
  assert.match(late.message ?? '', /^the TLS handshake with 127\.0\.0\.1:\d+ did not finish within 1 s$/);
  const refused = await probeKind('SSL', config(silent.port), { egress: { mode: 'public' } });
  assert.equal(verdictOf(refused), 'failed egress-refused');
});

test('sends the configured server name, whatever the host', async (t) => {
  const server = issued({ names: ['shop.example'] });
  const config = { hostname: '127.0.0.1', serverName: 'shop.example' };
  const finding = await inspectServer(t, server, config);
  assert.equal(verdictOf(finding), 'passed', finding.message ?? '');
  assert.equal(finding.certificate?.domain, 'shop.example');
});

test('rejects invalid settings', () => {
  const problems = (config: JsonObject) =>
    problemsOfKind('SSL', { sslConfig: { hostname: 'shop.example', ...config } });
  assert.deepEqual(problems({}), []);
  assert.match(problems({ hostname: 'https://shop.example' }).join(), /^sslConfig\.hostname: /);
  const assertion = { source: 'CERTIFICATE', property: 'colour', comparison: 'EQUALS', target: 'red' };
  assert.match(
    problems({ assertions: [assertion] }).join(),
    /"colour" is not a property of CERTIFICATE; use one of days/,
  );
});
