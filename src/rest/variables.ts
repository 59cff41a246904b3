// Environment variables over HTTP (reference: variable).
import type { VariableBody } from '#contract/variable.ts';
import type { Caller } from '#domain/api-key.ts';
import type { EnvironmentVariable } from '#domain/environment-variable.ts';
import { HttpRefusal } from './http-refusal.ts';
import { pageOf, type Route, route, sliceOf } from './route.ts';

/** What a caller may do with the variables of its account. Refuses with `not-found`, and `conflict` for a key that is there. */
export interface VariableActions {
  list(
    caller: Caller,
    slice: { readonly limit: number; readonly offset: number },
  ): Promise<{ readonly rows: readonly EnvironmentVariable[]; readonly total: number }>;
  create(caller: Caller, variable: EnvironmentVariable): Promise<EnvironmentVariable>;
  find(caller: Caller, key: string): Promise<EnvironmentVariable>;
  change(caller: Caller, key: string, change: Partial<EnvironmentVariable>): Promise<EnvironmentVariable>;
  remove(caller: Caller, key: string): Promise<void>;
}

/** The routes of environment variables. */
export function variableRoutes(actions: VariableActions): Route[] {
  return [
    route('listVariables', async ({ caller, query }) => pageOf(await actions.list(caller, sliceOf(query)), toWire)),
    route('createVariable', async ({ caller, body }) => toWire(await actions.create(caller, body))),
    route('getVariable', async ({ caller, params }) => toWire(await actions.find(caller, params.key))),
    route('updateVariable', async ({ caller, params, body }) => {
      const { key = params.key, ...change } = body;
      if (key !== params.key) throw keyChanged(params.key);
      return toWire(await actions.change(caller, params.key, change));
    }),
    route('deleteVariable', ({ caller, params }) => actions.remove(caller, params.key)),
  ];
}

function keyChanged(key: string): HttpRefusal {
  const message = `must stay ${key}: a key cannot be changed`;
  return new HttpRefusal(400, `key ${message}.`, { attributes: { key: message } });
}

function toWire({ key, value, locked, secret }: EnvironmentVariable): VariableBody {
  return { key, value: secret ? null : value, locked, secret };
}
