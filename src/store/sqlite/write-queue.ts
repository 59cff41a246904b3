// The one writer of the file. Writes that arrive within a few milliseconds share one durable commit (group commit);
// transactions of the query builder take their turn between them.
import type { Connection } from './connection.ts';
import { StoreUnavailableError, storeErrorOf } from '../unavailable.ts';

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

/**
 * @param gatherMs how long the first write of a group waits for others
 * @param groupMost writes in one commit at most: bounds how long a commit holds the loop
 */
export function createWriteQueue(connection: Connection, gatherMs = 2, groupMost = 200): WriteQueue {
  const waiting: Piece[] = [];
  let isRunning = false;
  let isTimed = false;
  let isClosed = false;
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
    if (isRunning) return;
    isRunning = true;
    while (waiting.length > 0) {
      if (waiting[0]?.isGroup) commitGroup(connection, takeGroup());
      else await commitSingle(connection, waiting.shift());
      if (waiting.length > 0) await new Promise(setImmediate);
    }
    isRunning = false;
    if (isClosed) drained.resolve();
  };

  const takeGroup = (): Piece[] => {
    const end = waiting.findIndex((piece) => !piece.isGroup);
    return waiting.splice(0, Math.min(end === -1 ? waiting.length : end, groupMost));
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

function commitGroup(connection: Connection, pieces: readonly Piece[]): void {
  const answers: { piece: Piece; answer: unknown }[] = [];
  const refusals: { piece: Piece; error: Error }[] = [];
  try {
    connection.prepare('BEGIN IMMEDIATE').run();
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

async function commitSingle(connection: Connection, piece: Piece | undefined): Promise<void> {
  if (piece === undefined) return;
  try {
    connection.prepare('BEGIN IMMEDIATE').run();
    const answer = await piece.work(connection);
    connection.prepare('COMMIT').run();
    piece.resolve(answer);
  } catch (cause) {
    if (connection.database.isTransaction) connection.prepare('ROLLBACK').run();
    piece.reject(storeErrorOf(cause));
  }
}
