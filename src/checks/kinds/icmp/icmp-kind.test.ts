// ICMP checks: pings of this machine where it may send them, and programs that say what such programs say where it may not.
import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import type { JsonObject } from '#domain/json.ts';
import { verdictOf } from '../../../../tests/support/api-probe.ts';
import {
  describedKind,
  type KindProbeOptions,
  probeKind,
  problemsOfKind,
} from '../../../../tests/support/kind-probe.ts';
import { findPing, pingProblem } from './ping.ts';
import { createTurns } from './turns.ts';

/** A program that notes how it was called and says that; with which words the real one does. */
function program(t: TestContext, said: string, { complaint = '', code = 0 } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-ping-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const [path, notes] = [join(folder, 'ping'), join(folder, 'words')];
  const words = `echo "$@" > ${notes}\nset >> ${notes}`;
  writeFileSync(path, `#!/bin/sh\n${words}\nprintf '%s' '${said}'\nprintf '%s' '${complaint}' >&2\nexit ${code}\n`);
  chmodSync(path, 0o755);
  return { path, notes: () => readFileSync(notes, 'utf8') };
}

/** What the usual program says of pings with those round trips, ms; null = no answer. */
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

function look(pingCommand: string, settings: JsonObject = {}, options: KindProbeOptions = {}) {
  const request = { hostname: '192.0.2.1', ...(settings['request'] as JsonObject | undefined) };
  const egress = { mode: 'any', allow: [{ address: '192.0.2.0', prefix: 24, family: 'ipv4' }] } as const;
  return probeKind('ICMP', { ...settings, request }, { egress, means: { pingCommand }, ...options });
}

test('pings are sent for real where this machine may send them, and where it may not the result says so', async () => {
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

test('loss and round trips are counted, and judged by the limits of the check', async (t) => {
  const times = [10, null, 20, 30, 40, 50, 60, 70, 80, 90];
  const { path } = program(t, output(times), { code: 0 });
  const finding = await look(path);
  assert.equal(verdictOf(finding), 'degraded timeout');
  assert.equal(finding.message, '1 of 10 pings were not answered by 192.0.2.1: 10 %, degraded at 10 % or more');
  assert.equal(finding.responseTimeMs, 50);
  const { latency, packetLoss, replies } = describedKind('ICMP', finding)['response'] as JsonObject;
  assert.deepEqual([latency, packetLoss], [{ min: 10, avg: 50, max: 90, stdDev: 25.82 }, 10]);
  assert.deepEqual((replies as readonly JsonObject[])[1], { number: 3, time: 20 });
  assert.equal(verdictOf(await look(path, { maxPacketLossThreshold: 10 })), 'failed timeout');
  assert.equal(verdictOf(await look(path, { degradedPacketLossThreshold: 11 })), 'passed');
});

test('a host that answers nothing fails, and passes where that is what should be', async (t) => {
  const { path } = program(t, output([null, null]), { code: 1 });
  const finding = await look(path);
  assert.deepEqual(
    [verdictOf(finding), finding.message],
    ['failed timeout', 'none of 2 pings was answered by 192.0.2.1'],
  );
  assert.equal(finding.responseTimeMs, null);
  const { egress } = { egress: { allow: [{ address: '192.0.2.0', prefix: 24, family: 'ipv4' }] } } as const;
  const options = { egress, means: { pingCommand: path }, check: { shouldFail: true } };
  assert.equal(verdictOf(await look(path, {}, options)), 'passed');
});

test('assertions look at the round trips and at all of it as JSON', async (t) => {
  const { path } = program(t, output([10, 30]));
  const holds = async (source: string, property: string, target: string): Promise<string> => {
    const request = { assertions: [{ source, property, comparison: 'LESS_THAN', target }] };
    return verdictOf(await look(path, { request }));
  };
  assert.equal(await holds('LATENCY', 'avg', '21'), 'passed');
  assert.equal(await holds('LATENCY', 'max', '30'), 'failed assertion');
  assert.equal(await holds('LATENCY', 'stdDev', '10.5'), 'passed');
  assert.equal(await holds('JSON_RESPONSE', '$.latency.min', '10'), 'failed assertion');
});

test('what keeps this machine from sending pings is no failure of the target', async (t) => {
  const denied = program(t, '', {
    complaint: 'ping: socktype: SOCK_RAW\nping: socket: Operation not permitted\nping: => missing cap_net_raw?',
    code: 2,
  });
  const finding = await look(denied.path);
  assert.equal(verdictOf(finding), 'unknown observer-network');
  assert.equal(finding.message, 'this machine cannot send pings: ping: socket: Operation not permitted');
  assert.equal(await pingProblem(denied.path), finding.message);
  const unreachable = program(t, output([null, null]), { complaint: 'ping: sendmsg: Network is unreachable', code: 1 });
  assert.equal(verdictOf(await look(unreachable.path)), 'unknown observer-network');
  assert.match((await look('/nowhere/ping')).message ?? '', /cannot send pings: spawn \/nowhere\/ping ENOENT/);
  const proxied = await look(
    denied.path,
    {},
    { egress: { proxy: { host: '127.0.0.1', port: 1, authorization: null } } },
  );
  assert.match(proxied.message ?? '', /pings cannot go through the proxy/);
});

test('the program is given an address that was judged, and nothing else of the check or of ours', async (t) => {
  const { path, notes } = program(t, output([1]));
  await look(path, { request: { pingCount: 7 } });
  const [words = '', ...environment] = notes().split('\n');
  assert.match(words, /^(-4 )?-n -c 7 -i 0\.2 -W \d+ 192\.0\.2\.1$/);
  assert.doesNotMatch(environment.join('\n'), /^(HOME|TOCSIN_\w+|NODE_\w+)=/m);
  const before = notes();
  const options = { egress: { mode: 'public' }, means: { pingCommand: path } } as const;
  assert.equal(verdictOf(await look(path, { request: { hostname: '127.0.0.1' } }, options)), 'failed egress-refused');
  assert.equal(verdictOf(await look(path, { request: { hostname: '-f' } })), 'failed settings');
  assert.equal(notes(), before, 'it was not called');
});

test('no more programs run at once than there are turns, and who waits too long is told', async () => {
  const turns = createTurns(2);
  const gate = Promise.withResolvers<void>();
  let [running, most] = [0, 0];
  const work = async (): Promise<string> => {
    most = Math.max(most, ++running);
    await gate.promise;
    running--;
    return 'done';
  };
  const first = [turns.take(60_000, work), turns.take(60_000, work), turns.take(60_000, work)];
  assert.equal(await turns.take(1, work), null);
  gate.resolve();
  assert.deepEqual(await Promise.all(first), ['done', 'done', 'done']);
  assert.equal(most, 2);
  assert.equal(await turns.take(1, work), 'done');
});

test('settings an ICMP check cannot run with are refused', () => {
  const problems = (settings: JsonObject) =>
    problemsOfKind('ICMP', { request: { hostname: 'gateway.example' }, ...settings });
  assert.deepEqual(problems({}), []);
  assert.match(problems({ request: { hostname: '-c 5' } }).join(), /^request\.hostname: /);
  const assertion = { source: 'LATENCY', property: '', comparison: 'LESS_THAN', target: '5' };
  assert.match(
    problems({ request: { hostname: 'a', assertions: [assertion] } }).join(),
    /use one of avg, min, max, stdDev/,
  );
  assert.match(problems({ degradedPacketLossThreshold: 30 }).join(), /^degradedPacketLossThreshold: 30 is more than/);
});
