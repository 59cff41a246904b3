// States that are not passing and not told as they stand are found without a look at the others (docs/decisions/0100).

/**
 * Its columns change when a check does, and none with each result: most results write no index. The last two are all that is
 * asked for, so that no row is read.
 */
export function untoldStates(): string[] {
  return [
    `CREATE INDEX check_states_untold ON check_states (account_id, check_id, status, alerted)
       WHERE status <> 'passing' AND alerted IS DISTINCT FROM status`,
  ];
}
