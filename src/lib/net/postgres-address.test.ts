// PostgreSQL addresses: every valid part, and errors for invalid ones.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readPostgresAddress, shownAddress } from './postgres-address.ts';

describe('a PostgreSQL address', () => {
  it('is parsed with all of its parts', () => {
    assert.deepEqual(
      readPostgresAddress(
        'postgresql://me:p%40ss%2F%3F%23%25@db.example.com:6432/shop%20db?sslmode=verify-full&sslrootcert=/ca.pem',
      ),
      {
        host: 'db.example.com',
        port: 6432,
        user: 'me',
        password: 'p@ss/?#%',
        database: 'shop db',
        sslMode: 'verify-full',
        sslRootCert: '/ca.pem',
        sslCert: null,
        sslKey: null,
      },
    );
  });

  it('can name the folder of a Unix socket, as an option or as the host', () => {
    assert.equal(readPostgresAddress('postgres://me@/db?host=/run/postgresql').host, '/run/postgresql');
    const address = readPostgresAddress('postgres://me@%2Frun%2Fpostgresql/db');
    assert.deepEqual([address.host, address.port, address.password], ['/run/postgresql', 5432, null]);
  });

  it('can contain an IPv6 address', () => {
    assert.equal(readPostgresAddress('postgres://me@[::1]:5433/db').host, '::1');
  });

  for (const [text, why] of [
    ['postgres://me:pa#ss@db/x', /%3A for :|contains #/],
    ['postgres://me:p%zz@db/x', /%25/],
    ['postgres://me@/x', /no host/],
    ['postgres://a,b/x', /several hosts|no user/],
    ['postgres://me@a,b/x', /several hosts/],
    ['postgres://db/x', /no user/],
    ['postgres://me@db', /no database/],
    ['postgres://me@db/', /no database/],
    ['postgres://me@db/x?sslmode=always', /sslmode is invalid; use one of disable, prefer/],
    ['postgres://me@db/x?pool=3', /unknown option pool; use host, sslmode/],
    ['postgres:me@db/x', /not a valid URL/],
  ] as const) {
    it(`${text} is rejected with a reason`, () => {
      assert.throws(() => readPostgresAddress(text), why);
    });
  }

  it('never shows its password', () => {
    const address = readPostgresAddress('postgres://me:canary@db/x');
    assert.equal(shownAddress(address), 'postgres://me@db:5432/x');
    for (const odd of ['postgres://me:canary@db/x?y=1', 'postgres://me:can%zzary@db/x', 'postgres://me:canary@a,b/x']) {
      assert.throws(
        () => readPostgresAddress(odd),
        (error: Error) => !error.message.includes('canary') && !error.message.includes('ary@'),
      );
    }
  });
});
