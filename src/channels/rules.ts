// Channel rules by type, for the rest of the service.
import type { AlertChannel, ChannelPreset } from '#domain/alerts/alert-channel.ts';
import { type Gateways, noGateways } from '#domain/deliveries/gateways.ts';
import type { Message } from '#domain/deliveries/delivery.ts';
import type { MessageView } from '#domain/deliveries/message-view.ts';
import type { EnvironmentVariable } from '#domain/accounts/environment-variable.ts';
import type { TemplateVariables } from '#domain/deliveries/template-variables.ts';
import type { JsonObject, JsonValue } from '#domain/json.ts';
import type { ChannelKind } from './kind.ts';
import { lockedOf, redactAttempt, redactFault, redactRequest, redactVariables } from './redact.ts';
import type { DigestMessage } from './parts/digest-summary.ts';
import type { NewsMessage } from './parts/news-message.ts';
import type { ReportMessage } from './parts/report-summary.ts';
import { channelKinds, sendingKinds } from './registry.ts';
import { sizeIssues } from './templates/channel-size.ts';
import type { RenderFacts } from './templates/context.ts';
import { type ConfigWarning, namesIn, nameWarnings, templateIssues, type ConfigIssue } from './templates/fields.ts';
import { helperReferences, randomReferences, variableTexts } from './templates/reference.ts';
import { mask } from '#domain/deliveries/shown-url.ts';
import { secretFields } from '#lib/schema/secrets.ts';

const kinds: ReadonlyMap<string, ChannelKind> = new Map(sendingKinds.map((kind) => [kind.type, kind]));
const noSecrets: ReadonlySet<string> = new Set();

/** Throws if this version does not know the type. */
function kindOf(type: string): ChannelKind {
  const kind = kinds.get(type);
  if (kind === undefined) throw new Error(`this version of Tocsin has no channels of the type ${type}`);
  return kind;
}

export const channelRules = {
  /** Type of previews that name none, and of deleted channels. */
  defaultType: channelKinds[0].type,
  /** What templates can use, described. */
  texts: { variableTexts, randomReferences, helperReferences },
  presets: channelKinds.flatMap(({ type, presets = [] }: ChannelKind): ChannelPreset[] =>
    presets.map((preset) => ({ type, ...preset })),
  ),
  /** Returns what the operator must set up before a channel of this type can be saved; null = nothing. */
  missing: (type: string, gateways: Gateways) => kindOf(type).missing?.(gateways) ?? null,
  /** Returns the quota that attempts of this type count towards; null = none. */
  quotaOf: (type: string) => kindOf(type).quota ?? null,
  /**
   * Returns what to reject on save (spec §5 rule 2; decisions: Webhook templates). Empty if valid.
   *
   * @param secretNames keys of secret variables, which templates must not use
   */
  validateConfig(type: string, config: JsonObject, secretNames: ReadonlySet<string>) {
    const kind = kindOf(type);
    const templates = kind.templatesOf(config);
    const tooMuch = sizeIssues(templates);
    // Templates beyond the size limits are not compiled.
    const end = tooMuch.length === 0 ? templates.length : templates.findIndex(({ path }) => path === tooMuch[0]?.path);
    const issues = templateIssues(templates.slice(0, end), secretNames);
    return [...issues, ...tooMuch, ...(kind.faults?.(config) ?? [])];
  },
  /**
   * Returns why a stored configuration cannot be rendered; empty if it can. Allows secrets, and compiles the templates.
   */
  storedFaults(type: string, config: JsonObject) {
    const kind = kindOf(type);
    return [...templateIssues(kind.templatesOf(config), noSecrets), ...(kind.faults?.(config) ?? [])];
  },
  /**
   * Returns which size limits a channel exceeds. Included in `validateConfig`; called separately before an unsaved
   * channel is rendered.
   */
  sizeFaults: (type: string, config: JsonObject) => sizeIssues(kindOf(type).templatesOf(config)),
  /** Returns preview warnings. `groupNames` are variables that have a value only if a group caused the alert. */
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
    // A channel that cannot be saved gets no further warnings.
    return templates.length < fields.length
      ? named
      : [...named, ...(kind.warnings?.(config, templates, variables) ?? [])];
  },
  /** Returns warnings of a write. `defined` holds the variables of the account and its groups. */
  nameWarnings: (type: string, config: JsonObject, defined: ReadonlySet<string>) =>
    nameWarnings(namesIn(kindOf(type).templatesOf(config)), defined, noSecrets),
  /** Renders a message. @throws TemplateError */
  render: (
    { type, config }: Pick<AlertChannel, 'type' | 'config'>,
    variables: TemplateVariables,
    facts: RenderFacts,
    gateways: Gateways = noGateways,
  ) => kindOf(type).render(config, variables, facts, gateways),
  /** How the receiver shows a rendered message; null = as the request. */
  view: (type: string, message: Message): MessageView | null => kindOf(type).view?.(message) ?? null,
  /** Whether a waiting message of channels of this type is superseded by a newer one of its incident. */
  isSuperseded: (type: string) => kinds.get(type)?.isSuperseded === true,
  /** Default of `grouping`. */
  isGrouped: (type: string, config: JsonObject): boolean => kindOf(type).isGrouped?.(config) ?? false,
  /** Whether channels of this type receive few messages about flapping checks. */
  isBrief: (type: string): boolean => kinds.get(type)?.isBrief ?? false,
  /** Whether channels of this type get digests in an alert storm. */
  isDigested: (type: string) => kinds.get(type)?.renderDigest !== undefined,
  /** Renders a digest; only for types that get them. */
  renderDigest(
    { type, config }: Pick<AlertChannel, 'type' | 'config'>,
    message: DigestMessage,
    facts: RenderFacts,
    gateways: Gateways = noGateways,
  ) {
    const digest = kindOf(type).renderDigest?.(config, message, facts, gateways);
    if (digest === undefined) throw new Error(`channels of the type ${type} do not get digests`);
    return digest;
  },
  /** Types of the channels that can receive reports on the account. */
  reportTypes: channelKinds
    .filter((kind: ChannelKind) => kind.renderReport !== undefined)
    .map(({ type }): string => type),
  /** Renders a report on the account; only for types that can receive them. */
  renderReport(
    { type, config }: Pick<AlertChannel, 'type' | 'config'>,
    message: ReportMessage,
    facts: RenderFacts,
    gateways: Gateways = noGateways,
  ) {
    const report = kindOf(type).renderReport?.(config, message, facts, gateways);
    if (report === undefined) throw new Error(`channels of the type ${type} do not receive reports`);
    return report;
  },
  /** Why a channel cannot receive changes of status pages; null = it can. */
  refusesNews: ({ type, config }: Pick<AlertChannel, 'type' | 'config'>): string | null => {
    const kind = kindOf(type);
    if (kind.renderNews === undefined) return `is of the type ${type}, which shows alerts only`;
    return kind.refusesNews?.(config) ?? null;
  },
  /** Renders changes of a status page; only for channels that can receive them. */
  renderNews(
    { type, config }: Pick<AlertChannel, 'type' | 'config'>,
    message: NewsMessage,
    facts: RenderFacts,
    gateways: Gateways = noGateways,
  ) {
    const news = kindOf(type).renderNews?.(config, message, facts, gateways);
    if (news === undefined) throw new Error(`channels of the type ${type} do not receive changes of status pages`);
    return news;
  },
  /** Returns what to mask in a channel's deliveries; `channel` is null if it was deleted. */
  lockedOf(
    channel: (Pick<AlertChannel, 'type' | 'config'> & Partial<Pick<AlertChannel, 'secrets'>>) | null,
    variables: readonly EnvironmentVariable[],
  ) {
    const none = { templatesOf: () => [] };
    return lockedOf(channel === null ? none : kindOf(channel.type), channel?.config ?? {}, variables, channel?.secrets);
  },
  redactRequest,
  redactAttempt,
  redactFault,
  redactVariables,
  storedConfig,
  shownConfig,
  mergedConfig,
};

