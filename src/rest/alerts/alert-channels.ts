// Routes of alert channels and their subscriptions (reference §1).
import type { ChannelActions, ShownChannel } from '#actions/alerts/alert-channels.ts';
import type { AlertChannelBody, SubscriptionBody } from '#contract/alerts/alert-channel.ts';
import type { Subscription } from '#domain/alerts/alert-channel.ts';
import { pageOf, type Route, route, sliceOf } from '../route.ts';
import { expectedBy } from '../revisions.ts';
import { isoText, isoTextOrNull, written } from '../wire.ts';

export function alertChannelRoutes(actions: ChannelActions): Route[] {
  return [
    route('listAlertChannels', async ({ caller, query }) => pageOf(await actions.list(caller, sliceOf(query)), toWire)),
    route('createAlertChannel', async ({ caller, body }) => toWire(await actions.create(caller, body))),
    route('getAlertChannel', async ({ caller, params }) => toWire(await actions.find(caller, params.id))),
    route('updateAlertChannel', async ({ caller, params, body, headers }) =>
      toWire(await actions.change(caller, params.id, body, expectedBy(headers))),
    ),
    route('deleteAlertChannel', ({ caller, params }) => actions.remove(caller, params.id)),
    route('putSubscription', async ({ caller, params, body }) =>
      subscriptionToWire(await actions.subscribe(caller, params.id, body)),
    ),
    route('addSubscriptions', async ({ caller, params, body }) =>
      (await actions.subscribeMany(caller, params.id, body.subscriptions)).map(subscriptionToWire),
    ),
  ];
}

function toWire(channel: ShownChannel): AlertChannelBody {
  const { accountId: _account, config, activeHours, report, subscriptions, ...rest } = channel;
  const { createdAt, updatedAt, failingSince, lastDeliveredAt, exhaustedInARow: _count, ...fields } = rest;
  return {
    ...written(fields),
    // Only bodies that the contract has validated are stored.
    config: config as unknown as AlertChannelBody['config'],
    activeHours: activeHours as AlertChannelBody['activeHours'],
    report: report as AlertChannelBody['report'],
    subscriptions: subscriptions.map(subscriptionToWire),
    isFailing: failingSince !== null,
    failingSince: isoTextOrNull(failingSince),
    lastDeliveredAt: isoTextOrNull(lastDeliveredAt),
    created_at: isoText(createdAt),
    updated_at: isoTextOrNull(updatedAt),
  };
}

function subscriptionToWire({ id, checkId, groupId, activated, escalationMinutes }: Subscription): SubscriptionBody {
  return { id, checkId, groupId, activated, escalationMinutes };
}
