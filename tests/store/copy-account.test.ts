// One account from an installation to another while both are stopped: nothing lost, nothing of others touched.
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { openSide } from '#cli/move-sides.ts';
import { hourMs, hourOf } from '#domain/results/roll-up.ts';
import { newId } from '#lib/id.ts';
import { idBytes } from '#store/base/codec.ts';
import { copyAccount } from '#store/copy/copy-account.ts';
import { isOfAccounts } from '#store/copy/table.ts';
import type { Side } from '#store/copy/side.ts';
import { inStep } from '#store/schedules/schedule-rounds.ts';
import { createSeal } from '#store/base/seal.ts';
import { it, type NewStore } from '../support/store/each-engine.ts';
import { addMadeUpTable, rowsOf } from '../support/store/every-table.ts';
import { aCheck } from '../support/store/records.ts';
import { insertRow, putAccount, putResult } from '../support/store/rows.ts';
import { secretKey, type TempStore } from '../support/store/temp-store.ts';

const seals = { fromSeal: createSeal(secretKey), toSeal: createSeal(new Uint8Array(32).fill(9)) };
const silent = { onTable: () => {}, onRows: () => {} };

/** Source and target. */
class Fixture implements AsyncDisposable {
  readonly source: TempStore;
  readonly target: TempStore;

  private constructor(source: TempStore, target: TempStore) {
    this.source = source;
    this.target = target;
  }

  static async open(newStore: NewStore): Promise<Fixture> {
    return new Fixture(await newStore(), await newStore());
  }

