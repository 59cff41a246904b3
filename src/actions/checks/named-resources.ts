// Validates the private locations, snippets and services of status pages that a check or group names.
import type { JsonObject, JsonValue } from '#domain/json.ts';
import type { IncidentTrigger } from '#domain/status-pages/status-incident.ts';
import type { Problem } from '../refusal.ts';

export interface NamedResourceDeps {
  readonly privateLocations: { all(accountId: string): Promise<readonly { readonly slugName: string }[]> };
  readonly snippets: { find(accountId: string, id: number): Promise<object | null> };
  readonly statusServices: { unknownOf(accountId: string, ids: readonly string[]): Promise<readonly string[]> };
}

/** Fields that name a snippet. */
export const snippetFields = ['setupSnippetId', 'tearDownSnippetId'] as const;

/** Fields of a check or group; for checks, snippets are part of the settings. */
type Naming = {
  readonly privateLocations?: readonly string[] | null;
  readonly triggerIncident?: Pick<IncidentTrigger, 'serviceId'> | null;
} & {
  readonly [Field in (typeof snippetFields)[number]]?: JsonValue;
};

/** What a check, or a change to it, names. */
export function naming({
  privateLocations,
  triggerIncident = null,
  settings,
}: {
  readonly privateLocations?: readonly string[] | null | undefined;
  readonly triggerIncident?: Naming['triggerIncident'];
  readonly settings: JsonObject;
}): Naming {
  return { ...settings, ...(privateLocations !== undefined && { privateLocations }), triggerIncident };
}

/**
 * Returns the private locations, snippets and services that the account does not have.
 * @param present the stored values, which stay valid even if what they name was removed
 */
export async function namedResourceProblems(
  accountId: string,
  written: Naming,
  present: Naming,
  { privateLocations, snippets, statusServices }: NamedResourceDeps,
): Promise<Problem[]> {
  const problems: Problem[] = [];
  const slugs = written.privateLocations ?? [];
  const own = slugs.length === 0 ? [] : (await privateLocations.all(accountId)).map(({ slugName }) => slugName);
  for (const [index, slug] of slugs.entries()) {
    if (own.includes(slug) || present.privateLocations?.includes(slug) === true) continue;
    const right = own.length === 0 ? 'the account has none' : `use ${own.join(', ')}`;
    problems.push({ path: `privateLocations[${index}]`, message: `is not the slug of a private location: ${right}` });
  }
  for (const path of snippetFields) {
    const id = written[path];
    if (typeof id !== 'number' || id === present[path]) continue;
    if ((await snippets.find(accountId, id)) === null)
      problems.push({ path, message: 'is not the ID of a snippet of this account' });
  }
  const { serviceId = null } = written.triggerIncident ?? {};
  const isNew = serviceId !== null && serviceId !== present.triggerIncident?.serviceId;
  if (isNew && (await statusServices.unknownOf(accountId, [serviceId])).length > 0)
    problems.push({ path: 'triggerIncident.serviceId', message: 'is not the ID of a service of status pages' });
  return problems;
}

/** Reads the private locations of an account once, for the edits of many checks. */
export function rememberLocations(
  privateLocations: NamedResourceDeps['privateLocations'],
): NamedResourceDeps['privateLocations'] {
  const known = new Map<string, ReturnType<typeof privateLocations.all>>();
  return {
    all(accountId) {
      const found = known.get(accountId) ?? privateLocations.all(accountId);
      known.set(accountId, found);
      return found;
    },
  };
}
