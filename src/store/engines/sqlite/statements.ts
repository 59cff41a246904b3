// Runs statements that are written once for both engines, in SQLite.
import type { Statements } from '../statements.ts';
import type { Connection, Values } from './connection.ts';

/** Runs statements of a transaction. */
export function runStatements<Answer>(connection: Connection, statements: Statements<Answer>): Answer {
  let step = statements.next([]);
  while (step.done !== true) {
    const { text, values } = step.value;
    step = statements.next(connection.select(numbered(text))(...(values as Values)));
  }
  return step.value;
}

/** The same with numbered values as in SQLite, where `$1` is a name. */
function numbered(text: string): string {
  return text.replaceAll(/\$(?=\d)/g, '?');
}
