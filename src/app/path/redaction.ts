// Masks channel secrets in deliveries that are shown or logged.
import { createRedactorOf, type RedactorOf } from '#actions/alerts/delivery-redactor.ts';
import { channelRules } from '#channels/rules.ts';
import type { Attempt } from '#domain/deliveries/delivery.ts';
import { lostReason, withoutPaths } from '#domain/deliveries/failing-channel.ts';
import { subscribersChannel, subscribersChannelId } from '#domain/deliveries/page-news.ts';
import type { Store } from '#store/store.ts';

/** Redactors for stored deliveries. */
export function redactorOfStore({ alertChannels, variables, checks, checkGroups }: Store): RedactorOf {
  return createRedactorOf({
    rules: channelRules,
    channelOf: async (accountId, id) =>
      id === subscribersChannelId
        ? subscribersChannel(accountId)
        : ((await alertChannels.find(accountId, id))?.channel ?? null),
    variablesOf: (accountId) => variables.all(accountId),
    groupVariablesOf: async (accountId, checkId) => {
      const groupId = (await checks.find(accountId, checkId))?.check.groupId ?? null;
      // For a check that was deleted or is in no group, the former group is unknown.
      if (groupId === null) return checkGroups.lockedVariables(accountId);
      return (await checkGroups.find(accountId, groupId))?.group.environmentVariables ?? [];
    },
  });
}

/**
 * Why a delivery was lost, for the log: masked as in the delivery log, and without paths, which may be secret.
 * @param attempt the attempt, or the reason if it had none, which contains no values; its last attempt is used then
 * @returns null = unknown or unreadable
 */
export async function loggedReason(
  store: Store,
  accountId: string,
  deliveryId: string,
  attempt: Attempt | string | null,
): Promise<string | null> {
  try {
    const found = await store.deliveries.find(accountId, deliveryId);
    const last = attempt === null || typeof attempt === 'string' ? found?.log.at(-1) : attempt;
    if (found === null) return null;
    if (last === undefined) return typeof attempt === 'string' ? attempt : null;
    const redactor = await redactorOfStore(store)(found.delivery);
    const reason = lostReason(redactor.attempt(last, found.delivery.request));
    return reason === null ? null : withoutPaths(reason);
  } catch {
    return null;
  }
}
