// A check as a caller may see it.
import type { SubscribedChannel } from '#domain/alerts/alert-channel.ts';
import type { Caller } from '#domain/accounts/api-key.ts';
import type { CheckGroup } from '#domain/checks/check-group.ts';
import type { Check } from '#domain/checks/check.ts';
import type { JsonObject } from '#domain/json.ts';
import { nextRunOf } from '#domain/checks/schedule.ts';
import { shownHeartbeat } from '../heartbeats/heartbeat-settings.ts';
import { objectOrNull, shownRequest, type ShownVariable, shownVariables } from '../masking.ts';
import type { Warned } from '../warnings.ts';

/** A check as it may be shown. */
export interface ShownCheck extends Warned<Omit<Check, 'environmentVariables'>> {
  readonly environmentVariables: readonly ShownVariable[];
  readonly alertChannelSubscriptions: readonly SubscribedChannel[];
  /** Of checks that are scripts: what is to be known of their runtime; null = nothing. */
  readonly runtimeWarning?: string | null;
  /** No channel is told when it fails. */
  readonly notifiesNobody: boolean;
  /** Its next slot, epoch ms; null = it has none. */
  readonly nextRunAt: number | null;
}

/** A check with the channels that are subscribed to it. */
export interface StoredCheck {
  readonly check: Check;
  readonly subscriptions: readonly SubscribedChannel[];
  /** No channel is told when it fails. */
  readonly notifiesNobody: boolean;
}

/** Where a heartbeat with that token is pinged. */
export type PingUrl = (token: string) => string;

interface ShowMeans {
  readonly pingUrl: PingUrl;
  /** Epoch ms. */
  readonly now: () => number;
}

/** A stored check as a caller may see it. @param group that of the check; null = it has none */
export function shownCheck(
  caller: Caller,
  { check, subscriptions, notifiesNobody }: StoredCheck,
  group: CheckGroup | null,
  { pingUrl, now }: ShowMeans,
): ShownCheck {
  return {
    ...check,
    environmentVariables: shownVariables(caller, check.environmentVariables),
    settings: shownSettings(caller, check.settings, pingUrl),
    alertChannelSubscriptions: subscriptions,
    notifiesNobody,
    nextRunAt: nextRunOf(check, group, now()),
  };
}

function shownSettings(caller: Caller, settings: JsonObject, pingUrl: PingUrl): JsonObject {
  const [request, heartbeat] = [objectOrNull(settings['request']), objectOrNull(settings['heartbeat'])];
  return {
    ...settings,
    ...(request !== null && { request: shownRequest(caller, request) }),
    ...(heartbeat !== null && { heartbeat: shownHeartbeat(caller, heartbeat, pingUrl) }),
  };
}
