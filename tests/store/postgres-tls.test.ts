// The way to a PostgreSQL that encrypts: what each sslmode accepts and refuses.
import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { readPostgresAddress } from '#lib/net/postgres-address.ts';
import { connectAlone, openConnections } from '#store/engines/postgres/connections.ts';
import { StoreUnavailableError } from '#store/base/unavailable.ts';
import { type Authority, createAuthority } from '../support/targets/certificates.ts';
import { type PostgresDatabase, type OwnPostgres, startPostgres } from '../support/postgres/postgres.ts';

const authority = createAuthority();
const stranger = createAuthority('Somebody else');
const folder = mkdtempSync(join(tmpdir(), 'tocsin-tls-'));
const trusted = join(folder, 'trusted.pem');
const foreign = join(folder, 'foreign.pem');
let server: OwnPostgres;
let database: PostgresDatabase;
before(async () => {
  writeFileSync(trusted, authority.cert);
  writeFileSync(foreign, stranger.cert);
  server = await startPostgres(authority.issue({ names: ['localhost'] }));
  database = await server.newDatabase();
});
after(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

/** Whether the connection is encrypted, as the server sees it. */
async function isEncrypted(options: string, host = '127.0.0.1'): Promise<boolean> {
  const url = `${database.url.replace('127.0.0.1', host)}?${options}`;
  const connections = await openConnections(readPostgresAddress(url));
  try {
    const [row] = await connections.transaction((session) =>
      session.query<{ ssl: boolean }>('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()'),
    );
    return row?.ssl === true;
  } finally {
    await connections.close();
  }
}

describe('a PostgreSQL that encrypts', () => {
  for (const [what, options, host] of [
    ['without any sslmode', () => '', '127.0.0.1'],
    ['with require, any server', () => 'sslmode=require', '127.0.0.1'],
    ['with verify-ca, under another name', () => `sslmode=verify-ca&sslrootcert=${trusted}`, '127.0.0.1'],
    ['with verify-full, under its own name', () => `sslmode=verify-full&sslrootcert=${trusted}`, 'localhost'],
  ] as const) {
    it(`is reached ${what}`, async () => {
      assert.equal(await isEncrypted(options(), host), true);
    });
  }

  for (const [what, options, why] of [
    ['with disable', () => 'sslmode=disable', /no encryption|pg_hba/],
    ['with verify-full, under another name', () => `sslmode=verify-full&sslrootcert=${trusted}`, /127\.0\.0\.1/],
    ['with verify-ca, signed by somebody else', () => `sslmode=verify-ca&sslrootcert=${foreign}`, /certificate|verif/],
    ['with verify-full, signed by nobody known', () => 'sslmode=verify-full', /certificate|verif/],
    [
      'with a file of authorities that is not there',
      () => 'sslmode=verify-ca&sslrootcert=/nowhere.pem',
      /nowhere\.pem/,
    ],
  ] as const) {
    it(`is refused ${what}`, async () => {
      await assert.rejects(
        isEncrypted(options()),
        (error) => error instanceof StoreUnavailableError && why.test(error.message),
      );
    });
  }
});

describe('a PostgreSQL that asks who connects for a certificate', () => {
  let asking: OwnPostgres;
  before(async () => {
    // Others than we are run the server, and read its rules.
    chmodSync(folder, 0o755);
    const rules = join(folder, 'rules.conf');
    writeFileSync(rules, 'local all all trust\nhostssl all all all scram-sha-256 clientcert=verify-ca\n');
    const settings = { hba_file: rules, ssl_ca_file: trusted };
    asking = await startPostgres(authority.issue({ names: ['localhost'] }), undefined, settings);
    database = await asking.newDatabase();
  });
  after(() => asking.stop());

  /** sslcert and sslkey, with a certificate that somebody signed. */
  const ownCertificate = (signer: Authority): string => {
    const { key, cert } = signer.issue({ names: ['tocsin'] });
    const [certFile, keyFile] = [join(folder, 'own.crt'), join(folder, 'own.key')];
    writeFileSync(certFile, cert);
    writeFileSync(keyFile, key, { mode: 0o600 });
    return `sslcert=${certFile}&sslkey=${keyFile}`;
  };

  it('is reached with one that its authority signed, by the pool and by who listens', async () => {
    const options = `sslmode=verify-full&sslrootcert=${trusted}&${ownCertificate(authority)}`;
    assert.equal(await isEncrypted(options, 'localhost'), true);
    const url = `${database.url.replace('127.0.0.1', 'localhost')}?${options}`;
    const client = await connectAlone(readPostgresAddress(url), () => {});
    await client.end();
  });

  it('is refused without one, with one that somebody else signed, and with one that is not there', async () => {
    for (const [options, why] of [
      ['sslmode=require', /client certificate/],
      [`sslmode=require&${ownCertificate(stranger)}`, /unknown ca|client certificate/],
      ['sslmode=require&sslcert=/nowhere.crt&sslkey=/nowhere.key', /nowhere\.crt/],
    ] as const) {
      await assert.rejects(
        isEncrypted(options),
        (error) => error instanceof StoreUnavailableError && why.test(error.message),
        options,
      );
    }
  });
});

describe('a PostgreSQL that does not encrypt', () => {
  it('is reached in plain unless encryption is asked for', async () => {
    const plain = await startPostgres();
    try {
      database = await plain.newDatabase();
      assert.equal(await isEncrypted(''), false);
      await assert.rejects(isEncrypted('sslmode=require'), /does not support SSL/);
    } finally {
      await plain.stop();
    }
  });
});
