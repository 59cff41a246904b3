// Records of declared resources, and how they compare with what is stored.
import type { Caller } from '#domain/accounts/api-key.ts';
import { type SubscribedChannel, channelName } from '#domain/alerts/alert-channel.ts';
import type { EnvironmentVariable } from '#domain/accounts/environment-variable.ts';
import type { PrivateLocation } from '#domain/locations/private-location.ts';
import type { Snippet } from '#domain/scripts/snippet.ts';
import type { Check } from '#domain/checks/check.ts';
import type { JsonObject, JsonValue } from '#domain/json.ts';
import type { ResourceType } from '#domain/projects/resource.ts';
import type { ResourceRecords } from '#store/projects/kind.ts';
import { type ChannelDeps, draftChannel } from '../alerts/alert-channels.ts';
import { declaredGroup, type GroupDeps } from '../checks/check-groups.ts';
import { type CheckDeps, declaredCheck } from '../checks/checks.ts';
import { draftWindow, type MaintenanceWindowDeps } from '../checks/maintenance-windows.ts';
import { mergedValue, requireVariableName } from '../masking.ts';
import { type HookScriptDeps, scriptTextProblems } from '../checks/check-scripts.ts';
import { requireSlug, slugIsFixed } from '../locations/private-locations.ts';
import { invalidField, refuseProblems } from '../refusal.ts';
import type { ResourceInputs } from './inputs.ts';

/** A draft, and how to compare it with what is stored. */
export interface Drafted<Type extends ResourceType> {
  readonly write: ResourceRecords[Type]['write'];
  readonly name: string | null;
  /** The declared fields, and those of the stored record; null = there is none. */
  readonly declared: JsonObject;
  readonly stored: JsonObject | null;
  /** Path of a secret that differs and that no document shows; null = none does. */
  readonly changedSecret: string | null;
}

/** How a deployment identifies a resource. */
export interface Identity<Type extends ResourceType> {
  readonly physicalId: string;
  /** null = it is new. */
  readonly stored: ResourceRecords[Type]['stored'] | null;
  /** Whether its alert channels are those of the declaration, and whether they were before. */
  readonly isSubscribing: boolean;
  readonly wasSubscribing: boolean;
}

export function draftedVariable(
  input: ResourceInputs['variable'],
  stored: EnvironmentVariable | null,
): Drafted<'variable'> {
  if (stored === null) requireVariableName(input.key, 'key');
  const write: EnvironmentVariable = { ...input, value: mergedValue(input, stored, 'value') };
  const of = ({ key, value, locked, secret }: EnvironmentVariable): JsonObject => ({ key, value, locked, secret });
  return { write, name: write.key, declared: of(write), stored: stored && of(stored), changedSecret: null };
}

export const unmanaged = ['accountId', 'id', 'createdAt', 'updatedAt'] as const;
const unmanagedOfWindow = [...unmanaged, 'skippedOccurrences'];
const unmanagedOfChannel = [...unmanaged, 'exhaustedInARow', 'failingSince', 'secrets'];
const unmanagedOfMuted = [...unmanaged, 'mutedFrom'];

/** The fields of a record as JSON, without those that no declaration sets. */
export function plain(record: object, without: readonly string[]): JsonObject {
  const fields = Object.entries(record).filter(([name, value]) => !without.includes(name) && value !== undefined);
  return Object.fromEntries(fields);
}

export function draftedLocation(
  { name, slugName, icon }: ResourceInputs['private-location'],
  stored: PrivateLocation | null,
): Drafted<'private-location'> {
  if (stored === null) requireSlug(slugName);
  else if (stored.slugName !== slugName) throw invalidField('slugName', slugIsFixed(stored.slugName));
  const write = { name, slugName, icon };
  return { write, name, declared: write, stored: stored && plain(stored, unmanaged), changedSecret: null };
}

export async function draftedSnippet(
  { accountId }: Caller,
  { name, script }: ResourceInputs['snippet'],
  stored: Snippet | null,
  scripts: HookScriptDeps,
): Promise<Drafted<'snippet'>> {
  if (script !== stored?.script) refuseProblems(await scriptTextProblems(accountId, 'script', script, scripts));
  const write = { name, script };
  return { write, name, declared: write, stored: stored && plain(stored, unmanaged), changedSecret: null };
}

