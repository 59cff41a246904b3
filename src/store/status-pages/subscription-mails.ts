// Mails that ask subscribers of status pages to confirm their address: which are due, and what became of them.
import { sql } from 'kysely';
import { confirmableMs, mailRetriesMs, type StatusSubscriber } from '#domain/status-pages/status-subscriber.ts';
import { idBytes } from '../base/codec.ts';
import { type Database, ownedBy } from '../base/database.ts';
import { deleteRows, updateRows } from '../base/rows.ts';
import type { Db } from '../base/tables/schema.ts';
import { type SubscriberKey, subscriberOf } from './status-subscribers.ts';

/** Rows that are removed at once. */
const removedAtOnce = 400;
/** Mails of an account that are taken at once, because its own mail server may hang. */
const mostOfAccount = 2;

export function createSubscriptionMails({ reader, transaction, clock }: Database) {
  return {
    /** When the next mail is due, epoch ms; null = none is. */
    async nextDue(): Promise<number | null> {
      const row = await reader
        .selectFrom('status_subscribers')
        .select('mail_due_at')
        .where('mail_due_at', 'is not', null)
        .orderBy('mail_due_at')
        .limit(1)
        .executeTakeFirst();
      return row?.mail_due_at ?? null;
    },
    /**
     * Takes mails that are due, and counts the attempt: if this process ends before it says what became of one, that
     * mail is due again later.
     */
    take: (limit: number): Promise<StatusSubscriber[]> => transaction((tx) => takeDue(tx, clock.now(), limit)),
    /** The mail was accepted. @param requestedAt of the request that it was for */
    sent: ({ accountId, pageId, id, requestedAt }: SubscriberKey & Pick<StatusSubscriber, 'requestedAt'>) =>
      transaction((tx) =>
        updateRows(
          tx,
          'status_subscribers',
          { ...ownedBy(accountId), page_id: idBytes(pageId), id: idBytes(id), requested_at: requestedAt },
          { mail_due_at: null },
        ),
      ),
    /** Removes subscribers that did not confirm, and times that have passed. Returns the number of rows. */
    removeExpired: (now: number): Promise<number> => transaction((tx) => removeExpired(tx, now)),
  };
}

async function takeDue(tx: Db, now: number, limit: number): Promise<StatusSubscriber[]> {
  const due = await tx
    .selectFrom((from) =>
      from
        .selectFrom('status_subscribers')
        .selectAll()
        .select(sql<number>`row_number() OVER (PARTITION BY account_id ORDER BY mail_due_at)`.as('nth'))
        .where('mail_due_at', '<=', now)
        .as('due'),
    )
    .selectAll()
    .where('nth', '<=', mostOfAccount)
    .orderBy('mail_due_at')
    .limit(limit)
    .execute();
  for (const { account_id, page_id, id, mail_attempts: attempts, requested_at: requestedAt } of due) {
    const retryMs = mailRetriesMs[attempts];
    const again = retryMs === undefined || now + retryMs >= requestedAt + confirmableMs ? null : now + retryMs;
    const values = { mail_due_at: again, mail_attempts: attempts + 1 };
    await updateRows(tx, 'status_subscribers', { account_id, page_id, id }, values);
  }
  return due.map(subscriberOf).filter((row) => row.requestedAt > now - confirmableMs);
}

async function removeExpired(tx: Db, now: number): Promise<number> {
  const expired = await tx
    .selectFrom('status_subscribers')
    .select(['account_id', 'page_id', 'id'])
    .where('confirmed_at', 'is', null)
    .where('requested_at', '<=', now - confirmableMs)
    .limit(removedAtOnce)
    .execute();
  for (const key of expired) await deleteRows(tx, 'status_subscribers', key);
  const { numDeletedRows } = await tx.deleteFrom('status_mail_slots').where('free_at', '<=', now).executeTakeFirst();
  return expired.length + Number(numDeletedRows);
}
