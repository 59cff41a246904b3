// A store on a real SQLite file in a folder of its own, with a clock to turn and a second door for raw rows.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openStore, type Store } from '#store/store.ts';

/** A clock that stands still until it is turned. */
export interface TurnedClock {
  now(): number;
  turn(ms: number): void;
}

/** A clock that stands at `at`, epoch ms. */
export function clockAt(at: number): TurnedClock {
  let present = at;
  return {
    now: () => present,
    turn: (ms) => {
      present += ms;
    },
  };
}

export interface TempStore extends AsyncDisposable {
  readonly store: Store;
  readonly clock: TurnedClock;
  /** The same file from outside: for rows that another part of the product writes, and to look. */
  readonly raw: DatabaseSync;
}

/** Opens a new store; `await using` closes it and removes its folder. */
export function openTempStore(at: number = Date.UTC(2026, 2, 10, 12)): TempStore {
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-store-'));
  const path = join(folder, 'tocsin.db');
  const clock = clockAt(at);
  const store = openStore({ path, secretKey: new Uint8Array(32).fill(7), clock });
  const raw = new DatabaseSync(path, { timeout: 5000 });
  return {
    store,
    clock,
    raw,
    [Symbol.asyncDispose]: async () => {
      raw.close();
      await store.close();
      rmSync(folder, { recursive: true });
    },
  };
}
