// Addresses of email channels: exactly one mailbox.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readAddress, parseSender } from './config.ts';

const accepted: Readonly<Record<string, string>> = {
  'ops@example.com': 'ops@example.com',
  ' ops@example.com ': 'ops@example.com',
  "o'neill+alerts=a/b@mail.example.com": "o'neill+alerts=a/b@mail.example.com",
  'ops@BÜCHER.example': 'ops@xn--bcher-kva.example',
  'root@localhost': 'root@localhost',
  [`${'a'.repeat(64)}@example.com`]: `${'a'.repeat(64)}@example.com`,
};

for (const [written, address] of Object.entries(accepted)) {
  test(`accepts ${written}`, () => assert.deepEqual(readAddress(written), { address }));
}

const rejected: Readonly<Record<string, RegExp>> = {
  'a@example.com, b@example.com': /one address; create a channel for each/,
  'a@example.com;b@example.com': /one address/,
  'a@example.com b@example.com': /one address/,
  'a@b@example.com': /one address/,
  'Ops <ops@example.com>': /without a name/,
  '"ops team"@example.com': /without a name/,
  'a@example.com\r\nBcc: b': /must be an email address/,
  'a@example.com\nDATA': /must be an email address/,
  'a\0b@example.com': /before the @/,
  ops: /must be an email address/,
  '@example.com': /must be an email address/,
  'ops@': /must be an email address/,
  'öps@example.com': /before the @/,
  'a..b@example.com': /before the @/,
  '.a@example.com': /before the @/,
  [`${'a'.repeat(65)}@example.com`]: /before the @/,
  'ops@-example.com': /invalid domain/,
  'ops@exa_mple.com': /invalid domain/,
  'ops@example..com': /invalid domain/,
  'ops@evil.example/mail.example.com': /invalid domain/,
  'ops@[127.0.0.1]': /invalid domain/,
  [`ops@${'a'.repeat(64)}.example`]: /invalid domain/,
  [`ops@${'a1234567.'.repeat(28)}example`]: /at most 254 characters/,
};

for (const [written, problem] of Object.entries(rejected)) {
  test(`rejects ${JSON.stringify(written)}`, () => {
    const read = readAddress(written);
    assert.match('problem' in read ? read.problem : `accepted as ${read.address}`, problem);
  });
}

test('reads a sender with and without a name', () => {
  assert.deepEqual(parseSender('alerts@example.com'), { name: '', address: 'alerts@example.com' });
  assert.deepEqual(parseSender('Tocsin <alerts@example.com>'), { name: 'Tocsin', address: 'alerts@example.com' });
});
