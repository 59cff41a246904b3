// Messages about failed TLS connections, for checks and webhooks. Never OpenSSL's own texts.
import type { X509Certificate } from 'node:crypto';
import { type CertificatePath, roleIn } from './tls-trust.ts';

/**
 * Why the certificate of a server is rejected.
 * @param path null = the server sent no certificate
 * @param code the socket's `authorizationError`
 * @param now epoch ms
 */
export function certificateSentence(path: CertificatePath | null, code: string, host: string, now: number): string {
  if (path === null) return `${host} sent no certificate`;
  const about = path.find((each) => dateError(each, now) === code) ?? path[0];
  return `the ${roleIn(path, about) ?? 'certificate'} of ${host} ${certificateWords(code, about, path)}`;
}

/** OpenSSL's code for a certificate that has expired or is not valid yet; null = it is valid. @param now epoch ms */
export function dateError({ validFrom, validTo }: X509Certificate, now: number): string | null {
  if (Date.parse(validTo) < now) return 'CERT_HAS_EXPIRED';
  return Date.parse(validFrom) > now ? 'CERT_NOT_YET_VALID' : null;
}

/** Advice for a certificate of an unknown CA. */
export const trustHint =
  'The server may not be sending its intermediate certificate. To trust a private CA, set TOCSIN_CA_FILE or NODE_EXTRA_CA_CERTS.';

function certificateWords(code: string, about: X509Certificate, path: CertificatePath): string {
  const last = path.at(-1) ?? about;
  const issuer = last.issuer.replaceAll('\n', ', ').slice(0, 200);
  switch (code) {
    case 'CERT_HAS_EXPIRED':
      return `expired on ${formatDay(about.validTo)}`;
    case 'CERT_NOT_YET_VALID':
      return `is not valid before ${formatDay(about.validFrom)}`;
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
    case 'HOSTNAME_MISMATCH':
      return `is for another name: ${(about.subjectAltName ?? about.subject.replaceAll('\n', ', ')).slice(0, 200)}`;
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
      return 'is self-signed';
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'UNABLE_TO_GET_ISSUER_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
      return `is signed by an unknown CA: ${issuer}. ${trustHint}`;
    case 'CERT_SIGNATURE_FAILURE':
      return 'has an invalid signature';
    case 'CERT_REVOKED':
      return 'is revoked';
    case 'INVALID_CA':
      return 'is signed by a certificate that may not sign others';
    case 'INVALID_PURPOSE':
      return 'is not meant for servers';
    case 'CERT_CHAIN_TOO_LONG':
    case 'PATH_LENGTH_EXCEEDED':
      return 'has too long a certificate chain';
    default:
      return 'is not trusted';
  }
}

/** The date of a certificate, `2026-11-26`. */
export function formatDay(text: string): string {
  const at = Date.parse(text);
  return Number.isNaN(at) ? 'an unknown day' : new Date(at).toISOString().slice(0, 10);
}

const noTls = 'the server did not answer in TLS';
const noVersion = 'the server supports no TLS version that Tocsin accepts';
const noCipher = 'the server accepts none of the offered TLS versions and ciphers';
/** Before TLS 1.3 this alert is ambiguous. */
const refused = `${noCipher}, or it requires a client certificate`;
const needsClient =
  'the server requires a client certificate; create one for its host with POST /v1/client-certificates';
const rejectsClient = 'the server rejected the client certificate';
const weakKey = 'the server uses a key or signature that is too weak';
const damaged = 'the server sent data that cannot be decrypted';

/** OpenSSL's reason, without `ERR_SSL_` and the version before `ALERT_`. */
const reasons: Readonly<Record<string, string>> = {
  WRONG_VERSION_NUMBER: noTls,
  PACKET_LENGTH_TOO_LONG: noTls,
  RECORD_LAYER_FAILURE: noTls,
  HTTP_REQUEST: noTls,
  UNEXPECTED_MESSAGE: noTls,
  BAD_RECORD_TYPE: noTls,
  UNSUPPORTED_PROTOCOL: noVersion,
  VERSION_TOO_LOW: noVersion,
  NO_PROTOCOLS_AVAILABLE: noVersion,
  ALERT_PROTOCOL_VERSION: noVersion,
  ALERT_HANDSHAKE_FAILURE: refused,
  NO_SHARED_CIPHER: noCipher,
  NO_CIPHERS_AVAILABLE: noCipher,
  ALERT_INSUFFICIENT_SECURITY: noCipher,
  ALERT_CERTIFICATE_REQUIRED: needsClient,
  ALERT_BAD_CERTIFICATE: rejectsClient,
  ALERT_UNKNOWN_CA: rejectsClient,
  ALERT_CERTIFICATE_UNKNOWN: rejectsClient,
  ALERT_CERTIFICATE_EXPIRED: rejectsClient,
  ALERT_CERTIFICATE_REVOKED: rejectsClient,
  ALERT_UNSUPPORTED_CERTIFICATE: rejectsClient,
  ALERT_NO_CERTIFICATE: needsClient,
  ALERT_ACCESS_DENIED: 'the server denied access',
  ALERT_INTERNAL_ERROR: 'the server reported an internal error',
  ALERT_NO_APPLICATION_PROTOCOL: 'the server does not support HTTP/1.1; it may support only HTTP/2',
  UNRECOGNIZED_NAME: 'the server has no certificate for this name',
  ALERT_UNRECOGNIZED_NAME: 'the server has no certificate for this name',
  DH_KEY_TOO_SMALL: weakKey,
  EE_KEY_TOO_SMALL: weakKey,
  CA_KEY_TOO_SMALL: weakKey,
  CA_MD_TOO_WEAK: weakKey,
  EE_MD_TOO_WEAK: weakKey,
  WRONG_SIGNATURE_TYPE: weakKey,
  BAD_SIGNATURE: 'the server does not hold the key of its certificate',
  DECRYPTION_FAILED_OR_BAD_RECORD_MAC: damaged,
  ALERT_BAD_RECORD_MAC: damaged,
  ALERT_DECRYPT_ERROR: damaged,
  UNEXPECTED_EOF_WHILE_READING: 'the server closed the connection',
  UNSAFE_LEGACY_RENEGOTIATION_DISABLED: 'the server supports only insecure legacy renegotiation',
};

/** Why a TLS handshake failed. @param code code of the error */
export function handshakeWords(code: string): string {
  const reason = code.replace(/^ERR_(SSL|TLS)_/, '').replace(/^(?:SSL\/TLS|SSLV\d+|TLSV\d+)_/, '');
  return reasons[reason] ?? 'the server and Tocsin could not agree on a secure connection';
}

/** Whether an error code is about TLS. */
export function isTlsCode(code: string): boolean {
  return /^(ERR_TLS|ERR_SSL|EPROTO)/.test(code);
}
