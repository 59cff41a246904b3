// Undefined variables that checks use: warnings for writes, and notices.
import type { MissingUse, UsedVariables } from '#store/checks/check-variables.ts';
import type { Store } from '#store/store.ts';
import type { CheckGroup } from '#domain/checks/check-group.ts';
import type { Check } from '#domain/checks/check.ts';
import { namesUsedBy } from '#domain/checks/placeholder.ts';
import type { JsonObject } from '#domain/json.ts';
import { firstOf, type Notice } from '../operating/notices.ts';
import type { Warning } from '../warnings.ts';

/** Group settings that its checks use. */
export type UsedGroup = Pick<CheckGroup, 'apiCheckDefaults' | 'environmentVariables' | 'localSetupScript'> &
  Partial<Pick<CheckGroup, 'setupSnippetId'>>;

type UsingCheck = Pick<Check, 'accountId' | 'checkType' | 'settings' | 'environmentVariables'>;

interface Use {
  readonly path: string;
  readonly name: string;
}

/** Variables that a check cannot run without, and all that its settings and scripts mention. */
export type UsedNames = Required<UsedVariables>;

export interface MissingVariableDeps extends Pick<Store, 'checkVariables' | 'variables'> {
  /** Variables that a check uses, except those that a setup script mentions and therefore may set. */
  readonly variableUses: (check: Pick<Check, 'checkType' | 'settings'>, group: UsedGroup | null) => readonly Use[];
}

export type MissingVariables = ReturnType<typeof createMissingVariables>;

/** The check with all defaults of its group in use. */
const anyCheck = { checkType: 'API', settings: { request: { method: 'GET', url: '{{GROUP_BASE_URL}}' } } } as const;

/** Maximum number of notices. */
const maxNotices = 20;

export function createMissingVariables({ checkVariables, variables, variableUses }: MissingVariableDeps) {
  const keysOf = async (accountId: string): Promise<Set<string>> =>
    new Set((await variables.all(accountId)).map(({ key }) => key));
  const usesOfDefaults = (group: UsedGroup, known: ReadonlySet<string>): Use[] => {
    const defined = new Set([...known, ...groupNames(group)]);
    return variableUses(anyCheck, group).filter(
      ({ path, name }) => path.startsWith('apiCheckDefaults') && !defined.has(name),
    );
  };
  const all = async (accountId: string, names?: readonly string[]): Promise<MissingUse[]> => {
    const ofChecks = await checkVariables.missing(accountId, names && { names });
    const groups = await checkVariables.groups(accountId);
    const known = groups.length === 0 ? new Set<string>() : await keysOf(accountId);
    const ofGroups = groups.flatMap((group) => {
      const missing = new Set(usesOfDefaults(group, known).map(({ name }) => name));
      const { checks, changedAt: since } = group;
      return [...missing].map((name) => ({ name, checks, among: [`the group ${group.name}`], since }));
    });
    return byName([...ofChecks, ...ofGroups.filter(({ name }) => names?.includes(name) !== false)]);
  };
  return {
    /** Names to store with a check: variables that it does not define itself. */
    namesOf(check: UsingCheck): UsedNames {
      const own = new Set(check.environmentVariables.map(({ key }) => key));
      const kept = (names: Iterable<string>): string[] =>
        [...new Set(names)].filter((name) => !own.has(name) && name.length <= longestName).slice(0, maxNames);
      const variables = kept(variableUses(check, null).map(({ name }) => name));
      return { variables, mentioned: kept(namesUsedBy(check.settings)) };
    },
    /** Warnings for a write of a check. */
    async ofCheck(check: UsingCheck, group: UsedGroup | null): Promise<Warning[]> {
      const uses = variableUses(check, group);
      if (uses.length === 0) return [];
      const known = await keysOf(check.accountId);
      for (const { key } of check.environmentVariables) known.add(key);
      if (group !== null) for (const name of groupNames(group)) known.add(name);
      return uses.filter(({ name }) => !known.has(name)).map(({ path, name }) => ({ path, message: ofUse(name) }));
    },
    /** Warnings for a write of a group: its own defaults and its checks. */
    async ofGroup(group: UsedGroup & Pick<CheckGroup, 'accountId' | 'id'>): Promise<Warning[]> {
      const ofChecks = await checkVariables.missing(group.accountId, { groupId: group.id });
      const ofDefaults = usesOfDefaults(group, await keysOf(group.accountId));
      return [
        ...ofDefaults.map(({ path, name }) => ({ path, message: ofUse(name) })),
        ...ofChecks.map((use) => ({ path: 'environmentVariables', message: sentence(use) })),
      ];
    },
    /** Warnings for a deletion that removed definitions. */
    async ofDeletion(accountId: string, names: readonly string[]): Promise<Warning[]> {
      if (names.length === 0) return [];
      return (await all(accountId, names)).map((use) => ({ path: use.name, message: sentence(use) }));
    },
    async notices(accountId: string): Promise<Notice[]> {
      return (await all(accountId)).slice(0, maxNotices).map((use) => noticeOf(use));
    },
  };
}

/** Stored data of a check. */
const maxNames = 100;
const longestName = 256;

/** Names of variables that a group defines for its checks. */
export function groupNames({ apiCheckDefaults, environmentVariables }: UsedGroup): string[] {
  const hasUrl = hasText(apiCheckDefaults, 'url');
  return [...environmentVariables.map(({ key }) => key), ...(hasUrl ? ['GROUP_BASE_URL'] : [])];
}

function hasText(fields: JsonObject, name: string): boolean {
  return typeof fields[name] === 'string' && fields[name] !== '';
}

function ofUse(name: string): string {
  return `uses {{${name}}}, which is not defined in the check, its group or the account. The check cannot run until it is defined`;
}

function sentence({ name, checks, among }: MissingUse): string {
  const users = checks === 1 ? '1 check uses it and cannot run' : `${checks} checks use it and cannot run`;
  return `{{${name}}} is not defined, but ${users}: ${firstOf(among)}`;
}

function noticeOf(use: MissingUse): Notice {
  return {
    id: `missing-variable:${use.name}`,
    kind: 'missing-variable',
    since: use.since,
    subject: use.name,
    message: `${sentence(use)}.`,
    action: `Define ${use.name} in the checks, their group or the account (POST /v1/variables), or remove it from their settings.`,
  };
}

function byName(uses: readonly MissingUse[]): MissingUse[] {
  const names = new Map<string, MissingUse>();
  for (const use of uses) {
    const known = names.get(use.name);
    names.set(
      use.name,
      known === undefined
        ? use
        : {
            ...use,
            checks: known.checks + use.checks,
            among: [...known.among, ...use.among],
            since: Math.max(known.since, use.since),
          },
    );
  }
  return [...names.values()];
}
