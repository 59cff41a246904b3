// Revocation checks with real TLS servers, responders and CRLs: valid, invalid and unreachable.
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import type { RequestListener } from 'node:http';
import test, { type TestContext } from 'node:test';
import { createTrust } from '#lib/net/tls-trust.ts';
import type { JsonObject } from '#domain/json.ts';
import type { Finding } from '#domain/results/result.ts';
import { parseCidr } from '#egress/address-class.ts';
import { createGuard } from '#egress/guard.ts';
import { verdictOf } from '../../../../tests/support/checks/api-probe.ts';
import {
  addressName,
  type CertificateFacts,
  createAuthority,
  type Issued,
} from '../../../../tests/support/targets/certificates.ts';
import { describedKind, type KindProbeOptions, startProbing } from '../../../../tests/support/checks/kind-probe.ts';
import { ocspAnswer, ocspRefusal, revokedList, signerOf } from '../../../../tests/support/targets/revocation.ts';
import { readBody, startTarget, startTlsTarget } from '../../../../tests/support/targets/target.ts';
import { createFindRevocation } from './revocation.ts';

const day = 86_400_000;
const authority = createAuthority();
const stranger = createAuthority('Others');
const trusted = { deps: { extraCertificates: [authority.cert] } };
const since = new Date('2026-03-01T12:00:00Z');

/** Starts a TLS server with a certificate and returns the settings of a check for it. */
async function settingsOf(t: TestContext, server: Issued, config: JsonObject, staple?: Buffer): Promise<JsonObject> {
  const { port } = await startTlsTarget(t, server, (_, response) => response.end(), staple);
  return { sslConfig: { hostname: 'localhost', port, ...config } };
}

async function checkRevocation(
  t: TestContext,
  server: Issued,
  config: JsonObject,
  staple?: Buffer,
  options: KindProbeOptions = trusted,
): Promise<Finding> {
  return startProbing('SSL', options)(await settingsOf(t, server, config, staple));
}

/** The revocation status in a result. */
function shown(finding: Finding): Record<string, string | null> {
  const { response } = describedKind('SSL', finding) as { response: { revocation: Record<string, string | null> } };
  return response.revocation;
}

/** A responder or CRL server that counts requests. */
async function startAuthority(t: TestContext, listener: RequestListener) {
  const asked: string[] = [];
  const target = await startTarget(t, (request, response) => {
    asked.push(`${request.method} ${request.headers['content-type'] ?? 'nothing'}`);
    listener(request, response);
  });
  return { ...target, asked };
}

const online = { revocation: 'ONLINE' };

test('accepts a stapled good response and shows its dates', async (t) => {
  const server = authority.issue();
  const staple = ocspAnswer(authority, server.cert, { idHash: 'sha256' });
  const assertions = [{ source: 'CONNECTION', property: 'ocspStatus', comparison: 'EQUALS', target: 'good' }];
  const finding = await checkRevocation(t, server, { assertions }, staple);
  assert.equal(verdictOf(finding), 'passed', finding.message ?? '');
  const { thisUpdate, nextUpdate, ...rest } = shown(finding);
  assert.deepEqual(rest, { status: 'good', source: 'STAPLED', revokedAt: null, reason: null, problem: null });
  assert.equal(Math.round((Date.parse(nextUpdate ?? '') - Date.parse(thisUpdate ?? '')) / day), 2);
  const { connection } = (describedKind('SSL', finding) as { response: { connection: JsonObject } }).response;
  assert.deepEqual([connection['ocspStapled'], connection['ocspStatus']], [true, 'good']);
});

test('fails for a certificate revoked by its stapled response, with time and reason', async (t) => {
  const server = authority.issue();
  const staple = ocspAnswer(authority, server.cert, { status: 'revoked', revokedAt: since, reason: 1 });
  const finding = await checkRevocation(t, server, {}, staple);
  assert.equal(verdictOf(finding), 'failed tls');
  assert.equal(
    finding.message,
    'the certificate of localhost was revoked on 2026-03-01 (key compromise), according to the stapled OCSP response',
  );
  const { status, reason, revokedAt } = shown(finding);
  assert.deepEqual([status, reason, revokedAt], ['revoked', 'keyCompromise', since.toISOString()]);
  const whole = { ...server, cert: server.cert + authority.cert };
  const skipping = await checkRevocation(t, whole, { skipChainValidation: true }, staple, {});
  assert.equal(verdictOf(skipping), 'failed tls', 'even without chain validation, because the result shows the issuer');
  const off = await checkRevocation(t, server, { revocation: 'OFF' }, staple);
  assert.equal(verdictOf(off), 'passed');
  assert.equal(shown(off), null);
});

