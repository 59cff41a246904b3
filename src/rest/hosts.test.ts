// Host names under which requests are answered.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Addressed, foreignHost } from './hosts.ts';

const own = { publicUrl: () => 'https://Tocsin.example.com:8443/base', allowed: ['tocsin.lan', '*.inside.example'] };

function refused(
  headers: Addressed['headers'],
  target = '/v1/setup',
  isForwarded = false,
  isOpen = false,
): string | null {
  return foreignHost({ headers, target, isForwarded, isOpen }, own);
}

test('addresses, names of this machine, the public URL and allowed names are answered, with any port and case', () => {
  const names =
    '127.0.0.1 192.0.2.7:3000 [::1] [::1]:3000 [2001:DB8::7]:80 localhost LocalHost:3000 localhost.:3000 app.localhost ' +
    'tocsin.example.com TOCSIN.example.com.:8443 tocsin.example.com: tocsin.lan:3000 a.inside.example b.a.inside.example';
  for (const host of ['', ...names.split(' ')]) assert.equal(refused({ host }), null, host);
  assert.equal(refused({}), null, 'HTTP/1.0 needs no name');
});

test('other names are refused, whatever they look like', () => {
  const names =
    'evil.example evil.example:3000 127.0.0.1.evil.example 1.2.3.4.5 127.1 0x7f000001 2130706433 localhost.evil.example ' +
    'notlocalhost inside.example eviltocsin.lan tocsin.example.com.evil.example [::1 ::1 [::1]evil [evil.example] ' +
    'localhost:3000:80 localhost@evil.example evil.example:80@localhost localhost/x localhost,evil.example .. . :80';
  for (const host of names.split(' ')) assert.equal(refused({ host }), host);
  assert.equal(refused({ host: 'löcalhost' }), 'löcalhost');
});

test('a key, a ping, a trigger URL and health are answered under any name', () => {
  const host = 'evil.example';
  assert.equal(refused({ host, authorization: 'Bearer x' }), null);
  assert.equal(refused({ host, authorization: 'Bearer x' }, '/v1/setup', false, true), host, 'nobody verifies it');
  const open =
    '/health/live /health/ready?x /health /ping/abc /ping/abc/fail /checks/1/trigger/abc?x=1 /check-groups/7/trigger/abc';
  for (const path of open.split(' ')) assert.equal(refused({ host }, path), null, path);
  const closed =
    '/ /healthy /pings/abc /checks/1 /checks/1/trigger /x/ping/abc /v1/checks?x=/ping/a /results/a /acknowledge/a /metrics //ping/a';
  for (const path of closed.split(' ')) assert.equal(refused({ host }, path), host, path);
});

test('the name in the target and the one that a trusted proxy passes on must be allowed as well', () => {
  assert.equal(refused({ host: 'localhost' }, 'http://evil.example/v1/setup'), 'evil.example');
  assert.equal(refused({ host: 'localhost' }, 'http://localhost:3000/v1/setup'), null);
  const forwarded = (host: string, name: string, isForwarded = true) =>
    refused({ host, 'x-forwarded-host': name }, '/', isForwarded);
  assert.equal(forwarded('10.0.0.7:3000', 'tocsin.example.com'), null);
  assert.equal(forwarded('10.0.0.7:3000', 'evil.example'), 'evil.example');
  assert.equal(forwarded('10.0.0.7:3000', 'tocsin.example.com, evil.example'), 'evil.example');
  // A page can set the header, and some proxies pass it on.
  assert.equal(forwarded('evil.example', 'localhost'), 'evil.example');
  assert.equal(forwarded('localhost', 'evil.example', false), null, 'not from a trusted proxy');
});
