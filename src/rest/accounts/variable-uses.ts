// The route that says where an environment variable is used.
import type { VariableUseActions, VariableUses } from '#actions/accounts/variable-uses.ts';
import type { VariableUsesBody } from '#contract/accounts/variable.ts';
import { type Route, route } from '../route.ts';
import { written } from '../wire.ts';

export function variableUseRoutes(actions: VariableUseActions): Route[] {
  return [
    route('getVariableUses', async ({ caller, params, signal }) =>
      toWire(await actions.ofVariable(caller, params.key, signal)),
    ),
  ];
}

function toWire({ checks, groups, channels }: VariableUses): VariableUsesBody {
  const listed = checks.listed.map(({ id, name, isRequired }) => ({ id, name, required: isRequired }));
  return { checks: { total: checks.total, listed }, groups: written(groups), channels: written(channels) };
}
