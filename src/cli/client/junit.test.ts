// Reports of triggered runs for CI systems.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TriggeredRunBody } from '#contract/checks/trigger.ts';
import { annotations, junitXml } from './junit.ts';
import { guarded } from './output.ts';

const passed: TriggeredRunBody = {
  id: '01a227dd-7db0-746b-bb59-8a17ae6b090d',
  checkId: '01a227dd-7d8a-7664-a8d7-1b9e35420447',
  name: 'Home',
  runLocation: 'local',
  state: 'ended',
  outcome: 'passed',
  responseTime: 183,
  message: null,
  resultLink: null,
};
const failed: TriggeredRunBody = {
  ...passed,
  name: 'A & <b> "c"\u001b[2J, d: e',
  outcome: 'failed',
  message: 'expected 200,\ngot 503 % <x>]]>\ud800',
  resultLink: 'https://t.example/results/a?b&c',
};
const open: TriggeredRunBody = { ...passed, name: 'Late', state: 'running', outcome: null, responseTime: null };
const runs = [passed, failed, { ...passed, outcome: 'unknown' as const, message: 'no browser' }, open];

test('a report has a case for each run: failures of targets, and errors without a verdict', () => {
  const xml = junitXml(runs, Date.UTC(2026, 0, 31));
  assert.match(xml, /<testsuites name="Tocsin" tests="4" failures="1" errors="2" time="0\.549">/);
  assert.match(xml, /timestamp="2026-01-31T00:00:00\.000Z"/);
  assert.match(xml, /<testcase name="Home" classname="Tocsin\.local" time="0\.183"\/>/);
  assert.match(xml, /name="A &amp; &lt;b&gt; &quot;c&quot;\\u001b\[2J, d: e"/);
  assert.match(
    xml,
    /<failure type="failed" message="expected 200,\ngot 503 % &lt;x&gt;\]\]&gt;\ufffd">.*\n.*\nhttps:\/\/t\.example\/results\/a\?b&amp;c<\/failure>/,
  );
  assert.match(xml, /<error type="unknown" message="no browser">no browser<\/error>/);
  assert.match(xml, /<error type="timeout" message="not ended in time">/);
});

test('annotations name what did not pass, and neither names nor messages can end them', () => {
  assert.deepEqual(annotations([passed, failed, { ...passed, outcome: 'degraded', message: 'slow' }]), [
    '::error title=A & <b> "c"\\u001b[2J%2C d%3A e%3A failed::expected 200, got 503 %25 <x>]]>\ud800%0Ahttps://t.example/results/a?b&c',
    '::warning title=Home%3A degraded::slow',
  ]);
});

test('lines that look like workflow commands are fenced by a token that nobody can guess', () => {
  assert.deepEqual(guarded(['plain', 'a :: b']), ['plain', 'a :: b']);
  for (const hostile of ['  ::add-mask::x', 'name ##[error]x']) {
    const [first = '', line, last] = guarded([hostile]);
    const [, token] = /^::stop-commands::([\da-f-]{36})$/.exec(first) ?? [];
    assert.deepEqual([line, last], [hostile, `::${token}::`]);
  }
});
