// Sessions of signed-in people.
import { recorderOf } from '../base/audit/recorder.ts';
import { recordMapping } from '../base/records.ts';
import { deleteRows, findRows, insertRows, selectRows, updateRows } from '../base/rows.ts';
import type { Access, UserPrincipal } from '#domain/accounts/api-key.ts';
import { type Session, sessionEnd, sessionIdleMs } from '#domain/accounts/user.ts';
import { idBytes, idText } from '../base/codec.ts';
import type { Database } from '../base/database.ts';
import type { UsersTable } from '../base/tables/installation-tables.ts';
import type { Db } from '../base/tables/schema.ts';
import { findMemberships } from './users.ts';

const sessionsMax = 50;

const sessionRows = recordMapping<Session, 'sessions'>({
  id: 'id',
  userId: 'id',
  createdAt: 'plain',
  lastSeenAt: 'plain',
  expiresAt: 'plain',
  userAgent: 'plain',
  openedBy: 'plain',
});

/** Sessions. Only the SHA-256 (32 bytes) of a token is stored. */
export function createSessions({ reader, transaction, clock }: Database) {
  const ofUser = (userId: string, db = reader) =>
    selectRows(db, 'sessions', { user_id: idBytes(userId) })
      .selectAll()
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc');
  return {
    /** Adds a session, and deletes expired sessions and the oldest of a user with more than 50. */
    add: (session: Session, hash: Uint8Array) =>
      transaction(async (tx) => {
        const user = idBytes(session.userId);
        const now = clock.now();
        await tx
          .deleteFrom('sessions')
          .where((row) => row.or([row('expires_at', '<=', now), row('last_seen_at', '<=', now - sessionIdleMs)]))
          .execute();
        const excess = (await ofUser(session.userId, tx).execute()).slice(sessionsMax - 1);
        await deleteRows(tx, 'sessions', { id: excess.map(({ id }) => id) });
        await insertRows(tx, 'sessions', { ...sessionRows.rowOf(session), hash });
        await updateRows(tx, 'users', { id: user }, { last_sign_in_at: session.createdAt });
      }),
    /** A session and its user; null = unknown, expired, or of a user without accounts. */
    async findByHash(hash: Uint8Array) {
      const row = await reader
        .selectFrom('sessions')
        .innerJoin('users', 'users.id', 'sessions.user_id')
        .selectAll('sessions')
        .select(['users.email', 'users.is_operator', 'users.totp_since'])
        .where('sessions.hash', '=', hash)
        .executeTakeFirst();
      if (row === undefined) return null;
      const session = sessionRows.recordOf(row);
      const principal = await principalOf(reader, session, row);
      const isOver = sessionEnd(session) <= clock.now() || principal.memberships.length === 0;
      return isOver ? null : { session, principal };
    },
    /** `at`: epoch ms. */
    markSeen: (id: string, at: number): Promise<void> =>
      transaction(async (tx) => {
        await updateRows(tx, 'sessions', { id: idBytes(id) }, { last_seen_at: at });
      }),
    /** Newest first. */
    async list(userId: string): Promise<Session[]> {
      const now = clock.now();
      return (await ofUser(userId).execute()).map(sessionRows.recordOf).filter((session) => sessionEnd(session) > now);
    },
    /** false = the user has no such session. */
    end: (userId: string, id: string): Promise<boolean> =>
      transaction(async (tx) => (await deleteRows(tx, 'sessions', { user_id: idBytes(userId), id: idBytes(id) })) > 0),
    /** @param exceptId a session to keep */
    endAll: (userId: string, exceptId?: string): Promise<void> =>
      transaction(async (tx) => {
        const all = tx.deleteFrom('sessions').where('user_id', '=', idBytes(userId));
        const ended = exceptId === undefined ? all : all.where('id', '<>', idBytes(exceptId));
        const rows = await ended.returningAll().execute();
        recorderOf(tx)?.deleted('sessions', rows);
      }),
  };
}

/** The person of a session. */
async function principalOf(
  reader: Db,
  { id: sessionId, userId: id, openedBy }: Session,
  row: Pick<UsersTable, 'email' | 'is_operator' | 'totp_since'>,
): Promise<UserPrincipal> {
  const isFromProvider = openedBy === 'provider';
  const memberships = await findAccess(reader, idBytes(id), row.totp_since !== null || isFromProvider);
  const user = { id, email: row.email, isOperator: row.is_operator === 1, ...(isFromProvider && { isFromProvider }) };
  return { kind: 'user', ...user, sessionId, memberships };
}

/** The memberships of a user, oldest first, and what they are worth. */
async function findAccess(reader: Db, userId: Uint8Array, hasSecondFactor: boolean): Promise<Access[]> {
  const memberships = await findMemberships(reader, userId);
  if (hasSecondFactor) return memberships;
  const ids = memberships.map(({ accountId }) => idBytes(accountId));
  const strict = await findRows(reader, 'accounts', { id: ids, requires_second_factor: 1 }, ['id']);
  const names = new Set(strict.map(({ id }) => idText(id)));
  return memberships.map((each) => (names.has(each.accountId) ? { ...each, needsSecondFactor: true } : each));
}
