// Routes of the ledger (docs/decisions/0149).
import type { AccountLedger, LedgerActions, SystemLedger } from '#actions/operating/ledger.ts';
import type { LedgerBody, SystemLedgerBody } from '#contract/operating/ledger.ts';
import type { LedgerCounts, LedgerDifferences } from '#domain/results/ledger.ts';
import { type Route, route } from '../route.ts';
import { isoText } from '../wire.ts';

export function ledgerRoutes(ledgers: LedgerActions): Route[] {
  return [
    route('getLedger', async ({ caller, query, signal }) => toWire(await ledgers.read(caller, query, signal))),
    route('getSystemLedger', async ({ caller, query, signal }) =>
      systemToWire(await ledgers.readAll(caller, query, signal)),
    ),
  ];
}

function toWire(ledger: AccountLedger): LedgerBody {
  const { period, timeZone, span, storedFrom, createdAt, unstored, checks, otherChecks } = ledger;
  return {
    period,
    timeZone,
    from: isoText(span.from),
    to: isoText(span.to),
    storedFrom: isoText(storedFrom),
    createdAt: isoText(createdAt),
    ...sidesOf(ledger),
    unstored,
    checks: checks.map(({ runs: { degraded, failed, unknown, missed }, ...check }) => ({
      ...check,
      degraded,
      failed,
      unknown,
      missed,
    })),
    otherChecks,
  };
}

function systemToWire(ledger: SystemLedger): SystemLedgerBody {
  const { period, createdAt, accounts, unbalanced } = ledger;
  return { period, createdAt: isoText(createdAt), accounts, ...sidesOf(ledger), unbalanced: [...unbalanced] };
}

function sidesOf({
  runs,
  alerts,
  deliveries,
  differences,
}: LedgerCounts & { readonly differences: LedgerDifferences }): Pick<LedgerBody, 'runs' | 'alerts' | 'deliveries'> {
  const { scheduled, onDemand, outcomes, running, waiting } = runs;
  const { raised, muted, notified, suppressed, unsubscribed, expired } = alerts;
  return {
    runs: { scheduled, onDemand, ...outcomes, running, waiting, difference: differences.runs },
    alerts: { due: raised + muted, notified, suppressed, muted, unsubscribed, expired, difference: differences.alerts },
    deliveries: {
      added: deliveries.added,
      ...deliveries.statuses,
      expired: deliveries.expired,
      difference: differences.deliveries,
    },
  };
}
