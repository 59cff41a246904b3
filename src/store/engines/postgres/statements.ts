// Runs statements that are written once for both engines, in PostgreSQL.
import type { Statements } from '../statements.ts';
import type { Session } from './session.ts';

/** Runs statements of a transaction, each after the rows of the one before. */
export async function runStatements<Answer>(session: Session, statements: Statements<Answer>): Promise<Answer> {
  let step = statements.next([]);
  while (step.done !== true) step = statements.next(await session.query(step.value.text, step.value.values));
  return step.value;
}
