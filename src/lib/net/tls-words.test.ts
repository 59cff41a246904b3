// Messages for failed TLS handshakes: plain words for each code, without OpenSSL's text.
import assert from 'node:assert/strict';
import test from 'node:test';
import { handshakeWords } from './tls-words.ts';

test('a TLS failure is described by what the server did, for any TLS version', () => {
  const words: readonly (readonly [string, string])[] = [
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'the server did not answer in TLS'],
    ['ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', 'the server supports no TLS version that Tocsin accepts'],
    [
      'ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE',
      'the server accepts none of the offered TLS versions and ciphers, or it requires a client certificate',
    ],
    [
      'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED',
      'the server requires a client certificate; create one for its host with POST /v1/client-certificates',
    ],
    ['ERR_SSL_TLSV1_ALERT_UNKNOWN_CA', 'the server rejected the client certificate'],
    ['ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL', 'the server does not support HTTP/1.1; it may support only HTTP/2'],
    ['ERR_SSL_SOMETHING_NEW', 'the server and Tocsin could not agree on a secure connection'],
  ];
  for (const [code, sentence] of words) assert.equal(handshakeWords(code), sentence);
});
