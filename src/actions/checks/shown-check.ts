// Checks in responses.
import type { StoredCheck } from '#store/checks/checks.ts';
import type { SubscribedChannel } from '#domain/alerts/alert-channel.ts';
import type { Caller } from '#domain/accounts/api-key.ts';
import type { CheckGroup } from '#domain/checks/check-group.ts';
import type { Check } from '#domain/checks/check.ts';
import type { JsonObject } from '#domain/json.ts';
import { settingsWithShownMeaning } from '#domain/checks/absent-values.ts';
import { nextRunOf } from '#domain/checks/schedule.ts';
import { shownHeartbeat } from '../heartbeats/heartbeat-settings.ts';
import { objectOrNull, shownRequest, type ShownVariable, shownVariables } from '../masking.ts';
import type { Warned } from '../warnings.ts';

/** A check in a response. */
export interface ShownCheck extends Warned<Omit<Check, 'environmentVariables'>> {
  readonly environmentVariables: readonly ShownVariable[];
  readonly alertChannelSubscriptions: readonly SubscribedChannel[];
  /** For checks with scripts: the warning about their runtime; null = none. */
  readonly runtimeWarning?: string | null;
  /** No channel is notified of failures. */
  readonly notifiesNobody: boolean;
  /** Next scheduled run, epoch ms; null = none. */
  readonly nextRunAt: number | null;
}

/** Ping URL of a heartbeat token. */
export type PingUrl = (token: string) => string;

interface ShowDeps {
  readonly pingUrl: PingUrl;
  /** Epoch ms. */
  readonly now: () => number;
}

/** Converts a stored check to a response. @param group group of the check; null = none */
export function shownCheck(
  caller: Caller,
  { check, subscriptions, notifiesNobody }: StoredCheck,
  group: CheckGroup | null,
  { pingUrl, now }: ShowDeps,
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

function shownSettings(caller: Caller, stored: JsonObject, pingUrl: PingUrl): JsonObject {
  const settings = settingsWithShownMeaning(stored);
  const [request, heartbeat] = [objectOrNull(settings['request']), objectOrNull(settings['heartbeat'])];
  return {
    ...settings,
    ...(request !== null && { request: shownRequest(caller, request) }),
    ...(heartbeat !== null && { heartbeat: shownHeartbeat(caller, heartbeat, pingUrl) }),
  };
}
