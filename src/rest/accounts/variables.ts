// Routes of environment variables (reference: variable).
import type { ShownVariable } from '#actions/masking.ts';
import type { VariableActions, VariableUseActions, VariableUses } from '#actions/accounts/variables.ts';
import type { Warned } from '#actions/warnings.ts';
import type { VariableBody, VariableUsesBody } from '#contract/accounts/variable.ts';
import { deleted, written } from '../wire.ts';
import { HttpRefusal } from '../http-refusal.ts';
import { pageOf, type Route, route, sliceOf } from '../route.ts';

export function variableRoutes(actions: VariableActions): Route[] {
  return [
    route('listVariables', async ({ caller, query }) =>
      pageOf(await actions.list(caller, sliceOf(query)), variableToWire),
    ),
    route('createVariable', async ({ caller, body }) => variableToWire(await actions.create(caller, body))),
    route('getVariable', async ({ caller, params }) => variableToWire(await actions.find(caller, params.key))),
    route('updateVariable', async ({ caller, params, body }) => {
      const { key = params.key, ...change } = body;
      if (key !== params.key) throw keyChanged(params.key);
      return variableToWire(await actions.change(caller, params.key, change));
    }),
    route('deleteVariable', async ({ caller, params }) => deleted(await actions.remove(caller, params.key))),
  ];
}

function keyChanged(key: string): HttpRefusal {
  const message = `cannot be changed from ${key}`;
  return new HttpRefusal(400, `key ${message}.`, { attributes: { key: message } });
}

/** A variable in a response. */
export function variableToWire({ key, value, locked, secret, warnings }: Warned<ShownVariable>): VariableBody {
  return { key, value, locked, secret, ...(warnings && { warnings: [...warnings] }) };
}

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
