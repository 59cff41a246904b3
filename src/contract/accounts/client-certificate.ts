// Client certificates in the API (reference §4.7: client certificate).
import { z } from 'zod';
import { creating, readOnlyFields } from '#lib/schema/bodies.ts';
import { instant } from '#lib/schema/fields.ts';
import { usualOperations } from '../usual-operations.ts';
import { tagged, type Untagged } from '../operation.ts';

const pem = z.string().min(1).max(32_768);

export const clientCertificate = z
  .strictObject({
    id: z.string(),
    host: z.string(),
    cert: z.string(),
    ca: z.string().nullable(),
    expiresAt: instant.describe('Expiry of `cert`.'),
    created_at: instant,
  })
  .meta({
    id: 'ClientCertificate',
    description: 'A certificate that Tocsin presents to a host. The private key is never returned.',
  });
export type ClientCertificateBody = z.output<typeof clientCertificate>;

export const clientCertificateCreate = z.strictObject({
  host: z
    .string()
    .min(1)
    .max(253)
    .describe('Host to present the certificate to, without a port. `*.shop.example` matches all of its subdomains.'),
  cert: pem.describe('Certificate in PEM format, followed by its chain.'),
  ca: pem.nullable().default(null).describe('Additional CA certificates in PEM format to trust for this host.'),
  key: pem.describe('Private key in PEM format. Never returned.'),
  passphrase: z.string().max(1024).nullable().default(null).describe('Passphrase of the private key. Never returned.'),
});

const params = z.object({ id: z.string().max(100).describe('ID of the certificate.') });
const usual = usualOperations({
  path: '/v1/client-certificates',
  params,
  shown: clientCertificate,
  unknown: 'Unknown client certificate.',
});

export const clientCertificateOperations = tagged('Client certificates', {
  listClientCertificates: {
    method: 'GET',
    path: '/v1/client-certificates',
    summary: 'List all client certificates',
    permission: 'read',
    response: z.array(clientCertificate),
  },
  createClientCertificate: {
    ...usual.create,
    summary: 'Create a client certificate',
    description:
      'Checks and webhooks of the account present it when a server of the host requests a client certificate. Replaces an existing certificate of the same host; the new one has a new ID.',
    body: creating([...readOnlyFields, 'expiresAt'], clientCertificateCreate),
    example: {
      host: 'shop.example',
      cert:
        '-----BEGIN CERTIFICATE-----\n' +
        'MIIBPjCB5aADAgECAgIBAjAKBggqhkjOPQQDAjAVMRMwEQYDVQQDDApFeGFtcGxl\n' +
        'IENBMCIYDzIwMjYwMTAxMDAwMDAwWhgPMjA0OTAxMDEwMDAwMDBaMBkxFzAVBgNV\n' +
        'BAMMDnRvY3Npbi5leGFtcGxlMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEmJ/t\n' +
        'nlcnxR6hkGWIPPlNFjcRhLqS1t8QYoY0s9NSlmvdY6tjMxHiRbVbZnQsAacwpqps\n' +
        'FRoBEpJwbXBo7IpHV6MdMBswGQYDVR0RBBIwEIIOdG9jc2luLmV4YW1wbGUwCgYI\n' +
        'KoZIzj0EAwIDSAAwRQIgLMVSRKyfcoIUo/IuLM7Wv1114adTNPS8wLyO0uPpHRkC\n' +
        'IQCdLFXnAJNvSCt/rxDAPe3S05eZ2nsAhxIm3SStc1ejMA==\n' +
        '-----END CERTIFICATE-----\n',
      key:
        '-----BEGIN PRIVATE KEY-----\n' +
        'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQguExeFOIPx+WkUvK5\n' +
        '9SYuEpvm0ryxuZgctP+O5zgAx5ShRANCAASYn+2eVyfFHqGQZYg8+U0WNxGEupLW\n' +
        '3xBihjSz01KWa91jq2MzEeJFtVtmdCwBpzCmqmwVGgESknBtcGjsikdX\n' +
        '-----END PRIVATE KEY-----\n',
    },
  },
  getClientCertificate: { ...usual.get, summary: 'Get a client certificate' },
  deleteClientCertificate: { ...usual.remove, summary: 'Delete a client certificate' },
} as const satisfies Untagged);
