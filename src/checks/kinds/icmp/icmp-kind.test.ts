// ICMP checks: real pings if this machine may send them, otherwise programs with the same output.
import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import type { JsonObject } from '#domain/json.ts';
import { verdictOf } from '../../../../tests/support/checks/api-probe.ts';
import {
  describedKind,
  type KindProbeOptions,
  probeKind,
  problemsOfKind,
} from '../../../../tests/support/checks/kind-probe.ts';
import { findPing, pingProblem } from './ping.ts';

/** A program that records its arguments and prints the given text, and the arguments of the real one. */
function program(t: TestContext, said: string, { complaint = '', code = 0 } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-ping-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const [path, notes] = [join(folder, 'ping'), join(folder, 'words')];
  const words = `echo "$@" > ${notes}\nset >> ${notes}`;
  writeFileSync(path, `#!/bin/sh\n${words}\nprintf '%s' '${said}'\nprintf '%s' '${complaint}' >&2\nexit ${code}\n`);
  chmodSync(path, 0o755);
  return { path, notes: () => readFileSync(notes, 'utf8') };
}

/** Output of the real program for round-trip times in ms; null = no reply. */
function output(times: readonly (number | null)[], address = '192.0.2.1'): string {
  const lines = times.flatMap((time, index) =>
    time === null ? [] : [`64 bytes from ${address}: icmp_seq=${index + 1} ttl=57 time=${time} ms`],
  );
  const received = lines.length;
  return [
    `PING ${address} (${address}) 56(84) bytes of data.`,
    ...lines,
    '',
    `--- ${address} ping statistics ---`,
    `${times.length} packets transmitted, ${received} received, 0% packet loss, time 4ms`,
    '',
  ].join('\n');
}

function sendPings(pingCommand: string, settings: JsonObject = {}, options: KindProbeOptions = {}) {
  const request = { hostname: '192.0.2.1', ...(settings['request'] as JsonObject | undefined) };
  const egress = { mode: 'any', allow: [{ address: '192.0.2.0', prefix: 24, family: 'ipv4' }] } as const;
  return probeKind('ICMP', { ...settings, request }, { egress, deps: { pingCommand }, ...options });
}

test('sends real pings, or reports that this machine may not', async () => {
  const problem = await pingProblem(findPing());
  const finding = await probeKind('ICMP', { request: { hostname: 'localhost', ipFamily: 'IPv4', pingCount: 3 } });
  if (problem === null) {
    assert.equal(verdictOf(finding), 'passed', finding.message ?? '');
    const { sent, received, packetLoss } = describedKind('ICMP', finding)['response'] as JsonObject;
    assert.deepEqual([sent, received, packetLoss], [3, 3, 0]);
    assert.ok((finding.responseTimeMs ?? -1) >= 0);
  } else {
    assert.equal(verdictOf(finding), 'unknown observer-network');
    assert.match(finding.message ?? '', /^this machine (has no ping program|cannot send pings)/);
  }
});

test('computes loss and latency and applies the limits', async (t) => {
  const times = [10, null, 20, 30, 40, 50, 60, 70, 80, 90];
  const { path } = program(t, output(times), { code: 0 });
  const finding = await sendPings(path);
  assert.equal(verdictOf(finding), 'degraded timeout');
  assert.equal(finding.message, 'expected packet loss below 10%, got 10%: 192.0.2.1 answered 9 of 10 pings');
  assert.equal(finding.responseTimeMs, 50);
  const { latency, packetLoss, replies } = describedKind('ICMP', finding)['response'] as JsonObject;
  assert.deepEqual([latency, packetLoss], [{ min: 10, avg: 50, max: 90, stdDev: 25.82 }, 10]);
  assert.deepEqual((replies as readonly JsonObject[])[1], { number: 3, time: 20 });
  assert.equal(verdictOf(await sendPings(path, { maxPacketLossThreshold: 10 })), 'failed timeout');
  assert.equal(verdictOf(await sendPings(path, { degradedPacketLossThreshold: 11 })), 'passed');
});

