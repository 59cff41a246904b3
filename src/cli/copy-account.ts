// `migrate --account …`: moves one account between two stopped installations (docs/decisions/0045).
import { idBytes } from '#store/base/codec.ts';
import { keyMark, openMark } from '#store/base/key-check.ts';
import { copyAccount } from '#store/copy/copy-account.ts';
import { readFact, type Side } from '#store/copy/side.ts';
import { createSeal, type Seal } from '#store/base/seal.ts';
import { CommandError } from './command-error.ts';
import {
  type DatabaseAddress,
  foreseen,
  isSameDatabase,
  listenerOf,
  opened,
  openSource,
  openTarget,
  tableLines,
} from './move-sides.ts';
import { createProgress, type Screen } from './progress.ts';

/** Options of an account move. */
export interface CopyAccountOrder {
  readonly accountId: string;
  readonly from: DatabaseAddress;
  readonly to: DatabaseAddress;
  /** 32 bytes each; equal if both installations share a key. */
  readonly fromKey: Uint8Array;
  readonly toKey: Uint8Array;
}

/** Copies the account, removes it from the source and reports progress. Throws CommandError. */
export async function copyOneAccount(order: CopyAccountOrder, screen: Screen): Promise<void> {
  const { accountId, from, to } = order;
  if (isSameDatabase(from, to)) throw new CommandError('--from and --to name the same database');
  const progress = createProgress(screen);
  await foreseen(async () => {
    await using source = await opened(openSource(from, 'write'));
    await using target = await opened(openTarget(to));
    const fromSeal = await sealOf(source.side, order.fromKey);
    const toSeal = await sealOf(target.side, order.toKey);
    progress.say(`from ${source.side.shown}\nto   ${target.side.shown}`);
    const tables = await copyAccount(
      source.side,
      target.side,
      { accountId, id: idBytes(accountId), fromSeal, toSeal },
      listenerOf(progress),
    );
    progress.end();
    for (const line of tableLines(tables)) progress.say(line);
    progress.say(
      `Moved account ${accountId} from ${source.side.shown} to ${target.side.shown}. ` +
        'Start both services. Callers of its API, trigger URLs and ping URLs must use the new address.',
    );
  });
}

/** Throws WrongKeyError if the side's secrets were sealed with another key. */
async function sealOf(side: Side, key: Uint8Array): Promise<Seal> {
  const seal = createSeal(key);
  const mark = await readFact(side, keyMark);
  if (mark !== null) openMark(seal, mark, side.shown);
  return seal;
}
