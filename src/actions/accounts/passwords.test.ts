// Password hashing: verification, and the limit on waiting hashes.
import assert from 'node:assert/strict';
import { argon2Sync } from 'node:crypto';
import { test } from 'node:test';
import { Refusal } from '../refusal.ts';
import { createPasswords } from './passwords.ts';

test('a hash matches only its own password, in any Unicode normalization form', async () => {
  const passwords = createPasswords();
  const hash = await passwords.hash('caf\u00e9 long enough');
  assert.equal(await passwords.matches('cafe\u0301 long enough', hash), true);
  assert.equal(await passwords.matches('cafe long enough', hash), false);
  assert.equal(await passwords.userWith('caf\u00e9 long enough', []), null);
  assert.notEqual(hash, await passwords.hash('caf\u00e9 long enough'), 'each hash has its own salt');
  assert.equal(passwords.isOutdated(hash), false);
});

test('of several users, the one with the password is found; those with one email address share a salt', async () => {
  const passwords = createPasswords();
  const first = { passwordHash: await passwords.hash('first long password') };
  const second = { passwordHash: await passwords.hash('second long password', [first]) };
  assert.equal(second.passwordHash.split('$')[4], first.passwordHash.split('$')[4]);
  const other = { passwordHash: await passwords.hash('third long password') };
  const known = [first, second, other];
  assert.equal(await passwords.userWith('second long password', known), second);
  assert.equal(await passwords.userWith('third long password', known), other);
  assert.equal(await passwords.userWith('fourth long password', known), null);
});

test('a hash with other parameters still matches and is reported as outdated', async () => {
  const passwords = createPasswords();
  const nonce = Buffer.alloc(16, 1);
  const parameters = { memory: 1024, passes: 1, parallelism: 1, tagLength: 32 };
  const tag = argon2Sync('argon2id', { ...parameters, nonce, message: 'an old password' });
  const text = (bytes: Buffer): string => bytes.toString('base64').replaceAll('=', '');
  const hash = `$argon2id$v=19$m=1024,t=1,p=1$${text(nonce)}$${text(tag)}`;
  assert.equal(await passwords.matches('an old password', hash), true);
  assert.equal(await passwords.matches('another password', hash), false);
  assert.equal(passwords.isOutdated(hash), true);
});

test('rejects a password at once while the queue is full, and accepts one afterwards', async () => {
  const passwords = createPasswords({ atOnce: 1, waitingMax: 2 });
  const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => passwords.hash('correct horse')));
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'fulfilled', 'rejected', 'rejected'],
  );
  const reason: unknown = outcomes[4]?.status === 'rejected' ? outcomes[4].reason : null;
  assert.ok(reason instanceof Refusal);
  assert.deepEqual([reason.code, reason.retryAfterSeconds], ['unavailable', 5]);
  await passwords.hash('correct horse');
});
