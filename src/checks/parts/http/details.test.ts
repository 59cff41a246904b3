// Compact storage of HTTP results, which decodes to the original.
import assert from 'node:assert/strict';
import test from 'node:test';
import { type ApiDetails, decodeDetails, encodeDetails } from './details.ts';

const usual: ApiDetails = {
  status: 200,
  statusText: 'OK',
  address: '203.0.113.10',
  protocol: { http: '1.1', tls: null, cipher: null },
  phases: { wait: 0, dns: 1.234, tcp: 12.345, tls: 0, firstByte: 45.678, download: 0.91 },
  sizes: { headers: 310, body: 1256, decoded: 1256 },
  truncated: false,
  redirects: [],
  assertions: [
    outcome('STATUS_CODE', 'EQUALS', '', '200', '200', 'status code equals 200'),
    outcome('RESPONSE_TIME', 'LESS_THAN', '', '1000', '60.167', 'response time in ms is less than 1000'),
    outcome('JSON_BODY', 'EQUALS', '$.status', 'ok', 'ok', '$.status equals "ok"'),
  ],
};

function outcome(
  source: 'STATUS_CODE' | 'RESPONSE_TIME' | 'JSON_BODY' | 'HEADERS',
  comparison: 'EQUALS' | 'LESS_THAN' | 'NOT_EMPTY',
  property: string,
  target: string,
  actual: string | null,
  message: string,
) {
  return { source, comparison, property, target, regex: null, actual, problem: null, passed: true, message };
}

test('details of a typical passed result are small and decode unchanged', () => {
  const stored = encodeDetails(usual);
  assert.deepEqual(decodeDetails(JSON.parse(JSON.stringify(stored))), usual);
  const { length } = JSON.stringify(stored);
  assert.equal(length <= 110, true, `${length} bytes: ${JSON.stringify(stored)}`);
});

test('unusual details decode unchanged', () => {
  const unusual: ApiDetails = {
    ...usual,
    status: 418,
    statusText: 'Kettle',
    protocol: { http: '1.0', tls: 'TLSv1.3', cipher: 'TLS_MADE_UP' },
    phases: { ...usual.phases, wait: 5.5, tls: 30.001 },
    sizes: { headers: 1, body: 10, decoded: 1000 },
    truncated: true,
    redirects: [{ status: 302, location: 'https://there.test/' }],
    assertions: [
      {
        ...outcome('JSON_BODY', 'EQUALS', '$.a', 'x', 'y', 'expected $.a to equal "x", got "y"'),
        passed: false,
      },
      {
        ...outcome('JSON_BODY', 'EQUALS', '$.a', 'x', null, 'expected $.a to equal "x", but the body is not JSON'),
        problem: 'the body is not JSON',
        passed: false,
      },
      {
        ...outcome('HEADERS', 'NOT_EMPTY', 'x-a', '', '7', 'header x-a (the match of /\\d/) is not empty'),
        regex: '\\d',
      },
    ],
  };
  assert.deepEqual(decodeDetails(JSON.parse(JSON.stringify(encodeDetails(unusual)))), unusual);
});

test('missing and invalid details decode as no response', () => {
  const none: ApiDetails = { ...usual, status: null, statusText: null, protocol: null, assertions: [] };
  assert.deepEqual(decodeDetails(encodeDetails(none)), none);
  for (const strange of [null, {}, 'text', [], [null, 1, 'x', [], {}, 0, 0, 0, 0, [1, ['a']], 3]]) {
    assert.equal(decodeDetails(strange).status, null);
  }
});
