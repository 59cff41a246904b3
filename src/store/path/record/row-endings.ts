// How rows of recording replace existing ones: ends of their INSERT statements, the same on both engines.

const replaced = (columns: string): string =>
  columns
    .split(' ')
    .map((column) => `${column} = excluded.${column}`)
    .join(', ');

/** By table; what is recorded twice is kept as it is. */
export const rowEndings = {
  results: 'ON CONFLICT DO NOTHING',
  exchanges: 'ON CONFLICT DO NOTHING',
  first_runs: 'ON CONFLICT DO NOTHING',
  passing_exchanges: `ON CONFLICT (account_id, check_id, location) DO UPDATE SET ${replaced('result_id exchange')}`,
  check_states: `ON CONFLICT (account_id, check_id) DO UPDATE SET ${replaced(
    'status since position_at position_started_at failed_in_a_row degraded_in_a_row failing_since alerted suppressed_by recovered_at failed_from passed_at incident_id ' +
      'incident_started_at acknowledged_at flapping flapping_since flapping_due_at by_location last_result_id last_outcome last_reason last_location last_response_us longest_response_us shortest_response_us ' +
      'certificate_valid_to certificate updated_at revision',
  )}`,
  // An update without a delivery keeps the last.
  notified: `ON CONFLICT (account_id, check_id, alert_channel_id) DO UPDATE SET
    ${replaced('open certificates notified_at reminders flapping is_grouped escalates_at alert_id')},
    delivery_id = coalesce(excluded.delivery_id, notified.delivery_id)`,
  alert_storms: `ON CONFLICT (account_id) DO UPDATE SET ${replaced('started_at is_current channels')}`,
} as const;
