// The one writer of the file. Writes that arrive within a few milliseconds share one durable commit (group commit);
// transactions of the query builder take their turn between them.
import { setTimeout as pause } from 'node:timers/promises';
import type { Connection } from './connection.ts';
import { StoreUnavailableError, storeErrorOf } from '../../base/unavailable.ts';

/** Runs writes one after the other on the writing connection. Nothing is acknowledged before it is durable. */
export interface WriteQueue {
  /** A synchronous piece of work, committed together with others that wait; if it throws, it alone is undone. */
  group<Answer>(work: (connection: Connection) => Answer): Promise<Answer>;
  /** The same without waiting for others to come: what waits already goes along. */
  groupNow<Answer>(work: (connection: Connection) => Answer): Promise<Answer>;
  /** A transaction of its own that may await queries on this connection, and nothing else. */
  single<Answer>(work: (connection: Connection) => Promise<Answer>): Promise<Answer>;
  /** Resolves when all that was asked for has been done; later calls are refused. */
  drain(): Promise<void>;
}

interface Piece {
  readonly work: (connection: Connection) => unknown;
  readonly isGroup: boolean;
  readonly isUrgent: boolean;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** How long a write waits for a command beside that writes as well, ms. */
const busyMostMs = 5000;
/** Between two looks whether it has let go, ms. */
const lookAgainMs = 2;
/** Writes in one commit at most: bounds how long a commit holds the loop. */
const groupMost = 200;

/**
 * @param onCommit told of each transaction that has ended
 * @param gatherMs how long the first write of a group waits for others
 */
export function createWriteQueue(connection: Connection, onCommit: () => void, gatherMs = 2): WriteQueue {
  const waiting: Piece[] = [];
  let isRunning = false;
  let isTimed = false;
  let isClosed = false;
  let isDrained = false;
  // SQLite would wait for another process within its call, and hold the loop: this queue waits by itself.
  connection.database.exec('PRAGMA busy_timeout = 0');
  const drained = Promise.withResolvers<void>();

  const add = <Answer>(work: Piece['work'], manner: Pick<Piece, 'isGroup' | 'isUrgent'>): Promise<Answer> =>
    new Promise((resolve, reject) => {
      enter({ work, ...manner, resolve: resolve as Piece['resolve'], reject });
    });
  const enter = (piece: Piece): void => {
    if (isClosed) return piece.reject(new StoreUnavailableError('the store is closed'));
    waiting.push(piece);
    if (isRunning) return;
    if (!piece.isGroup || gatherMs === 0 || waiting.length >= groupMost) {
      void run();
    } else if (piece.isUrgent) {
      setImmediate(run);
    } else if (!isTimed) {
      isTimed = true;
      setTimeout(run, gatherMs);
    }
  };

  const run = async (): Promise<void> => {
    isTimed = false;
    // A turn that was set for later may come after the last one, when the database is closed already.
    if (isRunning || isDrained) return;
    isRunning = true;
    while (waiting.length > 0) {
      let fault = begun(connection);
      for (const until = performance.now() + busyMostMs; isBusy(fault) && performance.now() < until;) {
        await pause(lookAgainMs);
        fault = begun(connection);
      }
      if (waiting[0]?.isGroup) commitGroup(connection, takeGroup(waiting), fault);
      else await commitSingle(connection, waiting.shift(), fault);
      onCommit();
      if (waiting.length > 0) await new Promise(setImmediate);
    }
    isRunning = false;
    if (!isClosed) return;
    isDrained = true;
    connection.database.exec(`PRAGMA busy_timeout = ${busyMostMs}`);
    drained.resolve();
  };

  return {
    group: (work) => add(work, { isGroup: true, isUrgent: false }),
    groupNow: (work) => add(work, { isGroup: true, isUrgent: true }),
    single: (work) => add(work, { isGroup: false, isUrgent: false }),
    drain: async () => {
      isClosed = true;
      void run();
      await drained.promise;
    },
  };
}

/** What waits and may share a commit. */
function takeGroup(waiting: Piece[]): Piece[] {
  const end = waiting.findIndex((piece) => !piece.isGroup);
  return waiting.splice(0, Math.min(end === -1 ? waiting.length : end, groupMost));
}

/** Begins a transaction; answers with what kept it from that, or null. */
function begun(connection: Connection): unknown {
  try {
    connection.prepare('BEGIN IMMEDIATE').run();
    return null;
  } catch (fault) {
    return fault;
  }
}

/** Whether another process is writing (SQLite's result code 5). */
function isBusy(fault: unknown): boolean {
  return fault instanceof Error && 'errcode' in fault && (Number(fault.errcode) & 0xff) === 5;
}

/** @param fault why there is no transaction; null = there is one */
function commitGroup(connection: Connection, pieces: readonly Piece[], fault: unknown): void {
  const answers: { piece: Piece; answer: unknown }[] = [];
  const refusals: { piece: Piece; error: Error }[] = [];
  try {
    if (fault !== null) throw fault;
    for (const piece of pieces) {
      try {
        if (pieces.length > 1) connection.prepare('SAVEPOINT piece').run();
        answers.push({ piece, answer: piece.work(connection) });
        if (pieces.length > 1) connection.prepare('RELEASE piece').run();
      } catch (cause) {
        // A full disk undoes the whole transaction by itself: then there is nothing left to keep of the others either.
        if (pieces.length === 1 || !connection.database.isTransaction) throw cause;
        connection.prepare('ROLLBACK TO piece').run();
        connection.prepare('RELEASE piece').run();
        refusals.push({ piece, error: storeErrorOf(cause) });
      }
    }
    connection.prepare('COMMIT').run();
  } catch (cause) {
    if (connection.database.isTransaction) connection.prepare('ROLLBACK').run();
    const error = storeErrorOf(cause);
    for (const piece of pieces) piece.reject(error);
    return;
  }
  for (const { piece, error } of refusals) piece.reject(error);
  for (const { piece, answer } of answers) piece.resolve(answer);
}

async function commitSingle(connection: Connection, piece: Piece | undefined, fault: unknown): Promise<void> {
  if (piece === undefined) return;
  try {
    if (fault !== null) throw fault;
    const answer = await piece.work(connection);
    connection.prepare('COMMIT').run();
    piece.resolve(answer);
  } catch (cause) {
    if (connection.database.isTransaction) connection.prepare('ROLLBACK').run();
    piece.reject(storeErrorOf(cause));
  }
}
