// OCSP responses and CRLs, from OpenSSL and malicious ones.
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { addressName, commonName, createAuthority, fullName } from '../../../../tests/support/targets/certificates.ts';
import { der, integer, octets, oid, sequence, time } from '../../../../tests/support/targets/der.ts';
import samples from '../../../../tests/support/targets/openssl-samples.json' with { type: 'json' };
import { revokedList } from '../../../../tests/support/targets/revocation.ts';
import { readCertificate } from './certificate-parts.ts';
import { ocspQuestion, readOcspAnswer } from './ocsp.ts';
import { readRevokedList, statusInList } from './revoked-list.ts';
import type { Issued } from './status-statement.ts';

/** A day after the samples were created; they are valid for ten years. */
const now = Date.UTC(2026, 10, 22, 12);
const bytes = (text: string): Buffer => Buffer.from(text, 'base64');
const authority = bytes(samples.authority);
const issued = (text: string): Issued => ({
  own: readCertificate(bytes(text)),
  issuer: readCertificate(authority),
  issuerCertificate: new X509Certificate(authority),
});
const good = issued(samples.good);
const revoked = issued(samples.revoked);
const listUrl = 'http://crl.sample.example/ca.crl';
const place = { url: listUrl, names: good.own.lists.flatMap(({ names }) => names) };

test('reads revocation URLs of a certificate', () => {
  assert.deepEqual(good.own.ocspUrls, ['http://ocsp.sample.example/']);
  assert.deepEqual(
    good.own.lists.map(({ url }) => url),
    [listUrl],
  );
  assert.deepEqual([good.issuer.ocspUrls, good.issuer.lists], [[], []]);
});

test('keeps only the entries of a CRL in memory', () => {
  const answer = Buffer.from(new Uint8Array(bytes(samples.list)).buffer);
  const list = readRevokedList(answer, good, place, now);
  assert.ok('entries' in list);
  assert.notEqual(list.entries.buffer, answer.buffer);
});

test('creates the same request as OpenSSL', () => {
  assert.deepEqual(ocspQuestion(good), bytes(samples.question));
});

test('accepts OpenSSL responses signed by the CA or its responder, with SHA-1 and SHA-256', () => {
  const dates = { thisUpdate: Date.UTC(2026, 10, 21, 20, 59, 21), nextUpdate: Date.UTC(2036, 10, 18, 20, 59, 21) };
  const none = { revokedAt: null, reason: null };
  assert.deepEqual(readOcspAnswer(bytes(samples.goodBySha1), good, now), { status: 'good', ...none, ...dates });
  assert.deepEqual(readOcspAnswer(bytes(samples.goodBySha256), good, now), { status: 'good', ...none, ...dates });
  assert.deepEqual(readOcspAnswer(bytes(samples.revokedBySha1), revoked, now), {
    status: 'revoked',
    revokedAt: Date.UTC(2026, 10, 21, 20, 59, 21),
    reason: 'keyCompromise',
    ...dates,
  });
});

test('a response about another certificate of the CA does not count', () => {
  const answer = readOcspAnswer(bytes(samples.goodBySha1), revoked, now);
  assert.deepEqual(answer, { problem: 'it is about another certificate', isUnbelievable: true });
});

test('a response is valid until its expiry, with five minutes of clock skew', () => {
  const at = (time: number) => readOcspAnswer(bytes(samples.goodBySha1), good, time);
  const [from, until] = [Date.UTC(2026, 10, 21, 20, 59, 21), Date.UTC(2036, 10, 18, 20, 59, 21)];
  assert.deepEqual(at(until + 300_001), { problem: 'it expired on 2036-11-18T20:59Z', isUnbelievable: true });
  assert.deepEqual(at(from - 300_001), { problem: 'it is not valid before 2026-11-21T20:59Z', isUnbelievable: true });
  for (const time of [from - 300_000, until + 300_000]) assert.ok('status' in at(time));
});

test('reads an OpenSSL CRL with and without the certificate', () => {
  for (const sample of [samples.list, samples.listPss]) {
    const list = readRevokedList(bytes(sample), good, place, now);
    assert.ok('entries' in list, JSON.stringify(list));
    assert.equal(statusInList(list, good).status, 'good');
    const { status, reason, revokedAt } = statusInList(list, revoked);
    assert.deepEqual([status, reason, revokedAt], ['revoked', 'keyCompromise', Date.UTC(2026, 10, 21, 20, 59, 21)]);
  }
});

