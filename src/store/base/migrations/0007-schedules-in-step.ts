// Schedules of one interval are planned in rounds, without a write to any of them (docs/decisions/0036).
import type { Dialect } from '../dialect.ts';
import { inStep } from '../../path/schedule/schedule-rounds.ts';

/** Every schedule keeps its own time until it is planned once more. */
export function schedulesInStep(dialect: Dialect): string[] {
  const { id, integer, instant } = dialect.types;
  const covered = dialect.covered('locations', 'run_parallel');
  return [
    `CREATE TABLE schedule_rounds (interval_ms ${integer} PRIMARY KEY NOT NULL, planned_to ${instant} NOT NULL,
      round_to ${instant}, at_slot ${instant}, at_account ${id}, at_check ${id})${dialect.clustered}`,
    ...dialect.churning('schedule_rounds'),
    `CREATE INDEX schedules_in_step ON schedules (interval_ms, phase_ms, account_id, check_id${covered})
      WHERE next_due_at = ${inStep}`,
  ];
}