test('an invalid stapled response is degraded, or as severe as configured', async (t) => {
  const server = authority.issue();
  const { cert } = server;
  const past = { thisUpdate: new Date(Date.now() - 9 * day), nextUpdate: new Date(Date.now() - 2 * day) };
  const wrong: readonly (readonly [Buffer, RegExp])[] = [
    [ocspAnswer(authority, cert, past), / cannot be used: it expired on \d{4}-/],
    [ocspAnswer(authority, cert, { nextUpdate: null, thisUpdate: new Date(Date.now() - 8 * day) }), / has no expiry$/],
    [
      ocspAnswer(authority, cert, { thisUpdate: new Date(Date.now() + day) }),
      / cannot be used: it is not valid before /,
    ],
    [ocspAnswer(authority, cert, { signer: stranger }), /: it is not signed by the issuing CA or a responder/],
    [ocspAnswer(authority, authority.issue().cert), /: it is about another certificate$/],
    [ocspAnswer(stranger, cert, { signer: authority }), /: it is about another certificate$/],
    [ocspAnswer(authority, cert, { hash: 'sha1' }), /: it has a weak signature \(MD5 or SHA-1\)$/],
    [ocspAnswer(authority, cert, { status: 'unknown' }), / response does not know the certificate$/],
    [ocspRefusal(3), /: the responder refused to answer: tryLater$/],
    [Buffer.from('<html>no</html>'), /: it cannot be read: /],
    [Buffer.alloc(3000, 0x30), /: it cannot be read: /],
  ];
  for (const [staple, message] of wrong) {
    const finding = await checkRevocation(t, server, {}, staple);
    assert.equal(verdictOf(finding), 'degraded tls', String(message));
    assert.match(finding.message ?? '', /^the stapled OCSP response /);
    assert.match(finding.message ?? '', message);
    assert.equal(shown(finding)['status'], 'unknown');
    assert.equal(shown(finding)['problem'], finding.message);
  }
  const rule = (severity: string) => ({ securityBaseline: { revocationAnswerValid: { severity } } });
  assert.equal(verdictOf(await checkRevocation(t, server, rule('fail'), ocspRefusal(3))), 'failed tls');
  assert.equal(verdictOf(await checkRevocation(t, server, rule('ignore'), ocspRefusal(3))), 'passed');
});

test('accepts a responder authorized by the CA and no other', async (t) => {
  const server = authority.issue();
  const stapledBy = (signer: Issued): Promise<Finding> => {
    const facts = { status: 'revoked', revokedAt: since, signer: signerOf(signer), enclosed: [signer.cert] } as const;
    return checkRevocation(t, server, {}, ocspAnswer(authority, server.cert, facts));
  };
  assert.equal(verdictOf(await stapledBy(authority.issue({ isResponder: true }))), 'failed tls');
  const refused = [
    [authority.issue(), /the certificate of its signer does not allow signing OCSP responses$/],
    [stranger.issue({ isResponder: true }), /the issuing CA did not certify its signer$/],
    [authority.issue({ isResponder: true, validTo: new Date(Date.now() - day / 2) }), /its signer has expired/],
    [server, /does not allow signing OCSP responses$/],
  ] as const;
  for (const [signer, message] of refused) {
    const finding = await stapledBy(signer);
    assert.equal(verdictOf(finding), 'degraded tls');
    assert.match(finding.message ?? '', message);
  }
});

test('without a stapled response the status is unknown, nothing is queried, and the check passes', async (t) => {
  const responder = await startAuthority(t, (_, response) => response.end());
  const finding = await checkRevocation(t, authority.issue({ ocspUrl: responder.url, listUrl: responder.url }), {});
  assert.equal(verdictOf(finding), 'passed');
  assert.deepEqual([shown(finding)['status'], shown(finding)['problem']], ['unknown', 'no OCSP response is stapled']);
  assert.deepEqual(responder.asked, []);
});

/** Issues a certificate with a responder whose responses depend on it. */
async function answered(
  t: TestContext,
  answer: (cert: string) => Buffer,
  facts: CertificateFacts = {},
): Promise<{ readonly server: Issued; readonly asked: readonly string[] }> {
  let bytes: Buffer = Buffer.alloc(0);
  const { url, asked } = await startAuthority(t, (request, response) => {
    void readBody(request).then(() => response.end(bytes));
  });
  const server = authority.issue({ ocspUrl: url, ...facts });
  bytes = answer(server.cert);
  return { server, asked };
}

