// Deliveries in the reference's short form, one line per delivery (reference §4.7).
import type { Slice } from '#store/base/database.ts';
import type { Store } from '#store/store.ts';
import { type Caller, mayDo } from '#domain/accounts/api-key.ts';
import { type Delivery, type DeliveryStatus, deliveryStatuses } from '#domain/deliveries/delivery.ts';
import { lostStatuses } from '#domain/deliveries/delivery-purpose.ts';
import type { JsonObject } from '#domain/json.ts';
import type { Clock } from '#lib/clock.ts';
import { type DeliveryDeps, type LoggedDelivery, redactAll } from './deliveries.ts';
import { withoutSecretUrl } from './delivery-redactor.ts';
import { requirePermission } from '../accounts/permission.ts';
import { invalidField } from '../refusal.ts';

/** Filters. Times are epoch ms, inclusive. Default: from 24 hours before `to`, to now. */
export interface NotificationQuestion {
  readonly alertChannelId?: number;
  /** true = only deliveries that failed and are not retried. */
  readonly hasFailures?: boolean;
  readonly from?: number;
  readonly to?: number;
}

/** A delivery in the short form. */
export interface Notification {
  readonly delivery: Delivery;
  readonly channelType: string;
  /** Name, URL and method of the current channel; empty if it was deleted. */
  readonly alertConfig: Readonly<Record<string, string>>;
  /** Outcome of the last attempt, in a few words. */
  readonly result: string;
  readonly checkType: string | null;
}

export interface AlertNotificationDeps extends Pick<Store, 'alertNotifications'>, Pick<DeliveryDeps, 'redactorOf'> {
  readonly deliveries: Pick<DeliveryDeps['deliveries'], 'list'>;
  /** Shown for a deleted channel. */
  readonly defaultType: string;
  readonly clock: Clock;
}

export type AlertNotificationActions = ReturnType<typeof createAlertNotificationActions>;

const dayMs = 86_400_000;
const others: readonly DeliveryStatus[] = deliveryStatuses.filter((status) => !lostStatuses.includes(status));

export function createAlertNotificationActions(deps: AlertNotificationDeps) {
  const { deliveries, alertNotifications, redactorOf, clock } = deps;
  return {
    /** Newest first. */
    async list(caller: Caller, { alertChannelId, hasFailures, ...span }: NotificationQuestion, page: Slice) {
      requirePermission(caller, 'read');
      const to = span.to ?? clock.now();
      const from = span.from ?? to - dayMs;
      if (from > to) throw invalidField('from', 'must not be after to');
      const filter = {
        from,
        to,
        ...(alertChannelId !== undefined && { alertChannelId }),
        ...(hasFailures !== undefined && { statuses: hasFailures ? lostStatuses : others }),
      };
      const found = await deliveries.list(caller.accountId, filter, page);
      const rows = await redactAll(caller, found.rows, redactorOf);
      const facts = await alertNotifications.facts(caller.accountId, {
        alertChannelIds: [...new Set(rows.map(({ delivery }) => delivery.alertChannelId))],
        alertIds: rows.flatMap(({ delivery }) => delivery.alertId ?? []),
      });
      const shown = rows.map((row): Notification => {
        const channel = facts.channels.get(row.delivery.alertChannelId);
        return {
          delivery: row.delivery,
          channelType: channel?.type ?? deps.defaultType,
          alertConfig: shownConfig(
            mayDo(caller.role, 'write') ? (channel?.config ?? {}) : withoutSecretUrl(channel?.config ?? {}),
          ),
          result: resultOf(row),
          checkType: facts.checkTypes.get(row.delivery.alertId ?? '') ?? null,
        };
      });
      return { rows: shown, total: found.total };
    },
  };
}

/** Omits headers and templates, because they may contain secrets. */
function shownConfig(config: JsonObject): Record<string, string> {
  const shown: Record<string, string> = {};
  for (const key of ['name', 'url', 'method']) {
    const value = config[key];
    if (typeof value === 'string') shown[key] = value;
  }
  return shown;
}

function resultOf({ delivery, log }: LoggedDelivery): string {
  const last = log.at(-1);
  if (delivery.status === 'superseded') return delivery.error ?? 'superseded';
  if (delivery.status === 'digested') return 'sent in a grouped notification';
  if (last === undefined) return delivery.error ?? 'not sent yet';
  return last.error?.message ?? (last.response === null ? 'sent' : `HTTP ${last.response.status}`);
}
