// TCP checks against real ports.
import assert from 'node:assert/strict';
import { createServer, type Socket } from 'node:net';
import test from 'node:test';
import type { JsonObject } from '#domain/json.ts';
import { variable } from '../../../../tests/support/checks/api-check.ts';
import { verdictOf } from '../../../../tests/support/checks/api-probe.ts';
import {
  type KindProbeOptions,
  describedKind,
  probeKind,
  problemsOfKind,
} from '../../../../tests/support/checks/kind-probe.ts';
import { startTcpTarget } from '../../../../tests/support/targets/target.ts';
import { createGuard } from '#egress/guard.ts';
import { talk, textOf } from './tcp-kind.ts';

const data = (comparison: string, target = '', regex = ''): JsonObject => ({
  source: 'RESPONSE_DATA',
  comparison,
  target,
  regex,
});

function inspect(port: number, request: JsonObject = {}, options: KindProbeOptions = {}, settings: JsonObject = {}) {
  return probeKind('TCP', { request: { hostname: '127.0.0.1', port, ...request }, ...settings }, options);
}

/** A closed port. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** A server that responds to each line. */
function startLines(t: Parameters<typeof startTcpTarget>[0], answer: (line: string, socket: Socket) => void) {
  return startTcpTarget(t, (socket) => {
    socket.on('data', (chunk: Buffer) => answer(chunk.toString(), socket));
  });
}

test('passes for an open port and shows address and time', async (t) => {
  const { port } = await startTcpTarget(t, () => {});
  const finding = await inspect(port);
  assert.equal(verdictOf(finding), 'passed');
  assert.ok((finding.responseTimeMs ?? 0) > 0);
  const part = describedKind('TCP', finding);
  assert.deepEqual([part['address'], part['requestError'], part['assertions']], ['127.0.0.1', null, []]);
  assert.deepEqual(Object.keys(part['timingPhases'] as JsonObject), ['dns', 'tcp']);
});

test('fails for a closed port, and passes with shouldFail', async () => {
  const port = await closedPort();
  const finding = await inspect(port);
  assert.equal(verdictOf(finding), 'failed connect');
  assert.match(finding.message ?? '', new RegExp(`^connection refused by 127\\.0\\.0\\.1:${port} after `));
  assert.equal(verdictOf(await inspect(port, {}, { check: { shouldFail: true } })), 'passed');
  const unknown = await inspect(port, { hostname: 'nothing.invalid' }, { check: { shouldFail: true } });
  assert.notEqual(unknown.verdict, 'passed', 'an unknown name is not a closed port');
});

test('sends data with variables filled in and matches the response or part of it', async (t) => {
  const { port } = await startLines(
    t,
    (line, socket) => void socket.write(line === 'PING 7\r\n' ? '+PONG 7\r\n' : '-ERR\r\n'),
  );
  const options = { variables: [variable('N', '7')] };
  const ask = async (...assertions: JsonObject[]) =>
    verdictOf(await inspect(port, { data: 'PING {{N}}\r\n', assertions }, options, { maxResponseTime: 600 }));
  assert.equal(await ask(data('CONTAINS', '+PONG')), 'passed');
  assert.equal(await ask(data('EQUALS', '+PONG 7\r\n'), data('NOT_CONTAINS', 'ERR')), 'passed');
  assert.equal(await ask(data('EQUALS', '7', '\\+PONG (\\d)')), 'passed');
  assert.equal(await ask(data('CONTAINS', '+PANG')), 'failed assertion');
  assert.equal(await ask({ source: 'RESPONSE_TIME', comparison: 'LESS_THAN', target: '0' }), 'failed assertion');
});

test('reads a response in pieces until it is complete', async (t) => {
  const { port } = await startTcpTarget(t, (socket) => {
    socket.write('220 mail.');
    setTimeout(() => socket.write('example ready\r\n'), 50);
  });
  const finding = await inspect(port, { assertions: [data('CONTAINS', 'ready')] });
  assert.equal(verdictOf(finding), 'passed');
  assert.equal((describedKind('TCP', finding)['response'] as JsonObject)['data'], '220 mail.example ready\r\n');
});

