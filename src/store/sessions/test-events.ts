// What happened in test sessions, numbered: messages to clients, results and pages are derived from these rows.
import type { Finding } from '#domain/results/result.ts';
import { sessionBytesMax, type TestEvent } from '#domain/sessions/test-session.ts';
import { idBytes, idBytesOrNull, idText, idTextOrNull, json, parsed } from '../base/codec.ts';
import { type Database, ownedBy } from '../base/database.ts';
import { findRow, insertRows, selectRows } from '../base/rows.ts';
import type { Seal } from '../base/seal.ts';
import type { TestEventsTable } from '../base/tables/session-tables.ts';
import type { Db } from '../base/tables/schema.ts';

/** A session by its key. */
export interface SessionKey {
  readonly accountId: string;
  readonly sessionId: string;
}

/** An event before it has its number. */
export type NewTestEvent = Omit<TestEvent, 'number'>;

/** How an event changes the runs of its session. */
export interface RunsChange {
  readonly ended: number;
  readonly failed: number;
}

const noRunsChange: RunsChange = { ended: 0, failed: 0 };

/** Reads of events. */
export function createTestEvents({ reader, seal }: Database) {
  return {
    /** Events of a session after a number, in order. */
    async after({ accountId, sessionId }: SessionKey, number: number, limit: number): Promise<TestEvent[]> {
      const rows = await selectRows(reader, 'test_events', {
        account_id: idBytes(accountId),
        session_id: idBytes(sessionId),
      })
        .selectAll()
        .where('number', '>', number)
        .orderBy('number')
        .limit(limit)
        .execute();
      return rows.map((row) => eventOf(row, seal));
    },
    /** The event of a result; null = there is none. */
    async ofResult(accountId: string, resultId: string): Promise<(TestEvent & SessionKey) | null> {
      const key = { account_id: idBytes(accountId), result_id: idBytes(resultId) };
      const row = await findRow(reader, 'test_events', key);
      return row === undefined ? null : { ...eventOf(row, seal), accountId, sessionId: idText(row.session_id) };
    },
  };
}

/**
 * Appends an event, in the transaction of what happened. Its number is unique because the session's row stays locked
 * until the transaction ends. A session that stores too much keeps findings without requests and responses.
 * @returns whether the session exists
 */
export async function appendTestEvent(
  tx: Db,
  { accountId, sessionId }: SessionKey,
  event: NewTestEvent,
  seal: Seal,
  { ended, failed }: RunsChange = noRunsChange,
): Promise<boolean> {
  const key = { account_id: idBytes(accountId), id: idBytes(sessionId) };
  const counted = await tx
    .updateTable('test_sessions')
    .set(({ eb }) => ({
      events: eb('events', '+', 1),
      open_runs: eb('open_runs', '-', ended),
      failed_runs: eb('failed_runs', '+', failed),
    }))
    .where('account_id', '=', key.account_id)
    .where('id', '=', key.id)
    .returning(['events', 'open_runs', 'bytes'])
    .executeTakeFirst();
  if (counted === undefined) return false;
  const { finding } = event;
  const text = finding === null ? null : json(storedFinding(finding, counted.bytes < sessionBytesMax));
  const content = text === null ? null : seal.seal(text);
  const isOver = ended > 0 && counted.open_runs === 0;
  await tx
    .updateTable('test_sessions')
    .set(({ eb }) => ({
      bytes: eb('bytes', '+', content?.length ?? 0),
      ...(isOver && { ended_at: event.createdAt }),
    }))
    .where('account_id', '=', key.account_id)
    .where('id', '=', key.id)
    .execute();
  const { runId, kind, attempt, resultId, createdAt } = event;
  await insertRows(tx, 'test_events', {
    ...ownedBy(accountId),
    session_id: key.id,
    number: counted.events,
    run_id: idBytes(runId),
    kind,
    attempt,
    result_id: idBytesOrNull(resultId),
    content,
    created_at: createdAt,
  });
  return true;
}

/** Files of the run are not stored. */
function storedFinding(finding: Finding, hasRoom: boolean): Finding {
  const { assets: _files, ...stored } = finding;
  return hasRoom ? stored : { ...stored, exchange: null };
}

function eventOf(row: TestEventsTable, seal: Seal): TestEvent {
  const { number, kind, attempt, content, created_at } = row;
  return {
    number,
    runId: idText(row.run_id),
    kind,
    attempt,
    resultId: idTextOrNull(row.result_id),
    finding: content === null ? null : parsed<Finding>(seal.open(content)),
    createdAt: created_at,
  };
}
