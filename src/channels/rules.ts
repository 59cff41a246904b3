// The rules of channels by type, for the rest of the service.
import type { AlertChannel } from '#domain/alerts/alert-channel.ts';
import type { ChannelPreset } from '#domain/alerts/channel-preset.ts';
import type { EnvironmentVariable } from '#domain/accounts/environment-variable.ts';
import type { TemplateVariables } from '#domain/alerts/template-variables.ts';
import type { JsonObject } from '#domain/json.ts';
import type { ChannelKind } from './kind.ts';
import { lockedOf, redactAttempt, redactFault, redactRequest } from './redact.ts';
import { channelKinds } from './registry.ts';
import { mergedConfig, shownConfig, storedConfig } from './secrets.ts';
import { sizeIssues } from './templates/channel-size.ts';
import type { RenderFacts } from './templates/context.ts';
import { type ConfigWarning, namesIn, nameWarnings, templateIssues } from './templates/fields.ts';

const kinds: ReadonlyMap<string, ChannelKind> = new Map(channelKinds.map((kind) => [kind.type, kind]));
const noSecrets: ReadonlySet<string> = new Set();

/** Throws for a type that this version does not know. */
function kindOf(type: string): ChannelKind {
  const kind = kinds.get(type);
  if (kind === undefined) throw new Error(`this version of Tocsin has no channels of the type ${type}`);
  return kind;
}

/** The rules of all channels. */
export const channelRules = {
  /** The type of a preview that names none, and of a channel that is gone. */
  defaultType: channelKinds[0].type,
  presets: channelKinds.flatMap(({ type, presets = [] }: ChannelKind): ChannelPreset[] =>
    presets.map((preset) => ({ type, ...preset })),
  ),
  /**
   * What must be refused at save (spec §5 rule 2; decisions: Webhook templates); empty = fine.
   *
   * @param secretNames keys of secret variables, which templates may not name
   */
  validateConfig(type: string, config: JsonObject, secretNames: ReadonlySet<string>) {
    const kind = kindOf(type);
    const templates = kind.templatesOf(config);
    const tooMuch = sizeIssues(templates);
    // From the one that is too much on, nothing is compiled.
    const end = tooMuch.length === 0 ? templates.length : templates.findIndex(({ path }) => path === tooMuch[0]?.path);
    const issues = templateIssues(templates.slice(0, end), secretNames);
    return [...issues, ...tooMuch, ...(kind.faults?.(config) ?? [])];
  },
  /** Why a stored configuration cannot be rendered; empty = it can. Compiles it. A secret that it names is no reason. */
  storedFaults(type: string, config: JsonObject) {
    const kind = kindOf(type);
    return [...templateIssues(kind.templatesOf(config), noSecrets), ...(kind.faults?.(config) ?? [])];
  },
  /** What there is too much of in one channel; part of `validateConfig`, and asked before anything is rendered unsaved. */
  sizeFaults: (type: string, config: JsonObject) => sizeIssues(kindOf(type).templatesOf(config)),
  /** What a preview warns of. `groupNames`: variables that have a value only where a group is the cause. */
  warnings(
    type: string,
    config: JsonObject,
    variables: TemplateVariables,
    secretNames: ReadonlySet<string>,
    groupNames: ReadonlySet<string>,
  ): ConfigWarning[] {
    const kind = kindOf(type);
    const fields = kind.templatesOf(config);
    const templates = namesIn(fields);
    const named = nameWarnings(templates, [...Object.keys(variables), ...groupNames], secretNames);
    // One that cannot be saved is never rendered: what it would do with other values does not matter yet.
    return templates.length < fields.length
      ? named
      : [...named, ...(kind.warnings?.(config, templates, variables) ?? [])];
  },
  /** What a write warns of. `defined`: variables of the account and its groups. */
  nameWarnings: (type: string, config: JsonObject, defined: ReadonlySet<string>) =>
    nameWarnings(namesIn(kindOf(type).templatesOf(config)), defined, noSecrets),
  /** Throws a TemplateError. */
  render: ({ type, config }: Pick<AlertChannel, 'type' | 'config'>, variables: TemplateVariables, facts: RenderFacts) =>
    kindOf(type).render(config, variables, facts),
  /** What must not be shown of a channel's deliveries; null = it is gone. */
  lockedOf(channel: Pick<AlertChannel, 'type' | 'config'> | null, variables: readonly EnvironmentVariable[]) {
    const none = { templatesOf: () => [] };
    return lockedOf(channel === null ? none : kindOf(channel.type), channel?.config ?? {}, variables);
  },
  redactRequest,
  redactAttempt,
  redactFault,
  storedConfig: (type: string, written: JsonObject, present: JsonObject, now: number) =>
    storedConfig(kindOf(type), written, present, now),
  shownConfig: (channel: Pick<AlertChannel, 'type' | 'config' | 'secrets'>, now: number) =>
    shownConfig(kindOf(channel.type), channel, now),
  mergedConfig: (channel: Pick<AlertChannel, 'type' | 'config' | 'secrets'>) =>
    mergedConfig(kindOf(channel.type), channel),
};