/** The sample with one flipped bit, for every bit. */
function* bent(sample: string): Generator<Buffer> {
  const whole = bytes(sample);
  for (let at = 0; at < whole.length; at++) {
    const copy = Buffer.from(whole);
    copy[at] = (copy[at] ?? 0) ^ (1 << (at % 8));
    yield copy;
  }
}

test('never accepts a response with a flipped bit as another status', () => {
  const whole = readOcspAnswer(bytes(samples.revokedBySha1), revoked, now);
  for (const copy of bent(samples.revokedBySha1)) {
    const answer = readOcspAnswer(copy, revoked, now);
    if ('status' in answer) assert.deepEqual(answer, whole);
  }
  for (const copy of bent(samples.list)) {
    const list = readRevokedList(copy, revoked, place, now);
    if ('entries' in list) assert.equal(statusInList(list, revoked).status, 'revoked');
  }
});

test('rejects truncated and extended responses', () => {
  for (const sample of [samples.goodBySha256, samples.list]) {
    const whole = bytes(sample);
    for (let length = 0; length < whole.length; length++) {
      const cut = whole.subarray(0, length);
      assert.ok('problem' in readOcspAnswer(cut, good, now), `${length} bytes`);
      assert.ok('problem' in readRevokedList(cut, good, place, now), `${length} bytes`);
    }
    const longer = Buffer.concat([whole, Buffer.from([0])]);
    assert.ok('problem' in readOcspAnswer(longer, good, now));
    assert.ok('problem' in readRevokedList(longer, good, place, now));
  }
});

test('a CRL belongs to a certificate if the distribution points share a name', () => {
  const ours = createAuthority('Ours');
  const url = 'http://127.0.0.1/ca.crl';
  const directory = (...names: readonly Buffer[]): Buffer => der(0xa4, sequence(...names));
  // Content of a name: one set with one attribute.
  const [cell, self] = ['Cell', 'Ours'].map((name) => commonName(name).subarray(2)) as [Buffer, Buffer];
  const two = addressName('http://two.example/ca.crl');
  const cases: readonly (readonly [names: readonly Buffer[], point: Buffer, isSame: boolean])[] = [
    [[], fullName(addressName(url)), true],
    [[], fullName(two), false],
    [[two], fullName(two), true],
    [[two], fullName(addressName('http://three.example/ca.crl'), two), true],
    [[two], fullName(addressName('HTTP://Two.Example/ca.crl')), true],
    [[two], fullName(addressName('http://two.example/CA.crl')), false],
    [[addressName('ldap://two.example/cn=a')], fullName(addressName('ldap://two.example/cn=a')), true],
    [[directory(cell)], fullName(directory(cell)), true],
    [[directory(cell)], fullName(directory(self)), false],
    [[directory(self, cell)], der(0xa1, cell.subarray(2)), true],
    [[directory(cell)], der(0xa1, cell.subarray(2)), false],
  ];
  for (const [index, [listNames, point, isSame]] of cases.entries()) {
    const [own, issuer] = [ours.issue({ listUrl: url, listNames }).cert, ours.cert].map(
      (pem) => new X509Certificate(pem),
    );
    assert.ok(own !== undefined && issuer !== undefined);
    const both = { own: readCertificate(own.raw), issuer: readCertificate(issuer.raw), issuerCertificate: issuer };
    const [at] = both.own.lists;
    assert.ok(at !== undefined);
    const list = readRevokedList(revokedList(ours, { point }), both, at, Date.now());
    assert.equal(
      'problem' in list ? list.problem : null,
      isSame ? null : 'it is a different list of CN=Ours',
      `case ${index}`,
    );
  }
});

test('rejects a response over 64 kB without parsing it', () => {
  const { problem } = readOcspAnswer(Buffer.alloc(65_537), good, now) as { problem: string };
  assert.equal(problem, 'it is larger than 64 kB');
});

test('does not match a serial number inside another entry', () => {
  const { serial } = good.own;
  const date = time(new Date(now));
  const of = (number: Buffer, ...more: Buffer[]): Buffer => sequence(number, date, ...more);
  const echo = sequence(sequence(oid('2.5.29.21'), octets(of(serial))));
  const saidOf = (...entries: Buffer[]) =>
    statusInList({ entries: Buffer.concat(entries), thisUpdate: now, nextUpdate: null, names: null }, good).status;
  const other = integer(...Buffer.from('7fffffff', 'hex'));
  assert.equal(saidOf(of(other), of(other, echo), of(other)), 'good');
  assert.equal(saidOf(of(other), of(other, echo), of(serial), of(other)), 'revoked');
  assert.throws(() => saidOf(Buffer.from([0x30, 0x7f]), of(serial)), RangeError);
});