test('online, queries the responder if nothing is stapled, at most once an hour', async (t) => {
  const { server, asked } = await answered(t, (cert) =>
    ocspAnswer(authority, cert, { status: 'revoked', revokedAt: since }),
  );
  const probe = startProbing('SSL', trusted);
  const settings = await settingsOf(t, server, online);
  const finding = await probe(settings);
  assert.equal(verdictOf(finding), 'failed tls');
  assert.equal(
    finding.message,
    'the certificate of localhost was revoked on 2026-03-01, according to the OCSP responder of its CA',
  );
  assert.equal(shown(finding)['source'], 'OCSP');
  const { timingPhases } = describedKind('SSL', finding) as { timingPhases: JsonObject };
  assert.deepEqual(Object.keys(timingPhases), ['dns', 'tcp', 'tls', 'revocation']);
  assert.equal(verdictOf(await probe(settings)), 'failed tls');
  assert.deepEqual(asked, ['POST application/ocsp-request']);
});

test('online, a valid stapled response is enough, and an invalid one is reported even if the responder answers', async (t) => {
  const { server, asked } = await answered(t, (cert) => ocspAnswer(authority, cert));
  const stapled = await checkRevocation(t, server, online, ocspAnswer(authority, server.cert));
  assert.deepEqual([verdictOf(stapled), shown(stapled)['source'], asked.length], ['passed', 'STAPLED', 0]);
  const spoilt = await checkRevocation(t, server, online, ocspRefusal(3));
  assert.deepEqual([verdictOf(spoilt), shown(spoilt)['source'], asked.length], ['degraded tls', 'OCSP', 1]);
  assert.equal(shown(spoilt)['status'], 'good');
});

test('an invalid responder is degraded; an unreachable one is no failure of the target', async (t) => {
  const nonsense = await answered(t, () => Buffer.from('hello'));
  const finding = await checkRevocation(t, nonsense.server, online);
  assert.equal(verdictOf(finding), 'degraded tls');
  assert.match(
    finding.message ?? '',
    /^the OCSP responder http:\/\/127\.0\.0\.1:\d+ cannot be used: it cannot be read: /,
  );

  const endless = await startAuthority(t, (_, response) => {
    const more = (): void =>
      void (response.destroyed || response.write(Buffer.alloc(16_384))
        ? setImmediate(more)
        : response.once('drain', more));
    more();
  });
  const broken = await startAuthority(t, (_, response) => void response.writeHead(500).write('and no end'));
  const long = await startAuthority(t, (_, response) => response.end(Buffer.alloc(100_000)));
  const moved = await startAuthority(t, (_, response) => response.writeHead(302, { location: broken.url }).end());
  const unwilling = await startAuthority(t, (_, response) => response.end(ocspRefusal(6)));
  const silent = await startAuthority(t, () => {});
  const short = { deps: { ...trusted.deps, limitMs: 1500 } };
  const unreachable: readonly (readonly [string, RegExp, KindProbeOptions?])[] = [
    [endless.url, / could not be queried: it sent more than 64 kB$/],
    [long.url, / could not be queried: it sent more than 64 kB$/],
    [broken.url, / could not be queried: it responded with status 500$/],
    [moved.url, / could not be queried: it responded with status 302$/],
    [unwilling.url, / cannot be used: the responder refused to answer: unauthorized$/],
    [silent.url, / could not be queried: 127\.0\.0\.1:\d+ did not respond within (1(\.[0-4]\d*)? s|\d{1,3} ms)/, short],
    ['http://127.0.0.1:1/', / could not be queried: connection refused by 127\.0\.0\.1:1 /],
    ['https://127.0.0.1:1/', /^the certificate names no OCSP responder or revocation list with an http:\/\/ URL$/],
  ];
  for (const [ocspUrl, problem, options] of unreachable) {
    const inspected = await checkRevocation(t, authority.issue({ ocspUrl }), online, undefined, options ?? trusted);
    assert.equal(verdictOf(inspected), 'passed', inspected.message ?? '');
    assert.equal(shown(inspected)['status'], 'unknown');
    assert.match(shown(inspected)['problem'] ?? '', problem);
  }
  assert.equal(broken.asked.length, 1, 'a redirect is not followed');
});

