// Client certificates as they are kept: secrets sealed, bounded, and part of what the runs of their account see.
import assert from 'node:assert/strict';
import type { ClientIdentity } from '#domain/accounts/client-certificate.ts';
import { test } from '../support/store/each-engine.ts';
import { putAccount } from '../support/store/rows.ts';
import { PathUnderTest } from './path-under-test.ts';

const identity: ClientIdentity = {
  host: 'shop.example',
  cert: 'a certificate',
  ca: null,
  key: 'canary+client/key==7Q',
  passphrase: 'canary+client/passphrase==7Q',
};

test('a client certificate is kept with its secrets sealed, once per host, by its account alone', async (newStore) => {
  await using temp = await newStore();
  const { clientCertificates } = temp.store;
  const [accountId, otherId] = [putAccount(temp.raw), putAccount(temp.raw)];
  const added = await clientCertificates.add(accountId, identity);
  assert.deepEqual(added, { ...identity, accountId, id: added.id, createdAt: temp.clock.now() });
  assert.deepEqual(await clientCertificates.all(accountId), [added]);
  assert.deepEqual(await clientCertificates.all(otherId), []);
  const [row] = temp.raw.prepare('SELECT * FROM client_certificates').all();
  assert.doesNotMatch(JSON.stringify(row), /canary/);
  const other = await clientCertificates.add(otherId, identity);
  const renewed = await clientCertificates.add(accountId, { ...identity, cert: 'a newer certificate' });
  assert.deepEqual(await clientCertificates.all(accountId), [renewed]);
  assert.deepEqual(await clientCertificates.all(otherId), [other]);
  assert.notEqual(renewed.id, added.id);
  const second = await clientCertificates.add(accountId, { ...identity, host: '*.example', passphrase: null });
  assert.equal(second.passphrase, null);
  assert.equal(await clientCertificates.remove(otherId, renewed.id), false);
  assert.equal(await clientCertificates.remove(accountId, 'no id'), false);
  assert.equal(await clientCertificates.remove(accountId, renewed.id), true);
  assert.equal(await clientCertificates.remove(accountId, added.id), false);
  assert.deepEqual(await clientCertificates.all(accountId), [second]);
});

test('the runs of an account see its client certificates as they are when they begin', async (newStore) => {
  await using test = await PathUnderTest.open(newStore);
  await test.check();
  const seen: (readonly ClientIdentity[] | undefined)[] = [];
  const inspect = async (): Promise<void> => {
    await test.schedule();
    const [claimed] = await test.claim();
    assert.ok(claimed !== undefined);
    seen.push(claimed.context?.clientCertificates);
    await test.record([test.ended(claimed, 'passed')]);
    test.temp.clock.advance(10_000);
  };
  await inspect();
  const added = await test.temp.store.clientCertificates.add(test.accountId, identity);
  assert.ok(typeof added === 'object');
  await inspect();
  await test.temp.store.clientCertificates.remove(test.accountId, added.id);
  await inspect();
  assert.deepEqual(seen, [[], [identity], []]);
});
