// The route that says who would be notified if a check failed now.
import type { CheckAlertingActions, ShownAlerting } from '#actions/alerts/check-alerting.ts';
import type { CheckAlertingBody } from '#contract/alerts/check-alerting.ts';
import { type Route, route } from '../route.ts';
import { isoTextOrNull, written } from '../wire.ts';

export function checkAlertingRoutes(actions: CheckAlertingActions): Route[] {
  return [route('getCheckAlerting', async ({ caller, params }) => toWire(await actions.find(caller, params.id)))];
}

function toWire({ settings, source, escalationSource, ...found }: ShownAlerting): CheckAlertingBody {
  return {
    alertSettings: settings,
    source,
    escalationSource,
    channels: found.channels.map(({ activeFrom, failingSince, escalatesAt, ...channel }) => ({
      ...written(channel),
      activeFrom: isoTextOrNull(activeFrom),
      escalatesAt: isoTextOrNull(escalatesAt),
      failingSince: isoTextOrNull(failingSince),
    })),
    heldBack: found.heldBack.map(({ until, ...reason }) => ({ ...reason, until: isoTextOrNull(until) })),
    dependsOn: [...found.needs],
    neededBy: written(found.neededBy),
  };
}
