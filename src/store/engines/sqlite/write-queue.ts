// The only writer of the file. Writes that arrive within a few milliseconds share one durable commit (group commit);
// transactions of the query builder take turns with them.
import { setTimeout as pause } from 'node:timers/promises';
import type { Connection } from './connection.ts';
import { StoreUnavailableError, storeErrorOf } from '../../base/unavailable.ts';

/** Runs writes sequentially on the writing connection. Nothing is acknowledged before it is durable. */
export interface WriteQueue {
  /** A synchronous write, committed together with other waiting ones; if it throws, only it is rolled back. */
  group<Answer>(work: (connection: Connection) => Answer): Promise<Answer>;
  /** The same without waiting for others to arrive; waiting ones are included. */
  groupNow<Answer>(work: (connection: Connection) => Answer): Promise<Answer>;
  /** A separate transaction, which may await only queries on this connection. */
  single<Answer>(work: (connection: Connection) => Promise<Answer>): Promise<Answer>;
  /** Resolves when all requested work is done; later calls are rejected. */
  drain(): Promise<void>;
}

interface Piece {
  readonly work: (connection: Connection) => unknown;
  readonly isGroup: boolean;
  readonly isUrgent: boolean;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** How long a write waits for a command that writes to the same file, ms. */
const maxBusyMs = 5000;
/** Interval between checks whether the lock was released, ms. */
const retryMs = 2;
/** Maximum number of writes per commit, because a commit blocks the event loop. */
const maxGroup = 200;

/**
 * @param onCommit called after each transaction
 * @param gatherMs how long the first write of a group waits for others
 */
export function createWriteQueue(connection: Connection, onCommit: () => void, gatherMs = 2): WriteQueue {
  const waiting: Piece[] = [];
  let isRunning = false;
  let isTimed = false;
  let isClosed = false;
  let isDrained = false;
  // SQLite would wait for another process within its call and block the event loop, so this queue waits itself.
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
    if (!piece.isGroup || gatherMs === 0 || waiting.length >= maxGroup) {
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
    // A scheduled turn may run after the last one, when the database is already closed.
    if (isRunning || isDrained) return;
    isRunning = true;
    while (waiting.length > 0) {
      let fault = begun(connection);
      for (const until = performance.now() + maxBusyMs; isBusy(fault) && performance.now() < until;) {
        await pause(retryMs);
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
    connection.database.exec(`PRAGMA busy_timeout = ${maxBusyMs}`);
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

/** Waiting writes that may share a commit. */
function takeGroup(waiting: Piece[]): Piece[] {
  const end = waiting.findIndex((piece) => !piece.isGroup);
  return waiting.splice(0, Math.min(end === -1 ? waiting.length : end, maxGroup));
}

/** Begins a transaction; returns the error that prevented it, or null. */
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
        // A full disk rolls back the whole transaction: then the other writes are lost as well.
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
