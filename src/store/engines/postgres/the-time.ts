// Checks a process's time against the database when it claims work (docs/decisions/0016).
import type { Session } from './session.ts';

/**
 * Half a lease: a process this far from the database's time has not noticed yet that its clock was set or the machine
 * suspended, ms.
 */
const farOffMs = 5000;

/** Whether `now` is close enough to the database's time for claiming work (docs/decisions/0016). */
export async function isTheTime(session: Session, now: number): Promise<boolean> {
  const [row] = await session.query<{ off: number }>(
    'SELECT abs(extract(epoch FROM clock_timestamp()) * 1000 - $1)::float8 AS off',
    [now],
  );
  return row !== undefined && row.off < farOffMs;
}

/**
 * The same as a condition of a claim, evaluated at the start of the transaction.
 * @param value placeholder of `now` among the values, such as `$1`
 */
export function isTheTimeAt(value: string): string {
  return `abs(extract(epoch FROM now()) * 1000 - ${value}::bigint) < ${farOffMs}`;
}
