// When mails may be sent to an address and for an account, so that nobody can have somebody else flooded with mail.
import { createHash } from 'node:crypto';
import {
  confirmableMs,
  mailboxOf,
  type MailPace,
  pacePerAccount,
  pacePerAddress,
} from '#domain/status-pages/status-subscriber.ts';
import type { Db } from '../base/tables/schema.ts';

/** Longest time that a mail may have to wait, ms: half of the time that an address can be confirmed in. */
const mostWaitMs = confirmableMs / 2;

/**
 * Takes the next time at which a mail may be sent to an address for an account, epoch ms.
 * @returns `asked` = the address got too many mails; `busy` = too many mails of the account wait
 */
export async function takeMailSlot(
  tx: Db,
  accountId: string,
  email: string,
  now: number,
): Promise<number | 'asked' | 'busy'> {
  const address = createHash('sha256').update(mailboxOf(email)).digest('base64url');
  const ofAddress = await takeSlot(tx, `address:${address}`, pacePerAddress, now);
  if (ofAddress === null) return 'asked';
  const ofAccount = await takeSlot(tx, `account:${accountId}`, pacePerAccount, now);
  if (ofAccount !== null) return Math.max(ofAddress, ofAccount);
  // No mail is sent, so the slot of the address is returned.
  await tx
    .updateTable('status_mail_slots')
    .set((row) => ({ free_at: row('free_at', '-', pacePerAddress.intervalMs) }))
    .where('key', '=', `address:${address}`)
    .execute();
  return 'busy';
}

/** null = it would have to wait for too long. */
async function takeSlot(tx: Db, key: string, { atOnce, intervalMs }: MailPace, now: number): Promise<number | null> {
  const taken = await tx
    .insertInto('status_mail_slots')
    .values({ key, free_at: now + intervalMs })
    .onConflict((conflict) =>
      conflict
        .column('key')
        .doUpdateSet((row) => ({
          free_at: row
            .case()
            .when('status_mail_slots.free_at', '<', now)
            .then(now + intervalMs)
            .else(row('status_mail_slots.free_at', '+', intervalMs))
            .end(),
        }))
        .where('status_mail_slots.free_at', '<=', now + mostWaitMs + (atOnce - 1) * intervalMs),
    )
    .returning('free_at')
    .executeTakeFirst();
  return taken === undefined ? null : Math.max(now, taken.free_at - atOnce * intervalMs);
}
