// Builds analytics and reports from the history of results.
import { createAccountReportDeliveryActions } from '#actions/results/account-report-deliveries.ts';
import { createAccountReportActions } from '#actions/results/account-reports.ts';
import { type GapWait, historyAfterGaps } from '#actions/results/after-gaps.ts';
import { createAnalyticsActions } from '#actions/results/analytics.ts';
import { createUsageActions } from '#actions/operating/usage.ts';
import { createLedgerActions } from '#actions/operating/ledger.ts';
import { createCertificateActions } from '#actions/results/certificates.ts';
import { createReportActions } from '#actions/results/reports.ts';
import { channelRules } from '#channels/rules.ts';
import { kindOf } from '#checks/check-kinds.ts';
import { gatewaysOf } from '#domain/deliveries/gateways.ts';
import type { ActionDeps } from './deps.ts';

/** Analytics, reports, and sending them. */
export function figuresOf({ store, config, clock, wake }: ActionDeps, afterGaps: GapWait) {
  const figures = {
    ...store,
    serverTimeZone: config.serverTimeZone,
    checkHistory: historyAfterGaps(store.checkHistory, afterGaps, store.gaps),
    clock,
  };
  const accountReports = createAccountReportActions(figures);
  return {
    analytics: createAnalyticsActions({
      ...figures,
      retentionDays: config.retentionDays,
      measuresOf: (checkType) => kindOf(checkType).measures,
    }),
    reports: createReportActions(figures),
    accountReports,
    usage: createUsageActions({ usage: store.usage, sendingLimits: config.sendingLimits }),
    ledgers: createLedgerActions({ ...figures, retentionDays: config.retentionDays }),
    certificates: createCertificateActions(figures),
    accountReportDeliveries: createAccountReportDeliveryActions({
      ...store,
      reports: accountReports,
      reportTypes: channelRules.reportTypes,
      missing: (type, accountId) => channelRules.missing(type, gatewaysOf(config.gateways, accountId)),
      wake: () => wake('send-deliveries'),
      clock,
    }),
  };
}
