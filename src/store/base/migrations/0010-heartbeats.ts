// Heartbeats, their pings, and those pings that wait to be judged (docs/decisions/0090).
import type { Dialect } from '../dialect.ts';

/** Only adds: a process of the version before runs on with it, and knows no heartbeats. */
export function heartbeats(dialect: Dialect): string[] {
  const { types, clustered } = dialect;
  const { id, text, integer, code, instant } = types;
  const check = `account_id ${id} NOT NULL, check_id ${id} NOT NULL`;
  const told = `signal ${code} NOT NULL, exit_code ${integer}, state ${code} NOT NULL, method ${text} NOT NULL,
    source ${text}, user_agent ${text}`;
  return [
    `CREATE TABLE heartbeats (${check}, token ${id} NOT NULL UNIQUE, is_active ${code} NOT NULL,
      period_ms ${integer} NOT NULL, grace_ms ${integer} NOT NULL, due_at ${instant} NOT NULL, timer_at ${instant},
      started_at ${instant}, result_at ${instant}, is_passing ${code} NOT NULL, is_excused ${code} NOT NULL,
      PRIMARY KEY (account_id, check_id))${clustered}`,
    'CREATE INDEX heartbeats_due ON heartbeats (due_at)',
    `CREATE TABLE pings (${check}, id ${id} NOT NULL, ${told}, body ${text},
      PRIMARY KEY (account_id, check_id, id))${clustered}${dialect.byDay('id')}`,
    ...dialect.otherDays('pings'),
    ...dialect.byAge('pings', 'id'),
    `CREATE TABLE waiting_pings (${check}, id ${id} NOT NULL, ${told}, received_at ${instant} NOT NULL,
      is_failure ${code} NOT NULL, interval_ms ${integer}, took_ms ${integer}, note ${text},
      PRIMARY KEY (account_id, check_id, id))${clustered}`,
    ...['heartbeats', 'waiting_pings'].flatMap((table) => dialect.churning(table)),
  ];
}