test('the egress policy applies to URLs in certificates', async (t) => {
  const server = authority.issue({ ocspUrl: 'http://127.0.0.2:8080/', listUrl: 'http://127.0.0.3:8080/' });
  const finding = await checkRevocation(t, server, { ...online, hostname: '127.0.0.1' }, undefined, {
    ...trusted,
    egress: { mode: 'public', allow: [parseCidr('127.0.0.1')] },
  });
  assert.equal(verdictOf(finding), 'passed', finding.message ?? '');
  assert.match(
    shown(finding)['problem'] ?? '',
    / could not be queried: refused by the egress policy: 127\.0\.0\.2 is .*; .* not be fetched: refused .* 127\.0\.0\.3 is/,
  );
});

/** Serves a CRL created for a certificate. */
async function listed(t: TestContext, list: (server: Issued, url: string) => Buffer, facts: CertificateFacts = {}) {
  let bytes: Buffer = Buffer.alloc(0);
  const { url, asked } = await startAuthority(t, (_, response) => response.end(bytes));
  const listUrl = `${url}/list.crl`;
  const server = authority.issue({ listUrl, ...facts });
  bytes = list(server, listUrl);
  return { server, listUrl, asked };
}

test('online, fetches the CA’s CRL if there is no responder, once for all its certificates', async (t) => {
  const { server, listUrl, asked } = await listed(t, ({ cert }, url) =>
    revokedList(authority, { revoked: [authority.issue().cert, cert], reason: 4, revokedAt: since, url }),
  );
  const probe = startProbing('SSL', trusted);
  const finding = await probe(await settingsOf(t, server, online));
  assert.equal(verdictOf(finding), 'failed tls');
  assert.equal(
    finding.message,
    'the certificate of localhost was revoked on 2026-03-01 (superseded), according to the revocation list of its CA',
  );
  const other = await probe(await settingsOf(t, authority.issue({ listUrl }), online));
  assert.equal(verdictOf(other), 'passed', other.message ?? '');
  assert.deepEqual([shown(other)['status'], shown(other)['source']], ['good', 'CRL']);
  assert.deepEqual(asked, ['GET nothing']);
});

test('an expired, foreign, wrong or partial CRL is ignored and degraded', async (t) => {
  const past = { thisUpdate: new Date(Date.now() - 9 * day), nextUpdate: new Date(Date.now() - 2 * day) };
  const wrong: readonly (readonly [() => Buffer, RegExp])[] = [
    [() => revokedList(authority, past), /: it expired on /],
    [() => revokedList(authority, { signer: stranger }), /: it is not signed by the issuing CA$/],
    [() => revokedList(stranger), /: it is not signed by the issuing CA$/],
    [
      () => revokedList(authority, { url: 'http://127.0.0.1:1/2.crl' }),
      /: it is a different list of CN=Tests of Tocsin$/,
    ],
    [() => revokedList(authority, { onlyOf: 2 }), /: it covers other certificates or only some reasons$/],
    [() => revokedList(authority, { onlyOf: 3 }), /: it covers other certificates or only some reasons$/],
    [() => revokedList(authority, { nextUpdate: null, thisUpdate: new Date(Date.now() - 8 * day) }), / has no expiry$/],
    [() => revokedList(authority, { onlyOf: 4 }), /: it covers other certificates or only some reasons$/],
    [() => Buffer.from('-----BEGIN X509 CRL-----'), /: it cannot be read: /],
  ];
  for (const [list, message] of wrong) {
    const { server } = await listed(t, list);
    const finding = await checkRevocation(t, server, online);
    assert.equal(verdictOf(finding), 'degraded tls');
    assert.match(finding.message ?? '', /^the revocation list http:\/\/127\.0\.0\.1:\d+\/list\.crl cannot be used/);
    assert.match(finding.message ?? '', message);
  }
});

test('a CRL may list another name of the distribution point, but does not cover certificates without it', async (t) => {
  const elsewhere = 'http://lists.example/ca.crl';
  const { server, listUrl, asked } = await listed(
    t,
    ({ cert }) => revokedList(authority, { revoked: [cert], revokedAt: since, url: elsewhere }),
    { listNames: [addressName(elsewhere)] },
  );
  const probe = startProbing('SSL', trusted);
  const finding = await probe(await settingsOf(t, server, online));
  assert.match(finding.message ?? '', /was revoked on 2026-03-01, according to the revocation list of its CA$/);
  const other = await probe(await settingsOf(t, authority.issue({ listUrl }), online));
  assert.equal(verdictOf(other), 'degraded tls');
  assert.match(other.message ?? '', /: it is a different list of CN=Tests of Tocsin$/);
  const third = authority.issue({ listUrl, listNames: [addressName(elsewhere)] });
  assert.equal(verdictOf(await probe(await settingsOf(t, third, online))), 'passed');
  assert.equal(asked.length, 2, 'the first list is still used');
});

