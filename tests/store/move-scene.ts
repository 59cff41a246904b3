// Two stores between which an account is moved, and what is looked at afterwards.
import assert from 'node:assert/strict';
import { openBeside } from '#commands/move-sides.ts';
import { dayOf, hourMs, hourOf } from '#domain/roll-up.ts';
import { newId } from '#lib/id.ts';
import { idBytes } from '#store/codec.ts';
import { moveAccount } from '#store/move/move-account.ts';
import type { AccountOrder } from '#store/move/moving.ts';
import type { Side, Writing } from '#store/move/side.ts';
import { createSeal } from '#store/seal.ts';
import type { NewStore } from '../support/each-engine.ts';
import type { RawRows } from '../support/raw-rows.ts';
import { rowsOf } from '../support/every-table.ts';
import { aCheck } from '../support/records.ts';
import { insertRow, putAccount, putResult } from '../support/rows.ts';
import { secretKey, type TempStore } from '../support/temp-store.ts';
import { PathUnderTest } from './path-under-test.ts';

export const seals = { fromSeal: createSeal(secretKey), toSeal: createSeal(new Uint8Array(32).fill(9)) };
export const place = 'https://cell-2.tocsin.example';

/** Source and target, each with its service, and the clock that both live by. */
export class Scene implements AsyncDisposable {
  readonly source: PathUnderTest;
  readonly target: PathUnderTest;

  private constructor(source: PathUnderTest, target: PathUnderTest) {
    this.source = source;
    this.target = target;
  }

  static async open(newStore: NewStore): Promise<Scene> {
    return new Scene(await PathUnderTest.open(newStore), await PathUnderTest.open(newStore));
  }

  turn(ms: number): void {
    for (const { temp } of [this.source, this.target]) temp.clock.turn(ms);
  }

  /** Moves the account; the sides may be wrapped, so that something happens between two writes. */
  async move(
    accountId: string,
    {
      wrap = (side) => side,
      pause = () => Promise.resolve(),
      order = {},
      back = false,
    }: {
      wrap?: (side: Side) => Side;
      pause?: () => Promise<void>;
      order?: Partial<AccountOrder>;
      back?: boolean;
    } = {},
  ): Promise<string[]> {
    const [from, to] = back ? [this.target, this.source] : [this.source, this.target];
    const sides = [await openBeside(from.temp.address), await openBeside(to.temp.address)] as const;
    const steps: string[] = [];
    // Time is what the stores take for it.
    const at = (side: Side, path: PathUnderTest): Side => wrap({ ...side, now: () => Promise.resolve(path.now) });
    try {
      await moveAccount(
        at(sides[0], from),
        at(sides[1], to),
        {
          accountId,
          moveId: newId(),
          place,
          ...(back ? { fromSeal: seals.toSeal, toSeal: seals.fromSeal } : seals),
          command: `migrate --account ${accountId}`,
          graceMs: 10_000,
          pause: async (ms) => {
            await pause();
            this.turn(ms);
          },
          ...order,
        },
        { onStep: (step) => steps.push(step), onTable: () => {}, onRows: () => {} },
      );
      return steps;
    } finally {
      for (const side of sides) await side.close();
    }
  }

  /** Where the account is active: what a service would work on. */
  activeIn(accountId: string): string[] {
    const isActive = ({ temp: { raw } }: PathUnderTest): boolean => {
      const id = idBytes(accountId);
      const move = raw.prepare('SELECT state FROM account_moves WHERE account_id = ?').get(id)?.['state'];
      const there = raw.prepare('SELECT id FROM accounts WHERE id = ?').get(id) !== undefined;
      return there && (move === undefined || move === 'arrived');
    };
    return [...(isActive(this.source) ? ['source'] : []), ...(isActive(this.target) ? ['target'] : [])];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.source[Symbol.asyncDispose]();
    await this.target[Symbol.asyncDispose]();
  }
}

/** Says how far the roll-ups of an installation are. @param hourAt epoch ms */
export function putProgress({ temp }: PathUnderTest, hourAt: number): void {
  temp.raw.exec(`DELETE FROM installation WHERE key = 'rolled-up'`);
  insertRow(temp.raw, 'installation', { key: 'rolled-up', value: String(hourAt) });
}

