// `migrate --account …`: moves one account between two stopped installations (docs/decisions/0045).
import { idBytes } from '#store/base/codec.ts';
import { copyAccount } from '#store/copy/copy-account.ts';
import { sealOf } from '#store/copy/side.ts';
import { moveBetween, type MoveOrder } from './move-sides.ts';
import type { Screen } from './progress.ts';

/** Options of an account move. */
export interface CopyAccountOrder extends MoveOrder {
  readonly accountId: string;
  /** 32 bytes each; equal if both installations share a key. */
  readonly fromKey: Uint8Array;
  readonly toKey: Uint8Array;
}

/** Copies the account, removes it from the source and reports progress. Throws CommandError. */
export async function copyOneAccount(order: CopyAccountOrder, screen: Screen): Promise<void> {
  const { accountId } = order;
  await moveBetween(
    order,
    'move',
    screen,
    async (source, target, listener) => {
      const seals = { fromSeal: await sealOf(source, order.fromKey), toSeal: await sealOf(target, order.toKey) };
      return copyAccount(source, target, { accountId, id: idBytes(accountId), ...seals }, listener);
    },
    (source, target) =>
      `Moved account ${accountId} from ${source.shown} to ${target.shown}. ` +
      'Start both services. Callers of its API, trigger URLs and ping URLs must use the new address.',
  );
}
