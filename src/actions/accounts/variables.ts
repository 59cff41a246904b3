// Actions on environment variables of an account, and where they are used (reference: variable; spec §5).
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
import { notFound, Refusal, orNotFound } from '../refusal.ts';
import { nestedVariableWarnings, type Warned, type Warning, withWarnings } from '../warnings.ts';
import type { CheckGroup } from '#domain/checks/check-group.ts';
import { isNamedIn, namesUsedBy } from '#domain/checks/placeholder.ts';
import type { Users } from '#domain/accounts/account.ts';
import type { JsonObject } from '#domain/json.ts';
import { allOf, searchUses } from '../resource-uses.ts';

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
      const variable = orNotFound(await variables.find(caller.accountId, key), 'environment variable', key);
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
      return written(caller, orNotFound(changed, 'environment variable', key));
    },
    /** Returns warnings about checks that use the variable. */
    async remove(caller: Caller, key: string): Promise<readonly Warning[]> {
      requirePermission(caller, 'write');
      if (!(await variables.remove(caller.accountId, key))) throw notFound('environment variable', key);
      return missingVariables.ofDeletion(caller.accountId, [key]);
    },
  };
}

type VariableUseDeps = Pick<Store, 'variables' | 'checkVariables' | 'checkGroups' | 'alertChannels'>;

export interface VariableUses {
  readonly checks: Users<{ readonly id: string; readonly name: string; readonly isRequired: boolean }>;
  /** Groups whose defaults for API checks or scripts use it. */
  readonly groups: Users<{ readonly id: number; readonly name: string }>;
  readonly channels: Users<{ readonly id: number; readonly type: string }>;
}

export type VariableUseActions = ReturnType<typeof createVariableUseActions>;

/** Maximum number of users of each sort that are listed. */
const maxListed = 50;
/** Groups or channels that are read at once. */
const pageSize = 50;

export function createVariableUseActions({ variables, checkVariables, checkGroups, alertChannels }: VariableUseDeps) {
  return {
    /** Waits for its turn; refuses (`unavailable`) if the signal aborts first. */
    async ofVariable(caller: Caller, key: string, signal: AbortSignal): Promise<VariableUses> {
      requirePermission(caller, 'read');
      const { accountId } = caller;
      if ((await variables.find(accountId, key)) === null) throw notFound('environment variable', key);
      return searchUses(accountId, signal, async () => {
        const definers: number[] = [];
        const groups: VariableUses['groups']['listed'][number][] = [];
        for await (const { group } of allOf((slice) => checkGroups.list(accountId, {}, slice), pageSize)) {
          if (group.environmentVariables.some((own) => own.key === key)) definers.push(group.id);
          else if (usesOfGroup(group).has(key)) groups.push({ id: group.id, name: group.name });
        }
        const channels: VariableUses['channels']['listed'][number][] = [];
        for await (const { channel } of allOf((slice) => alertChannels.list(accountId, slice), pageSize)) {
          const { id, type, config, secrets } = channel;
          if (isNamedIn([config, secrets], key)) channels.push({ id, type });
        }
        const checks = await checkVariables.usesOf(accountId, key, definers, maxListed);
        return {
          checks: { total: checks.total, listed: checks.checks },
          groups: { total: groups.length, listed: groups.slice(0, maxListed) },
          channels: { total: channels.length, listed: channels.slice(0, maxListed) },
        };
      });
    },
  };
}

function usesOfGroup({ apiCheckDefaults, localSetupScript, localTearDownScript }: CheckGroup): ReadonlySet<string> {
  const settings: JsonObject = { apiCheckDefaults, localSetupScript, localTearDownScript };
  return namesUsedBy(settings);
}
