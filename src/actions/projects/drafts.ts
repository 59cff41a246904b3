// Drafts of declared resources: each is validated as if it were saved, together with the others that do not exist yet.
import type { Caller } from '#domain/accounts/api-key.ts';
import type { AlertChannel } from '#domain/alerts/alert-channel.ts';
import type { EnvironmentVariable } from '#domain/accounts/environment-variable.ts';
import type { CheckGroup } from '#domain/checks/check-group.ts';
import type { ResourceType } from '#domain/projects/resource.ts';
import type { ChannelDeps } from '../alerts/alert-channels.ts';
import type { GroupDeps } from '../checks/check-groups.ts';
import type { CheckDeps } from '../checks/checks.ts';
import type { MaintenanceWindowDeps } from '../checks/maintenance-windows.ts';
import { type DeclaredPageDeps, declaredPage } from '../status-pages/declared-page.ts';
import {
  type Drafted,
  draftedChannel,
  draftedCheck,
  draftedGroup,
  draftedLocation,
  draftedSnippet,
  draftedVariable,
  draftedWindow,
  type Identity,
  plain,
  unmanaged,
} from './draft-records.ts';
import type { ResourceInputs } from './inputs.ts';
import { createHash } from 'node:crypto';
import type { JsonObject } from '#domain/json.ts';
import { imageNames, type StatusPageWrite } from '#domain/status-pages/status-page.ts';
import type { PageImages } from '#store/status-pages/status-pages.ts';
import { refuseUnknownMembers, type StatusServiceDeps } from '../status-pages/status-services.ts';

/** What the drafts of each type need. */
export interface DraftDeps {
  readonly variables: ChannelDeps['variables'];
  readonly channels: ChannelDeps;
  readonly groups: GroupDeps;
  readonly checks: CheckDeps;
  readonly windows: Pick<MaintenanceWindowDeps['maintenanceWindows'], 'unknownOf'>;
  readonly pages: DeclaredPageDeps;
}

type Draft<Type extends ResourceType> = (
  caller: Caller,
  input: ResourceInputs[Type],
  identity: Identity<Type>,
) => Promise<Drafted<Type>>;

export type Drafts = { readonly [Type in ResourceType]: Draft<Type> };

/**
 * Drafts of one deployment; each sees the ones before it.
 * @param serviceIds IDs of the declared services, which checks name, and which name checks
 */
export function createDrafts(deps: DraftDeps, serviceIds: ReadonlySet<string>): Drafts {
  const drafted: Declared = {
    variables: new Map(),
    channels: new Map(),
    groups: new Map(),
    checkIds: new Set(),
    slugs: new Set(),
    snippetIds: new Set(),
    serviceIds,
  };
  const { checkGroups, variables, alertChannels, windows, named, pages } = together(deps, drafted);
  return {
    variable: (_caller, input, { stored }) => {
      const draft = draftedVariable(input, stored);
      drafted.variables.set(draft.write.key, draft.write);
      return Promise.resolve(draft);
    },
    'private-location': (_caller, input, { stored }) => {
      drafted.slugs.add(input.slugName);
      return Promise.resolve(draftedLocation(input, stored));
    },
    snippet: (caller, input, { stored, physicalId }) => {
      drafted.snippetIds.add(Number(physicalId));
      return draftedSnippet(caller, input, stored, deps.checks);
    },
    'alert-channel': async (caller, input, identity) => {
      const draft = await draftedChannel(caller, input, identity, { ...deps.channels, variables, checkGroups });
      drafted.channels.set(draft.write.id, draft.write);
      return draft;
    },
    'check-group': async (caller, input, identity) => {
      const draft = await draftedGroup(caller, input, identity, {
        ...deps.groups,
        ...named,
        checkGroups,
        alertChannels,
      });
      drafted.groups.set(draft.write.group.id, draft.write.group);
      return draft;
    },
    check: (caller, input, identity) => {
      drafted.checkIds.add(identity.physicalId);
      return draftedCheck(caller, input, identity, { ...deps.checks, ...named, checkGroups });
    },
    'maintenance-window': (caller, input, identity) => draftedWindow(caller, input, identity, windows),
    'status-service': (caller, input, identity) => draftedService(caller, input, identity, windows),
    'status-page': (caller, input, identity) => draftedPage(caller, input, identity, pages),
  };
}

/** What was drafted so far. */
interface Declared {
  readonly variables: Map<string, EnvironmentVariable>;
  readonly channels: Map<number, AlertChannel>;
  readonly groups: Map<number, CheckGroup>;
  readonly checkIds: Set<string>;
  readonly slugs: Set<string>;
  readonly snippetIds: Set<number>;
  readonly serviceIds: ReadonlySet<string>;
}