/** An account with a check, results of today and of long ago, a secret and a key. */
export async function putWhole(path: PathUnderTest): Promise<{ accountId: string; checkId: string; hash: Uint8Array }> {
  const { temp } = path;
  const accountId = putAccount(temp.raw);
  const phase = { frequency: 0, frequencyOffset: 10 };
  const saved = await temp.store.checks.add({
    check: aCheck(accountId, phase),
    subscriptions: null,
    isAutoAssigned: false,
  });
  assert.ok('saved' in saved);
  const { id: checkId } = saved.saved.check;
  const now = temp.clock.now();
  temp.raw.prepare('UPDATE schedules SET next_due_at = ? WHERE check_id = ?').run(now + 1000, idBytes(checkId));
  putProgress(path, hourOf(now) - hourMs);
  for (const hours of [1, 2, 30, 40, 700]) putResult(temp.raw, accountId, checkId, now - hours * hourMs);
  for (const hours of [1, 2, 30, 40, 700]) putRollUp(temp.raw, accountId, checkId, 0, hourOf(now - hours * hourMs));
  for (const days of [1, 2, 30]) putRollUp(temp.raw, accountId, checkId, 1, dayOf(now) - days * 24 * hourMs);
  insertRow(temp.raw, 'variables', {
    account_id: idBytes(accountId),
    key: 'TOKEN',
    value: seals.fromSeal.seal('canary'),
    locked: 0,
    secret: 1,
    created_at: 1,
  });
  const [keyId, hash] = [idBytes(newId()), Buffer.from(newId().replaceAll('-', '').repeat(2), 'hex')];
  insertRow(temp.raw, 'api_keys', { id: keyId, hash, prefix: 'tsn_x', name: 'CI', role: 'admin', created_at: 1 });
  insertRow(temp.raw, 'api_key_accounts', { api_key_id: keyId, account_id: idBytes(accountId), position: 0 });
  insertRow(temp.raw, 'triggers', {
    account_id: idBytes(accountId),
    id: 1,
    token: newId(),
    created_at: 1,
    group_id: 1,
  });
  return { accountId, checkId, hash };
}

function putRollUp(raw: RawRows, accountId: string, checkId: string, span: 0 | 1, startAt: number): void {
  const counts = { passed: 1, degraded: 0, failed: 0, unknown: 0, missed: 0, retries: 0 };
  const times = { known_ms: 10_000, down_ms: 0, unknown_ms: 0, responses: null, failed_responses: null };
  const key = {
    account_id: idBytes(accountId),
    check_id: idBytes(checkId),
    span,
    start_at: startAt,
    location: 'local',
  };
  insertRow(raw, 'roll_ups', { ...key, ...counts, ...times });
}

export const tablesOf = async ({ temp }: { temp: TempStore }) => {
  const side = await openBeside(temp.address);
  await side.close();
  return side.tables;
};

/** The account's rows of a table as text, secrets opened. */
export function ownRows({ temp: { raw } }: PathUnderTest, table: string, accountId: string): string[] {
  const hex = accountId.replaceAll('-', '');
  return rowsOf(raw, table).filter((row) => row.includes(`account_id=${hex}`));
}

/** The writes of a move, each as what the source says of the account before it. */
export async function statesByWrite(scene: Scene): Promise<string[]> {
  const { source } = scene;
  const { accountId } = await putWhole(source);
  const states: string[] = [];
  const wrap = wrapWrites(() => {
    states.push(stateIn(source, accountId));
    return Promise.resolve();
  });
  await scene.move(accountId, { wrap });
  return states;
}

export function stateIn({ temp: { raw } }: PathUnderTest, accountId: string): string {
  const row = raw.prepare('SELECT state FROM account_moves WHERE account_id = ?').get(idBytes(accountId));
  const state = row?.['state'];
  return typeof state === 'string' ? state : 'none';
}

/** A side before whose every write something happens. */
export function wrapWrites(before: () => Promise<void>): (side: Side) => Side {
  return (side) => ({
    ...side,
    write: async <Answer>(work: (writing: Writing) => Promise<Answer>): Promise<Answer> => {
      await before();
      return side.write(work);
    },
  });
}
