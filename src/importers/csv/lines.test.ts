// Lines, CSV and commands become the checks that people mean by them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as forms from '#checks/forms.ts';
import type { CheckForm } from '#checks/form.ts';
import { readLines } from './lines.ts';

const all = Object.values<CheckForm>(forms);
const defaults = { interval: 600, tags: ['all'], groupId: null };
const read = (text: string) => readLines(text, defaults, all);
const bodies = (text: string) => read(text).map(({ check, fault }) => check ?? fault);

test('a target alone becomes a check of its type, named after it', () => {
  const lines = read(
    'https://shop.example/health\n\n# later: ping old.example\nshop.example\ntcp://[2001:db8::1]:22\nping gateway.example\ndns shop.example mx\nssl shop.example:8443',
  );
  assert.deepEqual(
    lines.map(({ number, type, name, check }) => [number, type, name, check?.['request'] ?? check?.['sslConfig']]),
    [
      [1, 'URL', 'shop.example/health', { url: 'https://shop.example/health' }],
      [4, 'URL', 'shop.example', { url: 'https://shop.example' }],
      [5, 'TCP', '2001:db8::1:22', { hostname: '2001:db8::1', port: 22 }],
      [6, 'ICMP (ping)', 'gateway.example', { hostname: 'gateway.example' }],
      [7, 'DNS', 'shop.example MX', { query: 'shop.example', recordType: 'MX' }],
      [8, 'SSL', 'shop.example:8443 certificate', { hostname: 'shop.example', port: 8443 }],
    ],
  );
  const frequencies = lines.map(({ check }) => check?.['frequency']);
  assert.deepEqual(frequencies, [10, 10, 10, 10, 10, 720], 'a certificate keeps its own interval');
});

test('a line gives name, target, interval and tags; those of all lines are added', () => {
  const [check, short] = bodies('Shop, https://shop.example/, 1 min, shop, eu all\nhttps://b.example, 30s');
  assert.deepEqual(check, {
    request: { url: 'https://shop.example/' },
    checkType: 'URL',
    name: 'Shop',
    tags: ['shop', 'eu', 'all'],
    groupId: null,
    frequency: 1,
  });
  assert.ok(typeof short === 'object' && short !== null);
  assert.deepEqual([short['frequency'], short['frequencyOffset']], [0, 30]);
});

test('a CSV file may name its columns in any order, and use semicolons or tabs', () => {
  for (const mark of [',', ';', '\t']) {
    const text = `Tags,URL,Title\n"a, b",https://a.example,"A ""one"""`.replaceAll(/,(?! )/g, mark);
    const [check] = bodies(text);
    assert.ok(typeof check === 'object' && check !== null, mark);
    assert.deepEqual([check['name'], check['tags']], ['A "one"', ['a', 'b', 'all']]);
  }
});

test('a wrong line says what is wrong', () => {
  assert.deepEqual(
    bodies('Shop, not a target\nhttps://a.example, often\nhttps://a.example, 5s\nhttps://a.example, 90s'),
    [
      '“not a target” is not a target. Write https://…, tcp://host:port, ping host, dns name, ssl host or a curl command',
      '“often” is not an interval. Write 30s, 5m or 1h',
      'The shortest interval is 10 s',
      '“90s” is not an interval. Write 30s, 5m or 1h',
    ],
  );
});

test('a curl command becomes the same request, and what is left out is said', () => {
  const [line] = read(
    String.raw`curl 'https://shop.example/api/orders?x=1' \
  -X PUT -sSL --compressed -k \
  -H 'Content-Type: application/json' -H "Authorization: Bearer \"t\"" -H 'Host: other' \
  --data-raw $'{"it\'s":\n"\u00e9"}' -u 'me:pa:ss' --proxy http://p -o /dev/null --cert x
https://b.example`,
  );
  assert.deepEqual(line?.check?.['request'], {
    method: 'PUT',
    url: 'https://shop.example/api/orders?x=1',
    headers: [
      { key: 'Content-Type', value: 'application/json' },
      { key: 'Authorization', value: 'Bearer "t"' },
    ],
    body: '{"it\'s":\n"é"}',
    bodyType: 'JSON',
    basicAuth: { username: 'me', password: 'pa:ss' },
    followRedirects: true,
    skipSSL: true,
  });
  assert.deepEqual(line?.notes, ['--proxy', '--cert', 'x (a check has one URL)']);
  const [, second] = read(
    `curl -d a=1 -d 'b=c d' shop.example\ncurl -G -d a=1 'http://q.example/?b=2'\nping c.example`,
  );
  assert.deepEqual(second?.check?.['request'], {
    method: 'GET',
    url: 'http://q.example/?b=2&a=1',
    headers: [],
    followRedirects: false,
  });
});
