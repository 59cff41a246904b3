// What names a private location, a snippet or a variable.

/** Users of one sort: their number, and some of them. */
export interface Users<User> {
  readonly total: number;
  readonly listed: readonly User[];
}

/** The checks and groups that name a resource. */
export interface ResourceUsers {
  readonly checks: Users<{ readonly id: string; readonly name: string }>;
  readonly groups: Users<{ readonly id: number; readonly name: string }>;
}

export function isUsed({ checks, groups }: ResourceUsers): boolean {
  return checks.total + groups.total > 0;
}
