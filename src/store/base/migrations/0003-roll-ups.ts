// Roll-ups of results by hour and day, and what they are made and kept right with.
import type { Dialect } from '../dialect.ts';

/** Only adds: a process of the version before runs on with it. */
export function rollUps(dialect: Dialect): string[] {
  const { types, clustered } = dialect;
  const { id, text, integer, code, instant, bytes } = types;
  const check = `account_id ${id} NOT NULL, check_id ${id} NOT NULL`;
  const counts = ['passed', 'degraded', 'failed', 'unknown', 'missed', 'retries', 'known_ms', 'down_ms', 'unknown_ms'];
  return [
    `ALTER TABLE results ADD COLUMN interval_ms ${integer}`,
    `CREATE TABLE roll_ups (${check}, span ${code} NOT NULL, start_at ${instant} NOT NULL, location ${text} NOT NULL,
      ${counts.map((name) => `${name} ${integer} NOT NULL`).join(', ')}, responses ${bytes}, failed_responses ${bytes},
      PRIMARY KEY (account_id, check_id, span, start_at, location))${clustered}`,
    `CREATE TABLE missed_stretches (${check}, result_id ${id} NOT NULL, location ${text} NOT NULL,
      slot_at ${instant} NOT NULL, slots ${integer} NOT NULL, interval_ms ${integer} NOT NULL, end_at ${instant} NOT NULL,
      PRIMARY KEY (account_id, check_id, result_id))${clustered}`,
    `CREATE TABLE late_hours (${check}, start_at ${instant} NOT NULL, touched ${integer} NOT NULL,
      PRIMARY KEY (account_id, check_id, start_at))${clustered}`,
    'CREATE INDEX late_hours_by_age ON late_hours (start_at)',
  ];
}