test('evaluates a slow response from time to time and at its end', async (t) => {
  const { port } = await startTcpTarget(t, (socket) => {
    socket.setNoDelay(true);
    let sent = 0;
    const timer = setInterval(() => {
      socket.write(sent < 200 ? 'x' : 'ready');
      if (++sent > 200) clearInterval(timer);
    }, 2);
    socket.once('close', () => clearInterval(timer));
  });
  let polls = 0;
  const seen = await talk(
    {
      place: { host: '127.0.0.1', port, isAddress: true },
      family: 0,
      data: '',
      isEnough: (text) => Promise.resolve(++polls > 0 && text.endsWith('ready') ? 'yes' : 'no'),
      waitsForSilence: false,
      limitMs: 30_000,
    },
    createGuard({ mode: 'any', allow: [] }),
    new AbortController().signal,
  );
  assert.match(textOf(seen), /ready$/);
  assert.ok(polls <= (seen.endedAt - seen.connectedAt) / 50 + 2, `${polls} looks`);
});

test('distinguishes late, missing and truncated responses', async (t) => {
  const silent = await startTcpTarget(t, () => {});
  const limits = { maxResponseTime: 200, degradedResponseTime: 100 };
  const late = await inspect(silent.port, { assertions: [data('NOT_EMPTY')] }, {}, limits);
  assert.equal(verdictOf(late), 'failed timeout');
  assert.match(late.message ?? '', /^127\.0\.0\.1:\d+ did not respond within 200 ms$/);
  assert.equal(verdictOf(await inspect(silent.port, { assertions: [data('IS_EMPTY')] }, {}, limits)), 'passed');
  const closing = await startTcpTarget(t, (socket) => socket.end('bye'));
  const closed = await inspect(closing.port, { assertions: [data('CONTAINS', 'hello')] });
  assert.equal(closed.message, 'expected data to contain "hello", got "bye"');
  const slow = await startTcpTarget(t, (socket) => void setTimeout(() => socket.write('x'), 150));
  assert.equal(
    verdictOf(await inspect(slow.port, { assertions: [data('NOT_EMPTY')] }, {}, { degradedResponseTime: 100 })),
    'degraded slow',
  );
});

test('a negative assertion does not hold for a server that closes without data', async (t) => {
  const { port } = await startTcpTarget(t, (socket) => socket.end());
  for (const [comparison, target, verdict, regex = ''] of [
    ['NOT_CONTAINS', 'ERR', 'failed assertion'],
    ['NOT_EQUALS', 'ERR', 'failed assertion'],
    ['EQUALS', '', 'failed assertion'],
    ['CONTAINS', '', 'failed assertion'],
    ['IS_EMPTY', '', 'passed'],
    ['IS_NULL', '', 'passed', 'ERR'],
  ] as const) {
    assert.equal(
      verdictOf(await inspect(port, { assertions: [data(comparison, target, regex)] })),
      verdict,
      comparison,
    );
  }
  const finding = await inspect(port, { assertions: [data('NOT_CONTAINS', 'ERR')] });
  assert.equal(
    finding.message,
    'expected data not to contain "ERR", but the server closed the connection without sending data',
  );
  assert.equal(verdictOf(await inspect(port)), 'passed');
});

test('stops reading a flood when it has enough', async (t) => {
  const { port } = await startTcpTarget(t, (socket) => void socket.write('x'.repeat(300_000)));
  const finding = await inspect(port, { assertions: [data('CONTAINS', 'y')] });
  const { bytes, truncated } = describedKind('TCP', finding)['response'] as JsonObject;
  assert.deepEqual([verdictOf(finding), bytes, truncated], ['failed assertion', 65_536, true]);
});