  /** Stops both installations and copies; `wrap` may let writes of a side fail. */
  async copy(accountId: string, wrap: (side: Side) => Side = (side) => side): Promise<void> {
    await Promise.all([this.source.rest(), this.target.rest()]);
    const from = await openSide(this.source.address, 'move');
    const to = await openSide(this.target.address, 'fill');
    // Time is what the stores take for it.
    const at = (side: Side, { clock }: TempStore): Side => wrap({ ...side, now: () => Promise.resolve(clock.now()) });
    try {
      const order = { accountId, id: idBytes(accountId), ...seals };
      await copyAccount(at(from, this.source), at(to, this.target), order, silent);
    } finally {
      await from.close();
      await to.close();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.source[Symbol.asyncDispose]();
    await this.target[Symbol.asyncDispose]();
  }
}

/** An account with a check, results, a secret and a key that reaches it alone. */
async function putWhole({
  raw,
  store,
  clock,
}: TempStore): Promise<{ accountId: string; checkId: string; hash: Buffer }> {
  const accountId = putAccount(raw);
  const saved = await store.checks.add({ check: aCheck(accountId), subscriptions: null, isAutoAssigned: false });
  assert.ok('saved' in saved);
  const { id: checkId } = saved.saved.check;
  raw.exec(`DELETE FROM installation WHERE key = 'rolled-up'`);
  insertRow(raw, 'installation', { key: 'rolled-up', value: String(hourOf(clock.now()) - hourMs) });
  for (const hours of [1, 30, 700]) putResult(raw, accountId, checkId, clock.now() - hours * hourMs);
  const sealed = { value: seals.fromSeal.seal('canary'), locked: 0, secret: 1, created_at: 1 };
  insertRow(raw, 'variables', { account_id: idBytes(accountId), key: 'TOKEN', ...sealed });
  const [keyId, hash] = [idBytes(newId()), Buffer.from(newId().replaceAll('-', '').repeat(2), 'hex')];
  insertRow(raw, 'api_keys', { id: keyId, hash, prefix: 'tsn_x', name: 'CI', role: 'admin', created_at: 1 });
  insertRow(raw, 'api_key_accounts', { api_key_id: keyId, account_id: idBytes(accountId), position: 0 });
  return { accountId, checkId, hash };
}

function ownRows({ raw }: TempStore, table: string, accountId: string): string[] {
  const hex = accountId.replaceAll('-', '');
  return rowsOf(raw, table).filter((row) => row.includes(`${table === 'accounts' ? 'id' : 'account_id'}=${hex}`));
}

async function tablesOf({ address }: TempStore) {
  const side = await openSide(address, 'copy');
  await side.close();
  return side.tables;
}

/** What keeps each of them from starting. */
function notes(...stores: readonly TempStore[]): unknown[] {
  return stores.flatMap(({ raw }) => raw.prepare(`SELECT value FROM installation WHERE key = 'copying'`).all());
}

/** Makes the `nth` write and all after it fail, as if the command had been killed. */
function failingFrom(nth: number): (side: Side) => Side {
  let writes = 0;
  return (side) => ({
    ...side,
    transaction: (work) => (++writes >= nth ? Promise.reject(new Error('killed')) : side.transaction(work)),
  });
}

describe('the copy of an account', () => {
  it('covers every table that holds rows of accounts', async (newStore) => {
    await using store = await newStore();
    await store.rest();
    const others = (await tablesOf(store)).filter((table) => !isOfAccounts(table)).map(({ name }) => name);
    assert.deepEqual(others.sort(), [
      'api_key_accounts',
      'api_keys',
      'identities',
      'installation',
      'invites',
      'locations',
      'memberships',
      'password_resets',
      'processes',
      'runtime_stages',
      'schedule_rounds',
      'sessions',
      'setup_links',
      'status_mail_slots',
      'status_page_addresses',
      'users',
    ]);
  });

  it('holds everything, also of a table that no code mentions, secrets readable by the key of the target, and leaves nothing in the source', async (newStore) => {
    await using fixture = await Fixture.open(newStore);
    const { source, target } = fixture;
    const { accountId, checkId, hash } = await putWhole(source);
    const other = await putWhole(source);
    for (const { raw } of [source, target]) addMadeUpTable(raw);
    insertRow(source.raw, 'made_up', { account_id: idBytes(accountId), name: 'new' });
    const own = ['accounts', 'checks', 'results', 'check_tags', 'account_counts', 'made_up'];
    const before = new Map(own.map((table) => [table, ownRows(source, table, accountId)]));
    const others = ownRows(source, 'results', other.accountId);
    await fixture.copy(accountId);
    for (const table of own) assert.deepEqual(ownRows(target, table, accountId), before.get(table), table);
    assert.deepEqual(
      [ownRows(target, 'results', accountId).length, ownRows(target, 'made_up', accountId).length],
      [3, 1],
    );
    const variable = target.raw.prepare(`SELECT value FROM variables WHERE key = 'TOKEN'`).get();
    assert.equal(seals.toSeal.open(String(variable?.['value'])), 'canary');
    const reach = 'SELECT a.account_id FROM api_keys k JOIN api_key_accounts a ON a.api_key_id = k.id WHERE k.hash = ?';
    assert.equal(target.raw.prepare(reach).all(hash).length, 1);
    assert.equal(source.raw.prepare('SELECT id FROM api_keys WHERE hash = ?').get(hash), undefined);
    for (const table of (await tablesOf(source)).filter(isOfAccounts)) {
      assert.deepEqual(ownRows(source, table.name, accountId), [], table.name);
    }
    assert.deepEqual(ownRows(source, 'results', other.accountId), others);
    assert.equal(source.raw.prepare('SELECT id FROM api_keys WHERE hash = ?').all(other.hash).length, 1);
    const hours = target.raw.prepare('SELECT start_at FROM late_hours WHERE check_id = ?').all(idBytes(checkId));
    assert.equal(hours.length, 49, 'the last hours are rolled up again');
  });

  it('leaves people to their installation: the source forgets those who are in no other account', async (newStore) => {
    await using fixture = await Fixture.open(newStore);
    const { source, target } = fixture;
    const [moved, kept] = [await putWhole(source), await putWhole(source)];
    const people = { ada: [moved], bob: [moved, kept] };
    for (const [name, accounts] of Object.entries(people)) {
      const id = idBytes(newId());
      const user = {
        id,
        email: name,
        is_proven: 0,
        password: 'hash',
        is_operator: 0,
        created_at: 1,
        last_sign_in_at: null,
      };
      insertRow(source.raw, 'users', user);
      for (const { accountId } of accounts) {
        const account = { account_id: idBytes(accountId), role: 'owner', created_at: 1 };
        insertRow(source.raw, 'memberships', { ...account, user_id: id, is_mapped: 0 });
        insertRow(source.raw, 'invites', { ...account, id, hash: id, email: name, is_mailed: 0, expires_at: 2 });
      }
      const times = { created_at: 1, last_seen_at: 1, expires_at: 2 };
      insertRow(source.raw, 'sessions', { id, hash: id, user_id: id, ...times, user_agent: '', opened_by: 'password' });
      insertRow(source.raw, 'identities', { issuer: 'i', subject: name, user_id: id, email: null, created_at: 1 });
    }
    await fixture.copy(moved.accountId);
    const counts = ({ raw }: TempStore) =>
      ['users', 'memberships', 'sessions', 'invites', 'identities'].map(
        (table) => raw.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.['n'],
      );
    assert.deepEqual(counts(source).map(Number), [1, 1, 1, 1, 1]);
    assert.deepEqual(counts(target).map(Number), [0, 0, 0, 0, 0]);
    assert.equal(source.raw.prepare('SELECT email FROM users').get()?.['email'], 'bob');
  });

  it('gives schedules in step a due time of their own', async (newStore) => {
    await using fixture = await Fixture.open(newStore);
    const { source, target } = fixture;
    const { accountId } = await putWhole(source);
    const plannedTo = source.clock.now() - 1000;
    source.raw.exec(`UPDATE schedules SET next_due_at = ${inStep}, planned_to = ${inStep}`);
    source.raw.exec(
      `INSERT INTO schedule_rounds (interval_ms, planned_to) SELECT DISTINCT interval_ms, ${plannedTo} FROM schedules`,
    );
    await fixture.copy(accountId);
    const row = target.raw.prepare('SELECT next_due_at, interval_ms FROM schedules').get();
    const dueAt = Number(row?.['next_due_at']);
    assert.ok(dueAt > plannedTo && dueAt <= plannedTo + Number(row?.['interval_ms']), String(dueAt));
  });

  it('is finished by the same command, wherever it was killed, and nothing starts before', async (newStore, engine) => {
    // Both copy by the same statements: the slower one is killed at fewer places.
    for (let nth = 1; ; nth = Math.ceil(nth * (engine === 'SQLite' ? 1.5 : 3))) {
      await using fixture = await Fixture.open(newStore);
      const { source, target } = fixture;
      const { accountId } = await putWhole(source);
      const before = ownRows(source, 'results', accountId);
      const error = await fixture.copy(accountId, failingFrom(nth)).then(
        () => null,
        (reason: unknown) => reason as Error,
      );
      if (error !== null) {
        assert.equal(error.message, 'killed');
        assert.equal(notes(source, target).length > 0, nth > 1, `after write ${nth - 1}`);
        await fixture.copy(accountId);
      }
      assert.deepEqual(ownRows(target, 'results', accountId), before);
      assert.deepEqual(ownRows(source, 'accounts', accountId), []);
      assert.deepEqual(notes(source, target), []);
      if (error === null) return;
    }
  });

  it('is refused for an unknown account, one that the target has, and roll-ups that are far behind', async (newStore) => {
    await using fixture = await Fixture.open(newStore);
    const { source, target } = fixture;
    const { accountId } = await putWhole(source);
    await assert.rejects(fixture.copy(newId()), /does not exist/);
    source.raw.exec(
      `UPDATE installation SET value = '${hourOf(source.clock.now()) - 49 * hourMs}' WHERE key = 'rolled-up'`,
    );
    await assert.rejects(fixture.copy(accountId), /49 hours behind, at most 48/);
    source.raw.exec(`DELETE FROM installation WHERE key = 'rolled-up'`);
    await assert.rejects(fixture.copy(accountId), /700 hours behind/);
    insertRow(target.raw, 'accounts', { id: idBytes(accountId), name: 'Shop', created_at: 1 });
    await assert.rejects(fixture.copy(accountId), /already has the account/);
    assert.equal(ownRows(source, 'results', accountId).length, 3);
  });
});
