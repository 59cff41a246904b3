// When mails may be sent to an address and for an account, so that nobody can have somebody else flooded with mail.
import { createHash } from 'node:crypto';
import { mailboxOf, type MailPace, pacePerAccount, pacePerAddress } from '#domain/status-pages/status-subscriber.ts';
import type { Db } from '../base/tables/schema.ts';

/** Takes the next time at which a mail may be sent to an address for an account, epoch ms. */
export async function takeMailSlot(tx: Db, accountId: string, email: string, now: number): Promise<number> {
  const address = createHash('sha256').update(mailboxOf(email)).digest('base64url');
  const ofAddress = await takeSlot(tx, `address:${address}`, pacePerAddress, now);
  return Math.max(ofAddress, await takeSlot(tx, `account:${accountId}`, pacePerAccount, now));
}

async function takeSlot(tx: Db, key: string, { atOnce, intervalMs }: MailPace, now: number): Promise<number> {
  const { free_at: freeAt } = await tx
    .insertInto('status_mail_slots')
    .values({ key, free_at: now + intervalMs })
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet((row) => ({
        free_at: row
          .case()
          .when('status_mail_slots.free_at', '<', now)
          .then(now + intervalMs)
          .else(row('status_mail_slots.free_at', '+', intervalMs))
          .end(),
      })),
    )
    .returning('free_at')
    .executeTakeFirstOrThrow();
  return Math.max(now, freeAt - atOnce * intervalMs);
}
