// Sends a report at once through a channel: what the page shows, as a delivery like those of its schedule.
import type { Store } from '#store/store.ts';
import type { Caller } from '#domain/accounts/api-key.ts';
import type { Delivery } from '#domain/deliveries/delivery.ts';
import { hourMs } from '#domain/results/roll-up.ts';
import type { Clock } from '#lib/clock.ts';
import { requirePermission } from '../accounts/permission.ts';
import { invalidField, Refusal } from '../refusal.ts';
import type { AccountReportActions, AccountReportQuestion } from './account-reports.ts';

export interface AccountReportDeliveryDeps extends Pick<Store, 'accountReports' | 'alertChannels'> {
  readonly reports: Pick<AccountReportActions, 'read'>;
  /** Types of the channels that can send reports. */
  readonly reportTypes: readonly string[];
  /** What the operator must set up before channels of a type can send; null = nothing. */
  readonly missing: (type: string, accountId: string) => string | null;
  /** Hints that deliveries are due. */
  readonly wake: () => void;
  readonly clock: Clock;
}

export type AccountReportDeliveryActions = ReturnType<typeof createAccountReportDeliveryActions>;

/** Reports that an account may send on request in a clock hour. */
export const maxSentPerHour = 20;

export function createAccountReportDeliveryActions(deps: AccountReportDeliveryDeps) {
  const { accountReports, alertChannels, reports, reportTypes, clock } = deps;
  return {
    /**
     * Adds the delivery of a report. Refuses (`invalid`) an unknown channel and one that cannot send reports, what
     * `read` refuses, and (`too-many`) more than `maxSentPerHour`.
     */
    async send(
      caller: Caller,
      alertChannelId: number,
      question: AccountReportQuestion,
      signal: AbortSignal,
    ): Promise<Delivery> {
      requirePermission(caller, 'write');
      const { accountId } = caller;
      const found = await alertChannels.find(accountId, alertChannelId);
      if (found === null)
        throw invalidField('alertChannelId', `must be the ID of a channel: ${alertChannelId} not found`);
      const { type } = found.channel;
      if (!reportTypes.includes(type)) {
        throw invalidField(
          'alertChannelId',
          `must be a channel of type ${reportTypes.join(' or ')}: this one is ${type}`,
        );
      }
      const missing = deps.missing(type, accountId);
      if (missing !== null) throw invalidField('alertChannelId', missing);
      const report = await reports.read(caller, question, signal);
      if (signal.aborted)
        throw new Refusal('timeout', 'The report was not sent: the request ended before it was made.');
      const now = clock.now();
      const delivery = await accountReports.sendNow(accountId, alertChannelId, report, { now, max: maxSentPerHour });
      if (delivery === null) {
        throw new Refusal('too-many', `At most ${maxSentPerHour} reports can be sent per hour on request.`, {
          retryAfterSeconds: Math.ceil((hourMs - (now % hourMs)) / 1000),
        });
      }
      deps.wake();
      return delivery;
    },
  };
}