type Stored = Pick<AlertChannel, 'config' | 'secrets'>;
type Channel = Pick<AlertChannel, 'type' | 'config' | 'secrets'>;

/**
 * Separates the secrets of a written configuration. A missing or masked secret is kept, null or an empty text removes
 * it, and any other text replaces it.
 *
 * @param present secrets stored so far
 * @param now epoch ms
 */
function storedConfig(
  type: string,
  written: JsonObject,
  present: JsonObject,
  now: number,
): Stored | { readonly issue: ConfigIssue } {
  const kind = kindOf(type);
  const config: Record<string, JsonValue> = { ...written };
  const secrets: Record<string, JsonValue> = { ...present };
  for (const name of secretFields(kind.config)) {
    const value = config[name];
    delete config[name];
    if (value === mask && secrets[name] === undefined) {
      const message = `is required: ${mask} is only the placeholder of a stored secret`;
      return { issue: { path: `config.${name}`, message } };
    }
    if (value === undefined || value === mask) continue;
    if (value === null || value === '') delete secrets[name];
    else secrets[name] = value;
  }
  return kind.secretRules?.stored({ config, secrets }, present, now) ?? { config, secrets };
}

/** Returns a configuration with masked secrets. @param now epoch ms */
function shownConfig({ type, config, secrets }: Channel, now: number): JsonObject {
  const kind = kindOf(type);
  const masks = secretFields(kind.config).map((name) => [name, secrets[name] === undefined ? null : mask]);
  return { ...(Object.fromEntries(masks) as JsonObject), ...config, ...kind.secretRules?.shown?.(secrets, now) };
}

/** Returns the configuration that a PATCH is merged into, with masked secrets. */
function mergedConfig({ type, config, secrets }: Channel): JsonObject {
  const names = secretFields(kindOf(type).config).filter((name) => secrets[name] !== undefined);
  return { ...Object.fromEntries(names.map((name) => [name, mask])), ...config };
}
