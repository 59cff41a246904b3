/**
 * The kinds of alert channels, by type: the only place that lists them. What sends is not among it: that and its HTTP
 * client are loaded by the thread that sends alone (docs/decisions/0030).
 */
import type { ChannelPreset } from '#domain/alerts/channel-preset.ts';
import type { ChannelType } from '#domain/alerts/alert-channel.ts';
import type { RenderedRequest, SendOutcome } from '#domain/alerts/delivery.ts';
import type { EnvironmentVariable } from '#domain/accounts/environment-variable.ts';
import type { JsonObject } from '#domain/json.ts';
import type { TemplateVariables } from '#domain/alerts/template-variables.ts';
import type { RenderFacts } from './templates/context.ts';
import { sizeIssues } from './kinds/webhook/channel-size.ts';
import { presets } from './kinds/webhook/presets.ts';
import { warnAboutNames, warnAboutWebhook } from './kinds/webhook/preview.ts';
import type { PreviewWarning } from './kinds/webhook/trial.ts';
import { lockedOf, redactAttempt, redactFault, redactRequest } from './kinds/webhook/redact.ts';
import type { Locked } from './kinds/webhook/redact.ts';
import { renderWebhook } from './kinds/webhook/render.ts';
import { faultsOfWebhook, validateWebhook } from './kinds/webhook/validate.ts';
import type { ConfigIssue } from './kinds/webhook/validate.ts';

/** What the rest of the service needs of a kind of channel. */
export interface ChannelKind {
  /** What must be refused at save; empty = fine. `secretNames`: keys of secret variables, which templates may not name. */
  validateConfig(config: JsonObject, secretNames: ReadonlySet<string>): ConfigIssue[];
  /** Why a stored one cannot be rendered; empty = it can. Compiles it. A secret that it names is no reason. */
  storedFaults(config: JsonObject): ConfigIssue[];
  /** What there is too much of in one channel; part of `validateConfig`, and asked before anything is rendered unsaved. */
  sizeFaults(config: JsonObject): ConfigIssue[];
  /** What a preview warns of. `groupNames`: variables that have a value only where a group is the cause. */
  warnings(
    config: JsonObject,
    variables: TemplateVariables,
    secretNames: ReadonlySet<string>,
    groupNames: ReadonlySet<string>,
  ): PreviewWarning[];
  /** What a write warns of. `defined`: variables of the account and its groups. */
  nameWarnings(config: JsonObject, defined: ReadonlySet<string>): PreviewWarning[];
  /** Configurations to start from. */
  readonly presets: readonly ChannelPreset[];
  /** The one request of a delivery; a TemplateError ends the delivery as failed. */
  render(config: JsonObject, variables: TemplateVariables, facts: RenderFacts): RenderedRequest;
  /** What must not be shown of a channel's deliveries. */
  lockedOf(config: JsonObject, variables: readonly EnvironmentVariable[]): Locked;
  redactRequest(request: RenderedRequest, locked: Locked): RenderedRequest;
  redactAttempt<A extends SendOutcome>(attempt: A, request: RenderedRequest | null, locked: Locked): A;
  /** What is said of the template in a field. */
  redactFault(path: string, message: string, locked: Locked): string;
}

const noSecrets: ReadonlySet<string> = new Set();

/** Channel type → kind. */
export const channelKinds: Readonly<Record<ChannelType, ChannelKind>> = {
  WEBHOOK: {
    validateConfig: validateWebhook,
    storedFaults: (config) => faultsOfWebhook(config, noSecrets),
    sizeFaults: sizeIssues,
    warnings: warnAboutWebhook,
    nameWarnings: warnAboutNames,
    presets,
    render: renderWebhook,
    lockedOf,
    redactRequest,
    redactAttempt,
    redactFault,
  },
};
