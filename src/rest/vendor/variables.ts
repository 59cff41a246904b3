// Variables for the `checkly` command line.
import type { VariableActions } from '#actions/accounts/variables.ts';
import { variableToWire } from '../accounts/variables.ts';
import { pageOf, type Route, route, sliceOf } from '../route.ts';

export function cliVariableRoutes(variables: Pick<VariableActions, 'list'>): Route[] {
  return [
    route('listCliVariables', async ({ caller, query }) =>
      pageOf(await variables.list(caller, sliceOf(query)), variableToWire),
    ),
  ];
}
