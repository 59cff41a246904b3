// `migrate --account …`: one account from a running installation to another (docs/decisions/0046).
import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { newId } from '#lib/id.ts';
import { keyMark, openMark } from '#store/key-check.ts';
import { moveAccount } from '#store/move/move-account.ts';
import { readFact, type Side } from '#store/move/side.ts';
import { createSeal, type Seal } from '#store/seal.ts';
import { CommandError } from './command-error.ts';
import { foreseen, opened } from './migrate.ts';
import { type DatabaseAddress, isSameDatabase, openBeside } from './move-sides.ts';
import { createProgress, type Screen } from './progress.ts';

/** What is asked for. */
export interface MoveAccountOrder {
  readonly accountId: string;
  readonly from: DatabaseAddress;
  readonly to: DatabaseAddress;
  /** 32 bytes each; the same where both installations have the same key. */
  readonly fromKey: Uint8Array;
  readonly toKey: Uint8Array;
  /** The file that `toKey` was read from, when it is a key of its own. */
  readonly toKeyFile: string | null;
  /** Where the account is reached afterwards, without a slash at its end. */
  readonly place: string;
}

/** Runs and deliveries that are under way may end within this time, ms; the others are repeated in the target. */
const graceMs = 20_000;

/** Moves the account and says what it does. Throws CommandError. */
export async function moveOneAccount(order: MoveAccountOrder, screen: Screen): Promise<void> {
  const { accountId, from, to, place } = order;
  if (isSameDatabase(from, to)) throw new CommandError('--from and --to name the same database');
  const progress = createProgress(screen);
  await foreseen(async () => {
    await using source = await opened(openBeside(from));
    await using target = await opened(openBeside(to));
    const fromSeal = await sealOf(source.side, order.fromKey);
    const toSeal = await sealOf(target.side, order.toKey);
    const { pausedMs } = await moveAccount(
      source.side,
      target.side,
      {
        accountId,
        moveId: newId(),
        place,
        fromSeal,
        toSeal,
        command: commandOf(order, source.side, target.side),
        graceMs,
        pause,
      },
      {
        onStep(step) {
          progress.end();
          progress.say(step);
        },
        onTable: (step, table, rows) => progress.begin(`${step} ${table}`, rows),
        onRows: (rows) => progress.add(rows),
      },
    );
    progress.end();
    progress.say(
      `${accountId} lives in ${target.side.shown} now; it was paused for ${(pausedMs / 1000).toFixed(1)} s.`,
    );
  });
}

/** The command line of this order, as a shell reads it; passwords are left out. */
function commandOf({ accountId, place, toKeyFile }: MoveAccountOrder, from: Side, to: Side): string {
  const words = ['--account', accountId, '--from', from.shown, '--to', to.shown, '--redirect-to', place];
  if (toKeyFile !== null) words.push('--to-secret-key-file', resolve(toKeyFile));
  return ['npm run tocsin -- migrate', ...words.map(shellWord)].join(' ');
}

function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Throws WrongKeyError when another key sealed that side's secrets. */
async function sealOf(side: Side, key: Uint8Array): Promise<Seal> {
  const seal = createSeal(key);
  const mark = await readFact(side, keyMark);
  if (mark !== null) openMark(seal, mark, side.shown);
  return seal;
}
