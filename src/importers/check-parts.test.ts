// Parts of imported checks mean the same as in the other product, or a note says what differs.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  hostOf,
  hostPort,
  httpRequest,
  interval,
  retries,
  statusAssertions,
  statusRange,
  timeout,
} from './check-parts.ts';

const noted = <Value>(read: (notes: string[]) => Value): readonly [Value, readonly string[]] => {
  const notes: string[] = [];
  return [read(notes), notes];
};

test('an interval is the nearest one, the shorter of two, and a note says so', () => {
  assert.deepEqual(
    noted((notes) => interval(300, notes)),
    [{ frequency: 5 }, []],
  );
  assert.deepEqual(
    noted((notes) => interval(45, notes)),
    [{ frequency: 0, frequencyOffset: 30 }, ['runs every 30 s instead of 45 s']],
  );
  assert.deepEqual(
    noted((notes) => interval(172_800, notes)),
    [{ frequency: 1440 }, ['runs every 1 d instead of 2 d']],
  );
});

test('accepted statuses exclude the codes between them as far as a check can', () => {
  const statuses = (ranges: readonly (readonly [number, number])[]) =>
    noted((notes) => statusAssertions(ranges, notes));
  assert.deepEqual(statuses([[200, 200]])[0].assertions, [
    { source: 'STATUS_CODE', comparison: 'EQUALS', target: '200' },
  ]);
  const [gap, none] = statuses([
    [200, 299],
    [301, 301],
  ]);
  assert.deepEqual([gap.assertions.at(-1)?.target, gap.shouldFail, none], ['300', false, []]);
  const [wide, notes] = statuses([
    [200, 299],
    [404, 404],
  ]);
  assert.deepEqual([wide.assertions.length, wide.shouldFail, notes.length], [2, true, 1]);
  assert.deepEqual(['200', '2xx', '200-204', '99', 'x'].map(statusRange), [
    [200, 200],
    [200, 299],
    [200, 204],
    null,
    null,
  ]);
});

test('limits of Tocsin are kept, and named', () => {
  assert.deepEqual(
    noted((notes) => timeout(48, 5000, notes)),
    [{ maxResponseTime: 30_000 }, ['times out after 30 s instead of 48 s']],
  );
  assert.deepEqual(noted((notes) => timeout(1, 5000, notes))[0], { maxResponseTime: 1000, degradedResponseTime: 1000 });
  assert.deepEqual(noted((notes) => retries(20, 100, notes))[1], [
    'retries 10 times instead of 20 times',
    'retries end after 10 min',
  ]);
});

test('hosts and ports are read from targets of all forms', () => {
  assert.deepEqual(hostPort('tcp://[2001:db8::1]:22'), { hostname: '2001:db8::1', port: 22 });
  assert.deepEqual(hostPort('shop.example'), null);
  assert.deepEqual(hostPort('shop.example:70000'), null);
  assert.equal(hostOf('https://shop.example/a?b'), 'shop.example');
});

test('secrets in headers are locked, and templates of Tocsin in a request are pointed out', () => {
  const [request, notes] = noted((all) =>
    httpRequest(
      {
        url: 'https://shop.example/{{x}}',
        headers: [
          ['Authorization', 'x'],
          ['accept', 'y'],
        ],
        assertions: [],
      },
      all,
    ),
  );
  assert.deepEqual(request?.['headers'], [
    { key: 'Authorization', value: 'x', locked: true },
    { key: 'accept', value: 'y' },
  ]);
  assert.equal(notes.length, 1);
  assert.equal(noted((all) => httpRequest({ url: 'ftp://x', assertions: [] }, all))[0], null);
});