test('fails if no ping is answered, and passes with shouldFail', async (t) => {
  const { path } = program(t, output([null, null]), { code: 1 });
  const finding = await sendPings(path);
  assert.deepEqual([verdictOf(finding), finding.message], ['failed timeout', '192.0.2.1 answered none of 2 pings']);
  assert.equal(finding.responseTimeMs, null);
  const { egress } = { egress: { allow: [{ address: '192.0.2.0', prefix: 24, family: 'ipv4' }] } } as const;
  const options = { egress, deps: { pingCommand: path }, check: { shouldFail: true } };
  assert.equal(verdictOf(await sendPings(path, {}, options)), 'passed');
});

test('evaluates assertions on latency and JSON', async (t) => {
  const { path } = program(t, output([10, 30]));
  const holds = async (source: string, property: string, target: string): Promise<string> => {
    const request = { assertions: [{ source, property, comparison: 'LESS_THAN', target }] };
    return verdictOf(await sendPings(path, { request }));
  };
  assert.equal(await holds('LATENCY', 'avg', '21'), 'passed');
  assert.equal(await holds('LATENCY', 'max', '30'), 'failed assertion');
  assert.equal(await holds('LATENCY', 'stdDev', '10.5'), 'passed');
  assert.equal(await holds('JSON_RESPONSE', '$.latency.min', '10'), 'failed assertion');
  const assertion = { source: 'LATENCY', property: 'max', comparison: 'LESS_THAN', target: '30' };
  const { message } = await sendPings(path, { request: { assertions: [assertion] } });
  assert.equal(message, 'expected longest round trip to be less than 30 ms, got 30 ms');
});

test('a machine that cannot send pings is no failure of the target', async (t) => {
  const denied = program(t, '', {
    complaint: 'ping: socktype: SOCK_RAW\nping: socket: Operation not permitted\nping: => missing cap_net_raw?',
    code: 2,
  });
  const finding = await sendPings(denied.path);
  assert.equal(verdictOf(finding), 'unknown observer-network');
  assert.equal(finding.message, 'this machine cannot send pings: ping: socket: Operation not permitted');
  assert.equal(await pingProblem(denied.path), finding.message);
  const unreachable = program(t, output([null, null]), { complaint: 'ping: sendmsg: Network is unreachable', code: 1 });
  assert.equal(verdictOf(await sendPings(unreachable.path)), 'unknown observer-network');
  assert.match((await sendPings('/nowhere/ping')).message ?? '', /cannot send pings: spawn \/nowhere\/ping ENOENT/);
  const proxied = await sendPings(
    denied.path,
    {},
    { egress: { proxy: { host: '127.0.0.1', port: 1, authorization: null } } },
  );
  assert.match(proxied.message ?? '', /pings cannot use the proxy/);
});

test('passes only a checked address to the program, and no environment', async (t) => {
  const { path, notes } = program(t, output([1]));
  await sendPings(path, { request: { pingCount: 7 } });
  const [words = '', ...environment] = notes().split('\n');
  assert.match(words, /^(-4 )?-n -c 7 -i 0\.2 -W \d+ 192\.0\.2\.1$/);
  assert.doesNotMatch(environment.join('\n'), /^(HOME|TOCSIN_\w+|NODE_\w+)=/m);
  const before = notes();
  const options = { egress: { mode: 'public' }, deps: { pingCommand: path } } as const;
  assert.equal(
    verdictOf(await sendPings(path, { request: { hostname: '127.0.0.1' } }, options)),
    'failed egress-refused',
  );
  assert.equal(verdictOf(await sendPings(path, { request: { hostname: '-f' } })), 'failed settings');
  assert.equal(notes(), before, 'it was not called');
});

test('rejects invalid settings', () => {
  const problems = (settings: JsonObject) =>
    problemsOfKind('ICMP', { request: { hostname: 'gateway.example' }, ...settings });
  assert.deepEqual(problems({}), []);
  assert.match(problems({ request: { hostname: '-c 5' } }).join(), /^request\.hostname: /);
  const assertion = { source: 'LATENCY', property: '', comparison: 'LESS_THAN', target: '5' };
  assert.match(
    problems({ request: { hostname: 'a', assertions: [assertion] } }).join(),
    /use one of avg, min, max, stdDev/,
  );
  assert.match(problems({ degradedPacketLossThreshold: 30 }).join(), /^degradedPacketLossThreshold: 30 exceeds/);
});
