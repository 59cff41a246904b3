// Attribution of failed probes to the target or to this machine.
import assert from 'node:assert/strict';
import test from 'node:test';
import { connectFault, resolveFault, spoken, streamFault, timeoutFault } from './fault.ts';

function coded(code: string): Error {
  return Object.assign(new Error(`connect ${code} at Object.<anonymous>`), { code });
}

test('no route to any address is our fault, one refusing address is not', () => {
  const lost = connectFault([coded('ENETUNREACH'), coded('ENETUNREACH')], 'a.test:80', 1);
  assert.deepEqual(lost, { reason: 'observer-network', message: 'this machine has no network route to a.test:80' });
  assert.equal(connectFault([coded('ECONNREFUSED'), coded('ENETUNREACH')], 'a.test:80', 1).reason, 'connect');
  for (const missing of ['EADDRNOTAVAIL', 'EAFNOSUPPORT']) {
    const down = { reason: 'connect', message: 'connection refused by a.test:80 after 1 ms' };
    assert.deepEqual(connectFault([coded('ECONNREFUSED'), coded(missing)], 'a.test:80', 1), down, missing);
    assert.deepEqual(connectFault([coded(missing), coded('ECONNREFUSED')], 'a.test:80', 1), down, missing);
    assert.equal(connectFault([coded(missing)], 'a.test:80', 1).reason, 'observer-network');
  }
  assert.equal(connectFault([coded('ECONNREFUSED'), coded('EMFILE')], 'a.test:80', 1).reason, 'observer-network');
  assert.equal(connectFault([coded('EMFILE')], 'a.test:80', 1).reason, 'observer-network');
});

test('a silent resolver is our fault only without any network', () => {
  assert.equal(resolveFault(coded('ETIMEOUT'), 'a.test', 5, () => false).reason, 'observer-network');
  assert.equal(resolveFault(coded('ENOTFOUND'), 'a.test', 5, () => false).reason, 'dns');
  const silent = resolveFault(coded('ETIMEOUT'), 'a.test', 5, () => true);
  assert.deepEqual(silent, {
    reason: 'dns',
    message: 'a.test could not be resolved: no name server responded (after 5 ms)',
    timeMarginMs: 500,
    unresolved: 'a.test',
  });
});

test('formats durations', () => {
  assert.deepEqual([0.123, 3, 42.6, 2000, 9999, 12_345].map(spoken), [
    '0.1 ms',
    '3 ms',
    '43 ms',
    '2 s',
    '9.999 s',
    '12.3 s',
  ]);
});

test('a timeout names the unfinished step and its limit', () => {
  const sentences = (['dns', 'connect', 'tls', 'firstByte', 'download'] as const).map(
    (phase) => timeoutFault(2000, phase, 'a.test:443').message,
  );
  assert.deepEqual(sentences, [
    'the name lookup for a.test did not finish within 2 s',
    'the connection to a.test:443 was not established within 2 s',
    'the TLS handshake with a.test:443 did not finish within 2 s',
    'a.test:443 did not respond within 2 s',
    'the response from a.test:443 was not complete within 2 s',
  ]);
});

test('no message contains a code of Node.js, OpenSSL or the parser', () => {
  const codes =
    'ECONNRESET EPIPE ETIMEDOUT EHOSTUNREACH EPROTO HPE_CB_MESSAGE_BEGIN HPE_INVALID_CONSTANT ENOANO ERR_SSL_NEW';
  for (const code of codes.split(' ')) {
    for (const phase of ['tls', 'firstByte', 'download'] as const) {
      const { message } = streamFault(coded(code), 'a.test:443', phase, 5);
      assert.doesNotMatch(message, /[A-Z]{5,}|_/, `${code}: ${message}`);
    }
    for (const fault of [connectFault([coded(code)], 'a.test:443', 5), resolveFault(coded(code), 'a.test', 5)])
      assert.doesNotMatch(fault.message, /[A-Z]{5,}|_/, `${code}: ${fault.message}`);
  }
});
