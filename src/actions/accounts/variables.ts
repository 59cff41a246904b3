// Actions on environment variables of an account (reference: variable; spec §5).
import type { Page, Slice } from '#store/base/database.ts';
import type { Store } from '#store/store.ts';
import type { Caller } from '#domain/accounts/api-key.ts';
import type { EnvironmentVariable } from '#domain/accounts/environment-variable.ts';
import {
  type ShownVariable,
  shownVariables,
  mergedValue,
  type VariableInput,
  requireVariableName,
} from '../masking.ts';
import type { MissingVariables } from '../checks/missing-variables.ts';
import { requirePermission } from './permission.ts';
import { notFound, Refusal } from '../refusal.ts';
import { nestedVariableWarnings, type Warned, type Warning, withWarnings } from '../warnings.ts';

export interface VariableDeps extends Pick<Store, 'variables'> {
  readonly missingVariables: Pick<MissingVariables, 'ofDeletion'>;
}

/** Responses never contain secret values, and locked values only for callers who may change them. */
export type VariableActions = ReturnType<typeof createVariableActions>;

export function createVariableActions({ variables, missingVariables }: VariableDeps) {
  const shown = (caller: Caller, variable: EnvironmentVariable): ShownVariable => {
    const [one] = shownVariables(caller, [variable]);
    return one ?? { ...variable, value: null };
  };
  const written = (caller: Caller, variable: EnvironmentVariable): Warned<ShownVariable> =>
    withWarnings(
      shown(caller, variable),
      nestedVariableWarnings([variable], () => 'value'),
    );
  return {
    /** Ordered by key. */
    async list(caller: Caller, slice: Slice): Promise<Page<ShownVariable>> {
      requirePermission(caller, 'read');
      const { rows, total } = await variables.list(caller.accountId, slice);
      return { rows: shownVariables(caller, rows), total };
    },
    async find(caller: Caller, key: string): Promise<ShownVariable> {
      requirePermission(caller, 'read');
      const variable = await variables.find(caller.accountId, key);
      if (variable === null) throw notFound('environment variable', key);
      return shown(caller, variable);
    },
    /** Refuses (`conflict`) a key that exists. */
    async create(caller: Caller, input: VariableInput): Promise<Warned<ShownVariable>> {
      requirePermission(caller, 'write');
      requireVariableName(input.key, 'key');
      const variable: EnvironmentVariable = { ...input, value: mergedValue(input, null, 'value') };
      if (!(await variables.add(caller.accountId, variable))) {
        throw new Refusal('conflict', `The environment variable ${variable.key} already exists.`);
      }
      return written(caller, variable);
    },
    /** Keeps fields that are not given. Refuses to turn a secret into a plain variable without a new value. */
    async change(caller: Caller, key: string, { value = null, ...change }: Partial<Omit<VariableInput, 'key'>>) {
      requirePermission(caller, 'write');
      const changed = await variables.change(caller.accountId, key, (present) => {
        const next = { ...present, ...change };
        const isKept = value === null && !present.secret;
        return { ...next, value: isKept ? present.value : mergedValue({ ...next, value }, present, 'value') };
      });
      if (changed === null) throw notFound('environment variable', key);
      return written(caller, changed);
    },
    /** Returns warnings about checks that use the variable. */
    async remove(caller: Caller, key: string): Promise<readonly Warning[]> {
      requirePermission(caller, 'write');
      if (!(await variables.remove(caller.accountId, key))) throw notFound('environment variable', key);
      return missingVariables.ofDeletion(caller.accountId, [key]);
    },
  };
}
