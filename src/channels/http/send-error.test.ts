// Messages of failed attempts, without stack traces.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeFailure } from './send-error.ts';

function failure(code: string, more: object = {}): Error {
  return Object.assign(new Error(`${code} happened\n    at secret (/path/file.ts:1:1)`), { code, ...more });
}

const table: readonly (readonly [error: unknown, kind: string, message: RegExp])[] = [
  [
    failure('ECONNREFUSED', { address: '127.0.0.1', port: 9 }),
    'connect',
    /^connection refused by 127\.0\.0\.1:9 after 3 ms$/,
  ],
  [failure('ECONNREFUSED', { address: '::1', port: 9 }), 'connect', /^connection refused by \[::1\]:9 after 3 ms$/],
  [failure('EHOSTUNREACH'), 'connect', /^no route to h\.example:443 after 3 ms$/],
  [
    new AggregateError([failure('ENETUNREACH'), failure('ECONNREFUSED', { address: '10.0.0.1', port: 1 })]),
    'connect',
    /10\.0\.0\.1:1/,
  ],
  [failure('UND_ERR_CONNECT_TIMEOUT'), 'connect', /^connection attempt timed out at h\.example:443/],
  [failure('ENOTFOUND'), 'dns', /^h\.example cannot be resolved: no such name \(ENOTFOUND\)$/],
  [failure('EAI_AGAIN'), 'dns', /^h\.example cannot be resolved: the name server failed \(EAI_AGAIN\)$/],
  [
    failure('ERR_SSL_WRONG_VERSION_NUMBER'),
    'tls',
    /^TLS handshake with h\.example:443 failed after 3 ms: the server did not answer in TLS$/,
  ],
  [failure('ERR_SSL_NEW_REASON'), 'tls', /could not agree on a secure connection$/],
  [failure('ECONNRESET'), 'reset', /h\.example:443 closed the connection after 3 ms/],
  [failure('EPIPE'), 'reset', /closed the connection/],
  [failure('UND_ERR_SOCKET'), 'reset', /closed the connection/],
  [failure('EGRESS_REFUSED'), 'egress-refused', /^EGRESS_REFUSED happened/],
  [failure('UND_ERR_DESTROYED'), 'interrupted', /^the process is stopping$/],
  [failure('UND_ERR_INVALID_ARG'), 'protocol', /^the request cannot be sent: /],
  [new Error('something else'), 'protocol', /^h\.example:443 sent an invalid response: something else$/],
];

for (const [error, kind, message] of table) {
  test(`${(error as { code?: string }).code ?? String(error)} is reported as ${kind}, without a stack trace`, () => {
    const reported = describeFailure(error, 'https://h.example', 3);
    assert.equal(reported.class, kind);
    assert.match(reported.message, message);
    if (kind !== 'egress-refused') assert.ok(!reported.message.includes('\n'));
  });
}