test('stops reading a CRL at 5 MB, but accepts one of nearly that size', async (t) => {
  const long = (others: number, { cert }: Issued): Buffer => revokedList(authority, { others, revoked: [cert] });
  const fine = await listed(t, (server) => long(150_000, server));
  assert.match(
    (await checkRevocation(t, fine.server, online)).message ?? '',
    /was revoked on .*, according to the revocation list of its CA$/,
  );
  const tooLong = await listed(t, (server) => Buffer.concat([long(1, server), Buffer.alloc(5 * 1024 * 1024)]));
  const finding = await checkRevocation(t, tooLong.server, online);
  assert.equal(verdictOf(finding), 'passed');
  assert.match(shown(finding)['problem'] ?? '', /could not be fetched: it sent more than 5120 kB$/);
});

test('online, uses the CRL if the responder does not know the certificate', async (t) => {
  const { server, asked } = await listed(t, ({ cert }) => revokedList(authority, { revoked: [cert] }), {
    ocspUrl: 'http://127.0.0.1:1/',
  });
  assert.match((await checkRevocation(t, server, online)).message ?? '', /according to the revocation list of its CA$/);
  assert.equal(asked.length, 1);
});

test('does not query the CA about a certificate that is rejected anyway', async (t) => {
  const { server, asked } = await answered(t, (cert) => ocspAnswer(authority, cert), { names: ['other.example'] });
  const finding = await checkRevocation(t, server, online);
  assert.match(finding.message ?? '', /is for another name/);
  assert.deepEqual([asked.length, shown(finding)['status']], [0, 'unknown']);
});

test('a self-signed certificate or one without its issuer has no status', async (t) => {
  const between = authority.subordinate('Between');
  const torn = between.issue({ ocspUrl: 'http://127.0.0.1:1/' });
  const finding = await checkRevocation(t, torn, { ...online, skipChainValidation: true });
  assert.equal(verdictOf(finding), 'passed', finding.message ?? '');
  const notSent = 'the server did not send the certificate of its CA';
  assert.equal(shown(finding)['problem'], notSent);
  const impostor = createAuthority();
  const server = authority.issue();
  const beside = { ...server, cert: server.cert + impostor.cert };
  const staple = ocspAnswer(impostor, server.cert);
  const fooled = await checkRevocation(t, beside, { skipChainValidation: true }, staple, {});
  assert.deepEqual([shown(fooled)['status'], shown(fooled)['problem']], ['unknown', notSent]);
});

test('a status is queried again after an hour or its expiry, a silent CA after five minutes', async (t) => {
  const start = Date.now();
  const minute = 60_000;
  /** Minutes in which the responder is queried. */
  const askedAt = async (minutes: readonly number[], answer: (cert: string) => Buffer): Promise<number[]> => {
    const { server, asked } = await answered(t, answer);
    const certificates = [new X509Certificate(server.cert), new X509Certificate(authority.cert)] as const;
    const peer = { path: certificates, protocol: '', cipher: '', chainError: null, staple: null };
    const find = createFindRevocation();
    const guard = createGuard({ mode: 'any', allow: [] });
    const trust = createTrust();
    const inspecting = { mode: 'ONLINE', guard, trust, secureContext: trust.createContext(), version: '9.9' } as const;
    const found: number[] = [];
    for (const each of minutes) {
      const before = asked.length;
      const { signal } = new AbortController();
      // oxlint-disable-next-line no-await-in-loop -- sequential, because the clock advances
      await find(peer, { ...inspecting, now: start + each * minute, leftMs: 5000, signal });
      if (asked.length > before) found.push(each);
    }
    return found;
  };
  const lasting = (cert: string): Buffer => ocspAnswer(authority, cert);
  assert.deepEqual(await askedAt([0, 1, 59, 60, 61], lasting), [0, 60]);
  assert.deepEqual(await askedAt([0, 30, -1], lasting), [0, -1], 'the clock was set back');
  const ending = (cert: string): Buffer => {
    return ocspAnswer(authority, cert, { nextUpdate: new Date(start + 20 * minute) });
  };
  assert.deepEqual(await askedAt([0, 19, 21], ending), [0, 21]);
  assert.deepEqual(await askedAt([0, 4, 6], () => ocspRefusal(3)), [0, 6]);
});