test('negative assertions do not hold for unread data or a silent target', async (t) => {
  const long = await startTcpTarget(t, (socket) => void socket.end(`${'x'.repeat(70_000)}ERROR`));
  for (const assertion of [data('NOT_CONTAINS', 'ERR'), data('NOT_EQUALS', 'ERR'), data('IS_NULL', '', 'ERROR')]) {
    const cut = await inspect(long.port, { assertions: [assertion] });
    assert.equal(verdictOf(cut), 'failed assertion');
    assert.match(cut.message ?? '', /only the first 64 kB/);
  }
  assert.equal(verdictOf(await inspect(long.port, { assertions: [data('CONTAINS', 'xx')] })), 'passed');
  const silent = await startTcpTarget(t, () => {});
  const asked = { data: 'PING', assertions: [data('NOT_CONTAINS', 'ERR')] };
  assert.equal(verdictOf(await inspect(silent.port, asked, {}, { maxResponseTime: 300 })), 'failed timeout');
  const expected = { assertions: [data('IS_EMPTY')] };
  assert.equal(verdictOf(await inspect(silent.port, expected, {}, { maxResponseTime: 300 })), 'passed');
});

test('does not connect to a refused address, and a stopped probe has no verdict', async (t) => {
  let connections = 0;
  const { port } = await startTcpTarget(t, () => void connections++);
  assert.equal(verdictOf(await inspect(port, {}, { egress: { mode: 'public' } })), 'failed egress-refused');
  assert.equal(connections, 0);
});

test('sends secrets without showing them', async (t) => {
  const { port } = await startLines(t, (line, socket) => void socket.write(`you said ${line}`));
  const request = { data: 'AUTH {{PASSWORD}}', assertions: [data('CONTAINS', '{{PASSWORD}}')] };
  const finding = await inspect(port, request, { variables: [variable('PASSWORD', 'hunter22', true)] });
  assert.equal(verdictOf(finding), 'passed');
  assert.doesNotMatch(JSON.stringify([finding, describedKind('TCP', finding)]), /hunter22/);
  assert.match(JSON.stringify(describedKind('TCP', finding)), /you said AUTH \*{8}/);
});

test('rejects invalid settings, on save if possible', async () => {
  const request = { hostname: 'redis.example', port: 6379 };
  assert.deepEqual(problemsOfKind('TCP', { request }), []);
  for (const hostname of ['{{HOST}}', '::1', '[::1]', 'bücher.example']) {
    assert.deepEqual(problemsOfKind('TCP', { request: { ...request, hostname } }), []);
  }
  assert.match(problemsOfKind('TCP', { request: { ...request, hostname: 'tcp://x' } }).join(), /^request\.hostname: /);
  assert.match(
    problemsOfKind('TCP', { request: { ...request, hostname: 'redis.example:6379' } }).join(),
    /^request\.hostname: .* leave out scheme, port and path/,
  );
  for (const hostname of ['::1', '[::1]', 'fe80::1%eth0'])
    assert.deepEqual(problemsOfKind('TCP', { request: { ...request, hostname } }), []);
  assert.match(
    problemsOfKind('TCP', { request: { ...request, assertions: [data('HAS_KEY')] } }).join(),
    /not a comparison for RESPONSE_DATA/,
  );
  const finding = await inspect(1, { hostname: '{{HOST}}' });
  assert.deepEqual(
    [verdictOf(finding), finding.message],
    [
      'unknown settings',
      'request.hostname uses {{HOST}}, which is not defined for this check, its group or its account',
    ],
  );
});

test('limits the total time of evaluations to half a second', async (t) => {
  const { port } = await startTcpTarget(t, (socket) => {
    socket.setNoDelay(true);
    socket.write(`${'a'.repeat(60)}!`);
    const timer = setInterval(() => socket.write('!'), 2);
    socket.once('close', () => clearInterval(timer));
  });
  const before = process.threadCpuUsage();
  const hostile = { source: 'RESPONSE_DATA', property: '^(a|a)*$', comparison: 'NOT_EMPTY', target: '' };
  const finding = await inspect(port, { assertions: [hostile] }, {}, { maxResponseTime: 20_000 });
  const { user, system } = process.threadCpuUsage(before);
  assert.equal(verdictOf(finding), 'failed assertion');
  assert.match(finding.message ?? '', /500 ms that all assertions of a check share/);
  assert.ok(user + system < 2_500_000, `${user + system} µs`);
});