/** What is stored, together with what was drafted. */
function together(deps: DraftDeps, { variables, channels, groups, checkIds, slugs, snippetIds, serviceIds }: Declared) {
  const { alertChannels, checkGroups, privateLocations, snippets } = deps.groups;
  const statusServices = {
    unknownOf: (accountId: string, ids: readonly string[]) =>
      deps.pages.statusServices.unknownOf(
        accountId,
        ids.filter((id) => !serviceIds.has(id)),
      ),
  };
  return {
    named: {
      statusServices,
      privateLocations: {
        all: async (accountId: string) => [
          ...(await privateLocations.all(accountId)),
          ...[...slugs].map((slugName) => ({ slugName })),
        ],
      },
      snippets: {
        find: async (accountId: string, id: number) => (snippetIds.has(id) ? {} : snippets.find(accountId, id)),
      },
    },
    checkGroups: {
      ...checkGroups,
      find: async (accountId: string, id: number) => {
        const group = groups.get(id);
        return group === undefined ? checkGroups.find(accountId, id) : { group, subscriptions: [] };
      },
    },
    variables: {
      ...deps.variables,
      all: async (accountId: string) => {
        const stored = (await deps.variables.all(accountId)).filter(({ key }) => !variables.has(key));
        return [...stored, ...[...variables.values()].map((each) => ({ ...each, createdAt: 0, updatedAt: null }))];
      },
    },
    alertChannels: {
      ...alertChannels,
      find: async (accountId: string, id: number) => {
        const channel = channels.get(id);
        return channel === undefined ? alertChannels.find(accountId, id) : { ...unsent, channel };
      },
    },
    windows: {
      unknownOf: async (accountId: string, named: Parameters<DraftDeps['windows']['unknownOf']>[1]) => {
        const unknown = await deps.windows.unknownOf(accountId, named);
        return {
          checkIds: unknown.checkIds.filter((id) => !checkIds.has(id)),
          groupIds: unknown.groupIds.filter((id) => !groups.has(id)),
        };
      },
    },
    pages: { ...deps.pages, statusServices, alertChannels: kindsWith(deps.pages.alertChannels, channels) },
  };
}

/** The kinds of stored channels and of drafted ones. */
function kindsWith(
  stored: DraftDeps['pages']['alertChannels'],
  drafted: Declared['channels'],
): DraftDeps['pages']['alertChannels'] {
  return {
    kindsOf: async (accountId, ids) => {
      const declared = ids.flatMap((id) => drafted.get(id) ?? []);
      const others = ids.filter((id) => !drafted.has(id));
      return [...declared, ...(await stored.kindsOf(accountId, others))];
    },
  };
}

const unsent = { subscriptions: [], health: { lastDeliveredAt: null, waitingDeliveries: 0 } };

async function draftedService(
  { accountId }: Caller,
  write: ResourceInputs['status-service'],
  { stored }: Identity<'status-service'>,
  windows: StatusServiceDeps['maintenanceWindows'],
): Promise<Drafted<'status-service'>> {
  await refuseUnknownMembers(windows, accountId, write, stored);
  return {
    write,
    name: write.name,
    declared: plain(write, unmanaged),
    stored: stored && plain(stored, unmanaged),
    changedSecret: null,
  };
}

async function draftedPage(
  { accountId }: Caller,
  input: ResourceInputs['status-page'],
  { stored, physicalId }: Identity<'status-page'>,
  deps: DeclaredPageDeps,
): Promise<Drafted<'status-page'>> {
  const { page, images } = await declaredPage(accountId, physicalId, input, stored?.page ?? null, deps);
  const isNewPassword = stored !== null && page.passwordHash !== stored.page.passwordHash;
  return {
    write: { page, images },
    name: page.name,
    declared: documentOf(page, images),
    stored: stored && documentOf(stored.page, stored.images),
    changedSecret: isNewPassword ? 'password' : null,
  };
}

/** A page as it is compared: an image is its size and hash, and a card has no ID. */
function documentOf({ cards, ...page }: StatusPageWrite, images: PageImages): JsonObject {
  return {
    ...plain(page, [...unmanaged, 'passwordHash']),
    ...Object.fromEntries(imageNames.map((name) => [name, shownImage(images[name])])),
    cards: cards.map(({ name, serviceIds }) => ({ name, services: serviceIds })),
  };
}

function shownImage(image: PageImages['logo']): string | null {
  if (!image) return null;
  const hash = createHash('sha256').update(image.content).digest('hex').slice(0, 16);
  return `${image.mediaType}, ${image.content.length} bytes, SHA-256 ${hash}`;
}
