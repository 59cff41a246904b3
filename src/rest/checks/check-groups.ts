// Routes of check groups (reference §4.2, §4.4). The two versions differ only in their defaults.
import type { GroupActions, ShownGroup } from '#actions/checks/check-groups.ts';
import type { CheckGroupBody } from '#contract/checks/check-group.ts';
import { deleted, isoText, isoTextOrNull, written } from '../wire.ts';
import { checkToWire } from './checks.ts';
import { pageOf, type Route, route, sliceOf } from '../route.ts';
import { expectedBy } from '../revisions.ts';

export function checkGroupRoutes(actions: GroupActions): Route[] {
  return [
    route('listCheckGroups', async ({ caller, query }) => {
      const search = { tags: query.tag, names: query.name };
      return pageOf(await actions.list(caller, search, sliceOf(query)), toWire);
    }),
    route('createCheckGroup', async ({ caller, query, body }) =>
      toWire(await actions.create(caller, body, query.autoAssignAlerts)),
    ),
    route('createCheckGroupV2', async ({ caller, query, body }) =>
      toWire(await actions.create(caller, body, query.autoAssignAlerts, query.copyOf)),
    ),
    route('getCheckGroup', async ({ caller, params }) => toWire(await actions.find(caller, params.id))),
    route('updateCheckGroup', async ({ caller, params, body, headers }) =>
      toWire(await actions.change(caller, params.id, body, expectedBy(headers))),
    ),
    route('updateCheckGroupV2', async ({ caller, params, body, headers }) =>
      toWire(await actions.change(caller, params.id, body, expectedBy(headers))),
    ),
    route('upgradeAssertionsOfCheckGroup', async ({ caller, params }) =>
      toWire(await actions.upgradeAssertions(caller, params.id)),
    ),
    route('deleteCheckGroup', async ({ caller, params }) => deleted(await actions.remove(caller, params.id))),
    route('listChecksOfGroup', async ({ caller, params, query }) =>
      pageOf(await actions.listChecks(caller, params.id, sliceOf(query)), checkToWire),
    ),
    route('changeChecksOfGroup', ({ caller, params, body }) => actions.changeChecks(caller, params.id, body)),
    route('getCheckOfGroup', async ({ caller, params }) =>
      checkToWire(await actions.findCheck(caller, params.id, params.checkId)),
    ),
  ];
}

function toWire(group: ShownGroup): CheckGroupBody {
  const {
    accountId: _account,
    mutedFrom: _from,
    apiCheckDefaults,
    retryStrategy,
    mutedUntil,
    createdAt,
    updatedAt,
    ...rest
  } = group;
  return {
    ...written(rest),
    // Only bodies that the contract has validated are stored.
    apiCheckDefaults: apiCheckDefaults as unknown as CheckGroupBody['apiCheckDefaults'],
    retryStrategy,
    mutedUntil: isoTextOrNull(mutedUntil),
    created_at: isoText(createdAt),
    updated_at: isoTextOrNull(updatedAt),
  };
}
