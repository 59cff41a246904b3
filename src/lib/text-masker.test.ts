// Masking of many texts within a text.
import assert from 'node:assert/strict';
import test from 'node:test';
import { createMasker } from './text-masker.ts';

test('masks texts of any length in any case, and nothing beside them', () => {
  const hide = createMasker(['a', 'Bcd', 'long enough to have a key'], '*');
  assert.equal(hide('xyz'), 'xyz');
  assert.equal(hide('A-bCD-xbc'), '*-*-xbc');
  assert.equal(hide('(LONG ENOUGH to have a key)'), '(*)');
  assert.equal(hide(''), '');
});

test('texts that overlap or contain each other leave no part visible', () => {
  const hide = createMasker(['abc', 'bcdefgh', 'bcd'], '*');
  assert.equal(hide('1abcdefgh2'), '1*2');
  assert.equal(hide('abcabc'), '**');
  assert.equal(hide('bcdefg'), '*efg');
});

test('a character that becomes two in lower case shifts nothing', () => {
  assert.equal(createMasker(['secret'], '*')('İİ secret İ'), 'İİ * İ');
});

test('masks thousands of long texts within limits of time and memory', () => {
  const texts = Array.from({ length: 5000 }, (_, index) => `${index}-${'aB3$/+ é'.repeat(500)}`);
  const hide = createMasker(texts, '*');
  assert.equal(hide(`x ${texts[4999]} y ${texts[17]?.toUpperCase()}`), 'x * y *');
});

const value = 'kÉy%2F<4+2>/="a\\b" &c=';
const unit = (text: string): string => `\\u${text.charCodeAt(0).toString(16).padStart(4, '0')}`;
const encodings: Readonly<Record<string, (text: string) => string>> = {
  'JSON of PHP': (text) => JSON.stringify(text).slice(1, -1).replaceAll('/', '\\/'),
  'JSON of Gson': (text) =>
    JSON.stringify(text)
      .slice(1, -1)
      .replaceAll(/[<>&='\u0080-\uffff]/g, unit),
  'JSON, every character': (text) => text.replaceAll(/[^]/g, unit),
  'HTML, hexadecimal': (text) => text.replaceAll(/[^a-z\d ]/gi, (each) => `&#x${each.charCodeAt(0).toString(16)};`),
  'HTML, decimal': (text) => text.replaceAll(/[^a-z\d ]/gi, (each) => `&#${each.charCodeAt(0)};`),
  'HTML, named': (text) =>
    text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;').replaceAll('É', '&Eacute;'),
  'URL with a plain slash': (text) => encodeURIComponent(text).replaceAll('%2F', '/'),
  'URL in lower case': (text) => encodeURIComponent(text).toLowerCase(),
  form: (text) => new URLSearchParams([['', text]]).toString().slice(1),
};

test('masks a text in every encoding, two of them nested, and a different one for each character', () => {
  const hide = createMasker([value], '*');
  for (const [name, encode] of Object.entries(encodings)) {
    assert.equal(hide(`<${encode(value)}>`), '<*>', name);
    for (const [outer, again] of Object.entries(encodings)) {
      assert.equal(hide(`(${again(encode(value))})`), '(*)', `${name} in ${outer}`);
    }
  }
  const all = Object.values(encodings).filter((encode) => encode !== encodings['form']);
  for (let shift = 0; shift < all.length; shift++) {
    const mixed = Array.from(value, (each, at) => all[(at + shift) % all.length]?.(each) ?? each).join('');
    assert.equal(hide(`x ${mixed} y`), 'x * y', mixed);
  }
});

test('escapes around a masked text stay unchanged', () => {
  const hide = createMasker(['to/ken='], '*');
  assert.equal(
    hide(String.raw`{"a\/b":"to\/ken\u003d\n50%25 &amp; é"} TO%2FKEN= &sol;`),
    String.raw`{"a\/b":"*\n50%25 &amp; é"} * &sol;`,
  );
  assert.equal(hide(String.raw`to\/ken`), String.raw`to\/ken`);
});

test('a long text full of escapes takes time proportional to its length', () => {
  const hide = createMasker(['to/ken=', 'of %2525 escapes'], '*');
  const pieces = ['%25252525252f', '&amp;amp;#x2f;', String.raw`\\\\\\\/`, String.raw`\u005cu005c`, 'to\\/ken='];
  for (const piece of pieces) {
    const text = piece.repeat(Math.ceil(2_000_000 / piece.length));
    const before = process.cpuUsage();
    hide(text);
    const { user, system } = process.cpuUsage(before);
    assert.ok(user + system < 6_000_000, `${piece}: ${(user + system) / 1000} ms`);
  }
});
