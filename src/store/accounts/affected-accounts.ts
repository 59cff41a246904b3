// How many accounts a problem of Tocsin affects, for its operator.
import { type ExpressionBuilder, sql } from 'kysely';
import { dayMs, dayOf, hourMs } from '#domain/results/roll-up.ts';
import { hourNumber } from '../base/counts.ts';
import type { Database } from '../base/database.ts';
import type { Tables } from '../base/tables/schema.ts';
import type { Gap } from './gaps.ts';

/** Numbers of what a problem affects. */
export interface Affected {
  readonly accounts: number;
  readonly checks: number;
}

export function createAffectedAccounts({ reader, clock }: Database) {
  const count = async (
    code: string,
    { isOwn, isBrowser }: Record<'isOwn' | 'isBrowser', boolean>,
  ): Promise<Affected> => {
    // A code has only letters, digits and hyphens.
    const names = (from: ExpressionBuilder<Tables, 'schedules'>) =>
      from.or([from('locations', 'like', `%"${code}"%`), ...(isOwn ? [from('locations', '=', '[]')] : [])]);
    const schedules = reader
      .selectFrom('schedules')
      .select(({ fn }) => [
        fn.count<number>(sql`DISTINCT schedules.account_id`).as('accounts'),
        fn.countAll<number>().as('checks'),
      ])
      .where(names);
    const browsers = schedules.where((from) =>
      from.exists(
        from
          .selectFrom('checks')
          .select('checks.id')
          .whereRef('checks.account_id', '=', 'schedules.account_id')
          .whereRef('checks.id', '=', 'schedules.check_id')
          .where('checks.check_type', '=', 'BROWSER'),
      ),
    );
    const row = await (isBrowser ? browsers : schedules).executeTakeFirstOrThrow();
    return { accounts: row.accounts, checks: row.checks };
  };
  return {
    /** Slots without a verdict, today and yesterday (UTC), of all accounts; null = none. */
    async gap(): Promise<(Gap & { readonly accounts: number }) | null> {
      const row = await reader
        .selectFrom('account_counts')
        .select(({ fn }) => [
          fn.count<number>(sql`DISTINCT account_id`).as('accounts'),
          fn.min('hour').as('hour'),
          sql<number | string>`SUM(missed - limited)`.as('missed'),
          sql<number | string>`SUM(unknown - misconfigured)`.as('unknown'),
        ])
        .where('hour', '>=', hourNumber(dayOf(clock.now()) - dayMs))
        .where(sql<boolean>`missed - limited + unknown - misconfigured > 0`)
        .executeTakeFirstOrThrow();
      if (row.accounts === 0) return null;
      const { accounts, hour, missed, unknown } = row;
      return { accounts, since: dayOf(hour * hourMs), missed: Number(missed), unknown: Number(unknown) };
    },
    /** Scheduled checks that name a location. */
    byLocation: (code: string) => count(code, { isOwn: false, isBrowser: false }),
    /** Scheduled browser checks that name a location. @param isOwn whether checks without a location run there, too */
    byBrowser: (code: string, isOwn: boolean) => count(code, { isOwn, isBrowser: true }),
  };
}

export type AffectedAccounts = ReturnType<typeof createAffectedAccounts>;
