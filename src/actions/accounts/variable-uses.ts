// Says where a variable of the account is used: in checks, groups and channels.
import type { Page, Slice } from '#store/base/database.ts';
import type { Store } from '#store/store.ts';
import type { Caller } from '#domain/accounts/api-key.ts';
import type { CheckGroup } from '#domain/checks/check-group.ts';
import { isNamedIn, namesUsedBy } from '#domain/checks/placeholder.ts';
import type { Users } from '#domain/accounts/resource-users.ts';
import type { JsonObject } from '#domain/json.ts';
import { notFound } from '../refusal.ts';
import { searchUses } from '../resource-uses.ts';
import { requirePermission } from './permission.ts';

export interface VariableUseDeps {
  readonly variables: Pick<Store['variables'], 'find'>;
  readonly checkVariables: Pick<Store['checkVariables'], 'usesOf'>;
  readonly checkGroups: Pick<Store['checkGroups'], 'list'>;
  readonly alertChannels: Pick<Store['alertChannels'], 'list'>;
}

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
        for await (const { group } of allOf((slice) => checkGroups.list(accountId, {}, slice))) {
          if (group.environmentVariables.some((own) => own.key === key)) definers.push(group.id);
          else if (usesOfGroup(group).has(key)) groups.push({ id: group.id, name: group.name });
        }
        const channels: VariableUses['channels']['listed'][number][] = [];
        for await (const { channel } of allOf((slice) => alertChannels.list(accountId, slice))) {
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

/** All rows of a list; pages may be shorter than asked for. */
async function* allOf<Row>(page: (slice: Slice) => Promise<Page<Row>>): AsyncGenerator<Row, void> {
  for (let offset = 0; ;) {
    const { rows, total } = await page({ limit: pageSize, offset });
    yield* rows;
    offset += rows.length;
    if (rows.length === 0 || offset >= total) return;
    // Other requests come first.
    await new Promise((resolve) => setImmediate(resolve));
  }
}
