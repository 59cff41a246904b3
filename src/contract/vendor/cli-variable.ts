// Variables as the `checkly` command line reads them: all of them, without pages.
import { wholeNumber } from '#lib/schema/fields.ts';
import { variableOperations } from '../accounts/variable.ts';
import { tagged, type Untagged } from '../operation.ts';
import { pageQuery } from '../paging.ts';

/** As many as an account usually has at most. */
const most = 1000;

export const cliVariableOperations = tagged('Environment variables', {
  listCliVariables: {
    ...variableOperations.listVariables,
    query: pageQuery.extend({ limit: wholeNumber(1, most).default(most) }),
    isPrivate: true,
    isCliVariant: true,
  },
} as const satisfies Untagged);
