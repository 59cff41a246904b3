// Parsing of untrusted DER.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { der, oid, sequence, time } from '../../../../tests/support/targets/der.ts';
import { elementAt, elementsIn, readOid, readerOf, soleElement, tags, readTime } from './der.ts';

const text = (tag: number, value: string) => soleElement(der(tag, Buffer.from(value)), tag);

test('reads lengths of one or more bytes', () => {
  for (const length of [0, 127, 128, 255, 256, 65_536]) {
    const { content, whole } = elementAt(Buffer.concat([Buffer.from('x'), der(4, Buffer.alloc(length))]), 1);
    assert.equal(content.length, length);
    assert.equal(whole.length, der(4, Buffer.alloc(length)).length);
  }
});

test('rejects truncated, overlong and indefinite elements and multi-byte tags', () => {
  const refused = [
    [[], /truncated/],
    [[0x30], /truncated/],
    [[0x30, 0x02, 0x05], /truncated/],
    [[0x30, 0x82, 0x01], /truncated/],
    [[0x30, 0x84, 0xff, 0xff, 0xff, 0xff], /truncated/],
    [[0x30, 0x80, 0x00, 0x00], /an invalid length/],
    [[0x30, 0x85, 0, 0, 0, 0, 1, 0], /an invalid length/],
    [[0x3f, 0x81, 0x01, 0x00], /a tag of several bytes/],
    [[0x30, 0x00, 0x00], /followed by other data/],
    [[0x04, 0x00], /an unexpected element/],
  ] as const;
  for (const [bytes, message] of refused) {
    assert.throws(() => soleElement(Buffer.from(bytes), tags.sequence), { name: 'RangeError', message });
  }
});

test('rejects every prefix of an element', () => {
  const whole = sequence(oid('1.2.840.113549.1.1.11'), sequence(time(new Date(0)), der(4, Buffer.alloc(300))));
  for (let length = 0; length < whole.length; length++) {
    assert.throws(() => soleElement(whole.subarray(0, length), tags.sequence), RangeError);
  }
});

test('rejects a sequence with too many elements', () => {
  const many = soleElement(sequence(...Array.from({ length: 65 }, () => sequence())), tags.sequence);
  assert.throws(() => elementsIn(many), /more than 64 elements/);
  assert.equal(elementsIn(many, 65).length, 65);
});

test('leaves optional elements unread if another one follows', () => {
  const reader = readerOf(soleElement(sequence(oid('1.2'), time(new Date(0))), tags.sequence));
  assert.equal(reader.optional(tags.integer), null);
  assert.equal(readOid(reader.next()), '1.2');
  assert.throws(() => reader.next(tags.oid), /an unexpected element/);
});

test('reads object identifiers and rejects truncated or overlong ones', () => {
  assert.equal(readOid(elementAt(oid('2.16.840.1.101.3.4.2.1'), 0)), '2.16.840.1.101.3.4.2.1');
  assert.equal(readOid(elementAt(Buffer.from([6, 2, 0x88, 0x37]), 0)), '2.999');
  for (const content of [Buffer.alloc(0), Buffer.alloc(33, 1), Buffer.alloc(12, 0xff)]) {
    assert.throws(() => readOid(elementAt(der(6, content), 0)), /an invalid object identifier/);
  }
});

test('reads both time formats and rejects nonexistent dates', () => {
  assert.equal(readTime(text(tags.utcTime, '491231235959Z')), Date.UTC(2049, 11, 31, 23, 59, 59));
  assert.equal(readTime(text(tags.utcTime, '500101000000Z')), Date.UTC(1950, 0, 1));
  assert.equal(readTime(text(tags.generalizedTime, '20260228120000Z')), Date.UTC(2026, 1, 28, 12));
  for (const [tag, value] of [
    [tags.generalizedTime, '20260230120000Z'],
    [tags.generalizedTime, '20261301000000Z'],
    [tags.generalizedTime, '260101000000Z'],
    [tags.utcTime, '20260101000000Z'],
    [tags.utcTime, '260101000000+0100'],
    [tags.generalizedTime, ''],
    [tags.octets, '20260101000000Z'],
  ] as const) {
    assert.throws(() => readTime(text(tag, value)), /an invalid time/, value);
  }
});
