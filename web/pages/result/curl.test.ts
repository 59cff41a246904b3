// Request values that would escape from a carelessly quoted command.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { formatCurl, type SentRequest } from './curl.ts';

/** Arguments that a shell passes to curl. */
function argumentsOf(request: Partial<SentRequest>, cwd = tmpdir()): string[] {
  const command = formatCurl({ method: 'GET', url: 'http://127.0.0.1/', headers: {}, data: '', ...request });
  const script = `curl() { printf '%s\\0' "$@"; }\n${command}`;
  return execFileSync('/bin/sh', ['-c', script], { cwd, encoding: 'utf8' }).split('\0').slice(0, -1);
}

test('hostile values reach curl unchanged, and the shell runs none of them', (t) => {
  const cwd = mkdtempSync(join(tmpdir(), 'tocsin-curl-'));
  t.after(() => rmSync(cwd, { recursive: true }));
  const hostile = [
    `'; touch broken; '`,
    '$(touch broken)',
    '`touch broken`',
    `'"$(touch broken)"'`,
    '\\',
    `\\'`,
    'two\nlines; touch broken\n',
    '!! & | > broken',
    '@/etc/hostname',
    "'''",
    'ünïcode 🦉',
  ];
  for (const value of hostile) {
    const url = `http://127.0.0.1/?q=${value}`;
    const headers = { 'x-value': value, 'x-list': [value, 'other'] };
    const lists = [`x-value: ${value}`, `x-list: ${value}`, 'x-list: other'].flatMap((line) => ['-H', line]);
    const expected = ['-i', '--globoff', '-X', 'POST', url, ...lists, '--data-raw', value];
    assert.deepEqual(argumentsOf({ method: 'POST', url, headers, data: value }, cwd), expected);
    assert.equal(argumentsOf({ method: value }, cwd)[3], value);
  }
  assert.ok(!existsSync(join(cwd, 'broken')), 'a value was run as a command');
});

test('a request without a body is as short as possible, and a HEAD request does not wait for one', () => {
  assert.deepEqual(argumentsOf({}), ['-i', '--globoff', 'http://127.0.0.1/']);
  assert.deepEqual(argumentsOf({ method: 'HEAD' }), ['-i', '--globoff', '--head', 'http://127.0.0.1/']);
  assert.deepEqual(argumentsOf({ method: 'DELETE' }).slice(2), ['-X', 'DELETE', 'http://127.0.0.1/']);
  // --data-raw alone would make it a POST.
  assert.deepEqual(argumentsOf({ data: '{}' }).slice(2), ['-X', 'GET', 'http://127.0.0.1/', '--data-raw', '{}']);
});

test('omits headers that curl sets on its own, and sends an empty one empty', () => {
  const headers = { Host: 'shop.example', 'content-length': '2', 'x-empty': '' };
  assert.deepEqual(argumentsOf({ headers }).slice(3), ['-H', 'x-empty;']);
});
