// What time it is at the database, asked by those who take work (docs/decisions/0016).
import type { Session } from './session.ts';

/** Half a lease: who is this far from the database's time has not seen yet that its clock was set, or was suspended, ms. */
const farOffMs = 5000;

/** Whether `now` is the database's time, as far as taking work goes (docs/decisions/0016). */
export async function isTheTime(session: Session, now: number): Promise<boolean> {
  const [row] = await session.query<{ off: number }>(
    'SELECT abs(extract(epoch FROM clock_timestamp()) * 1000 - $1)::float8 AS off',
    [now],
  );
  return row !== undefined && row.off < farOffMs;
}

/**
 * The same as a condition on what is taken, judged by the begin of the transaction: for one that waits for nothing after it.
 *
 * @param value the place of `now` among the values, as `$1`
 */
export function isTheTimeAt(value: string): string {
  return `abs(extract(epoch FROM now()) * 1000 - ${value}::bigint) < ${farOffMs}`;
}