export async function draftedChannel(
  caller: Caller,
  { subscriptions, ...input }: ResourceInputs['alert-channel'],
  { physicalId, stored }: Identity<'alert-channel'>,
  deps: ChannelDeps,
): Promise<Drafted<'alert-channel'>> {
  const present = stored?.channel ?? null;
  if (present !== null && present.type !== input.type)
    throw invalidField('type', `cannot be changed from ${present.type}: use another logical ID`);
  if (subscriptions.length > 0)
    throw invalidField('subscriptions', 'must be empty: a check or group names its alert channels');
  const draft = await draftChannel(caller, input, stored?.subscriptions ?? [], present, deps);
  const write = { ...draft, id: Number(physicalId) };
  return {
    write,
    name: channelName(write),
    declared: plain(write, unmanagedOfChannel),
    stored: present && plain(present, unmanagedOfChannel),
    changedSecret:
      present !== null && JSON.stringify(write.secrets) !== JSON.stringify(present.secrets) ? 'config' : null,
  };
}

export async function draftedGroup(
  caller: Caller,
  input: ResourceInputs['check-group'],
  { stored, physicalId, ...identity }: Identity<'check-group'>,
  deps: GroupDeps,
): Promise<Drafted<'check-group'>> {
  const present = stored?.group ?? null;
  const draft = await declaredGroup(caller, input, present, deps);
  const group = { ...draft, accountId: caller.accountId, id: Number(physicalId) };
  const channels = channelsOf(input.alertChannelSubscriptions, stored, identity);
  return {
    write: { group, ...channels.change },
    name: group.name,
    declared: { ...plain(group, unmanagedOfMuted), ...channels.declared },
    stored: present && { ...plain(present, unmanagedOfMuted), ...channels.stored },
    changedSecret: null,
  };
}

export async function draftedCheck(
  caller: Caller,
  { checkType, ...input }: ResourceInputs['check'],
  { stored, physicalId, ...identity }: Identity<'check'>,
  deps: CheckDeps,
): Promise<Drafted<'check'>> {
  const present = stored?.check ?? null;
  const check = await declaredCheck(caller, physicalId, checkType, input, present, deps);
  const channels = channelsOf(input.alertChannelSubscriptions, stored, identity);
  const of = ({ settings, ...own }: Check): JsonObject => ({ ...plain(own, unmanagedOfMuted), ...settings });
  return {
    write: { check, ...channels.change, ...deps.missingVariables.namesOf(check) },
    name: check.name,
    declared: { ...of(check), ...channels.declared },
    stored: present && { ...of(present), ...channels.stored },
    changedSecret: null,
  };
}

/** Subscriptions that a declaration lists; a list that it no longer has becomes empty. */
function channelsOf(
  wanted: readonly SubscribedChannel[],
  stored: { readonly subscriptions: readonly SubscribedChannel[] } | null,
  { isSubscribing, wasSubscribing }: Pick<Identity<'check'>, 'isSubscribing' | 'wasSubscribing'>,
) {
  const isManaged = isSubscribing || wasSubscribing;
  const change = isManaged
    ? { subscriptions: wanted, isAutoAssigned: false }
    : { subscriptions: null, isAutoAssigned: stored === null };
  const listed = (all: readonly SubscribedChannel[]): JsonObject =>
    isManaged
      ? {
          alertChannelSubscriptions: all
            .toSorted((one, other) => one.alertChannelId - other.alertChannelId)
            .map(({ alertChannelId, activated, escalationMinutes }): JsonValue => ({
              alertChannelId,
              activated,
              escalationMinutes,
            })),
        }
      : {};
  return { change, declared: listed(wanted), stored: listed(stored?.subscriptions ?? []) };
}

export async function draftedWindow(
  { accountId }: Caller,
  input: ResourceInputs['maintenance-window'],
  { stored }: Identity<'maintenance-window'>,
  windows: Pick<MaintenanceWindowDeps['maintenanceWindows'], 'unknownOf'>,
): Promise<Drafted<'maintenance-window'>> {
  const write = await draftWindow(windows, accountId, input);
  return {
    write,
    name: write.name,
    declared: plain(write, unmanagedOfWindow),
    stored: stored && plain(stored, unmanagedOfWindow),
    changedSecret: null,
  };
}
