// Trying a channel: what it would send (preview), and sending it once to see what comes back (test message).
import type { DeliveryHold } from '#domain/alerts/delivery-hold.ts';
import { holdWords, releaseHint } from './held-deliveries.ts';
import type { ChannelPreset } from '#domain/alerts/channel-preset.ts';
import type { AlertChannel } from '#domain/alerts/alert-channel.ts';
import type { AlertType } from '#domain/alerts/alert.ts';
import type { Caller } from '#domain/accounts/api-key.ts';
import type { Attempt, Delivery, Message } from '#domain/alerts/delivery.ts';
import type { EnvironmentVariable } from '#domain/accounts/environment-variable.ts';
import type { JsonObject } from '#domain/json.ts';
import type { DeliveryFacts } from '#domain/results/recording.ts';
import { sampleAlert } from '#domain/alerts/sample-alert.ts';
import type { TemplateVariables } from '#domain/alerts/template-variables.ts';
import type { Clock } from '#lib/clock.ts';
import { newId } from '#lib/id.ts';
import { visibleVariables } from '../masking.ts';
import { requirePermission } from '../accounts/permission.ts';
import { invalidField, notFound, Refusal } from '../refusal.ts';
import { type Hints, waitUntil } from '../checks/wait-until.ts';

/** A fault of a template, and where it stands. Lines and columns count from 1. */
export interface TemplateFault {
  readonly path: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** What will probably go wrong, and where. Lines and columns count from 1. */
export interface TemplateWarning {
  readonly path: string;
  readonly message: string;
  readonly line?: number;
  readonly column?: number;
  /** The smallest value that does it. */
  readonly example?: string;
}

/** What a preview shows. */
export interface Preview {
  /** null when a template cannot be rendered. */
  readonly request: Message | null;
  readonly warnings: readonly TemplateWarning[];
  readonly errors: readonly TemplateFault[];
}

/** What is previewed. */
export interface PreviewOrder {
  readonly type: string;
  readonly config: JsonObject;
  readonly alertType: AlertType;
  readonly checkResultId: string | null;
  /** Laid over the variables, system names included. */
  readonly variables: TemplateVariables;
}

/** The facts of an alert and how they are put into variables. */
export interface MessageAlert {
  readonly facts: Omit<DeliveryFacts, 'deliveryId' | 'createdAt' | 'alertType' | 'channel' | 'isViaGroup'>;
  readonly url: string | null;
  readonly status: number | null;
  readonly statusText: string | null;
}

/** What these actions need. */
export interface AlertMessageMeans {
  readonly channels: { find(accountId: string, id: number): Promise<{ readonly channel: AlertChannel } | null> };
  readonly heldDeliveries: { find(): Promise<DeliveryHold | null> };
  readonly variables: { all(accountId: string): Promise<readonly EnvironmentVariable[]> };
  /** What the variables of all groups are called. */
  readonly groupKeys: (accountId: string) => Promise<readonly Pick<EnvironmentVariable, 'key' | 'secret'>[]>;
  /** A real result with its check; null = there is none of that id. */
  readonly resultOf: (accountId: string, checkResultId: string) => Promise<MessageAlert | null>;
  readonly variablesOf: (facts: DeliveryFacts, alert: MessageAlert, isTest: boolean) => TemplateVariables;
  /** Renders, or gives the faults of the templates. */
  readonly render: (
    channel: Pick<AlertChannel, 'type' | 'config'>,
    variables: TemplateVariables,
    createdAt: number,
  ) => { readonly request: Message } | { readonly errors: readonly TemplateFault[] };
  /** What there is too much of in a configuration: it is neither saved nor rendered. Cheap to ask. */
  readonly sizeFaults: (type: string, config: JsonObject) => readonly TemplateFault[];
  readonly warnings: (
    type: string,
    config: JsonObject,
    variables: TemplateVariables,
    secretNames: ReadonlySet<string>,
    groupNames: ReadonlySet<string>,
  ) => readonly TemplateWarning[];
  readonly presets: readonly ChannelPreset[];
  /** Values of locked headers and variables hidden. */
  readonly redact: (
    request: Message,
    channel: Pick<AlertChannel, 'type' | 'config'>,
    variables: readonly EnvironmentVariable[],
  ) => Message;
  /** The same for faults, whose messages may quote what was rendered. */
  readonly redactFaults: (
    faults: readonly TemplateFault[],
    channel: Pick<AlertChannel, 'type' | 'config'>,
    variables: readonly EnvironmentVariable[],
  ) => readonly TemplateFault[];
  /** Adds the delivery and wakes who sends it. */
  readonly deliver: (delivery: Delivery) => Promise<void>;
  /** The delivery and its last attempt, once there is one. */
  readonly settled: (accountId: string, deliveryId: string) => Promise<{ delivery: Delivery; attempt: Attempt } | null>;
  readonly attemptHints: Hints;
  readonly location: string;
  readonly clock: Clock;
}

export interface AlertMessageActions {
  /** Sends nothing. Faults of the templates are part of the answer. Refuses (`invalid`) a result id that is unknown. */
  preview(caller: Caller, order: PreviewOrder): Promise<Preview>;
  /** Configurations to start from. */
  presets(caller: Caller): readonly ChannelPreset[];
  /**
   * Sends one message with sample values through the same path as an alert, once, and waits for what comes of it.
   * Refuses with `not-found`, `invalid` when a template cannot be rendered, `timeout` when nothing came in time.
   */
  test(
    caller: Caller,
    channelId: number,
    alertType: AlertType,
    signal: AbortSignal,
  ): Promise<{ delivery: Delivery; attempt: Attempt }>;
}

/** The longest an attempt takes, and what its record may take, ms. */
const answerMostMs = 40_000;

export function createAlertMessageActions(means: AlertMessageMeans): AlertMessageActions {
  const { channels } = means;
  const alerts = alertsOf(means);
  return {
    preview: (caller, order) => preview(means, alerts, caller, order),

    presets(caller) {
      requirePermission(caller, 'read');
      return means.presets;
    },

    async test(caller, channelId, alertType, signal) {
      requirePermission(caller, 'write');
      const { accountId } = caller;
      const stored = await channels.find(accountId, channelId);
      if (stored === null) throw notFound('alert channel', channelId);
      const hold = await means.heldDeliveries.find();
      if (hold !== null) throw new Refusal('conflict', `${holdWords(hold)} ${releaseHint}`);
      const { channel } = stored;
      const alert = await alerts.sample(accountId, alertType);
      const facts = alerts.facts(channel, alertType, alert);
      const rendered = means.render(channel, means.variablesOf(facts, alert, true), facts.createdAt);
      if ('errors' in rendered) {
        throw faultyTemplate(means.redactFaults(rendered.errors, channel, variablesIn(alert)));
      }
      await means.deliver(testDelivery(facts, rendered.request));
      let found: { delivery: Delivery; attempt: Attempt } | null = null;
      const isThere = async (): Promise<boolean> => {
        found = await means.settled(accountId, facts.deliveryId);
        return found !== null;
      };
      await waitUntil(isThere, { mostMs: answerMostMs, signal, hints: means.attemptHints });
      if (found === null)
        throw new Refusal('timeout', `The test message is still pending. See delivery ${facts.deliveryId}.`);
      return found;
    },
  };
}

/** Alerts to render: their facts as those of a delivery, and samples. */
interface Alerts {
  facts(channel: AlertChannel, alertType: AlertType, alert: MessageAlert): DeliveryFacts;
  sample(accountId: string, alertType: AlertType): Promise<MessageAlert>;
}

function alertsOf({ variables, clock, location }: AlertMessageMeans): Alerts {
  return {
    facts: (channel, alertType, alert) => ({
      ...alert.facts,
      deliveryId: newId(),
      createdAt: clock.now(),
      alertType,
      channel,
      isViaGroup: alert.facts.context.group !== null,
    }),
    async sample(accountId, alertType) {
      const sample = sampleAlert(alertType, accountId, await variables.all(accountId), clock.now());
      const { context, finding, resultId, url, status, statusText } = sample;
      return { facts: { context, finding, resultId, reminder: null, location }, url, status, statusText };
    },
  };
}

async function preview(
  means: AlertMessageMeans,
  alerts: Alerts,
  caller: Caller,
  { alertType, checkResultId, variables: overlay, ...channel }: PreviewOrder,
): Promise<Preview> {
  requirePermission(caller, 'read');
  const { accountId } = caller;
  const { type, config } = channel;
  const tooMuch = means.sizeFaults(type, config);
  if (tooMuch.length > 0) return { request: null, warnings: [], errors: tooMuch };
  const found =
    checkResultId === null ? await alerts.sample(accountId, alertType) : await means.resultOf(accountId, checkResultId);
  if (found === null) throw invalidField('checkResultId', 'must be the id of a result of this account');
  const alert = named(asSeenBy(caller, found), overlay['CHECK_NAME']);
  const facts = alerts.facts({ ...unsavedChannel, ...channel, accountId }, alertType, alert);
  const values = { ...means.variablesOf(facts, alert, false), ...overlay };
  const all = variablesIn(alert);
  // What only a group defines has no value here, and is no mistake either.
  const ofGroups = (await means.groupKeys(accountId)).filter(({ key }) => !Object.hasOwn(values, key));
  const secretNames = new Set([...all, ...ofGroups].filter(({ secret }) => secret).map(({ key }) => key));
  const groupNames = new Set(ofGroups.map(({ key }) => key));
  const rendered = means.render(channel, values, facts.createdAt);
  const warnings = means.warnings(type, config, values, secretNames, groupNames);
  if ('errors' in rendered) {
    return { request: null, warnings, errors: means.redactFaults(rendered.errors, channel, all) };
  }
  return { request: means.redact(rendered.request, channel, all), warnings, errors: [] };
}

/**
 * An alert with the mask in the place of each variable that the caller may not see: whatever a template asks of it or
 * makes of it tells nothing (docs/decisions/0060).
 */
function asSeenBy(caller: Caller, alert: MessageAlert): MessageAlert {
  const { context } = alert.facts;
  const seen = (own: readonly EnvironmentVariable[]) => visibleVariables(caller, own);
  const group = context.group && { ...context.group, environmentVariables: seen(context.group.environmentVariables) };
  return { ...alert, facts: { ...alert.facts, context: { ...context, variables: seen(context.variables), group } } };
}

/** An alert of a check with the name that a preview asks for, so that its title has it too. */
function named(alert: MessageAlert, name: unknown): MessageAlert {
  if (typeof name !== 'string') return alert;
  const { context } = alert.facts;
  return { ...alert, facts: { ...alert.facts, context: { ...context, check: { ...context.check, name } } } };
}

function variablesIn({ facts: { context } }: MessageAlert): readonly EnvironmentVariable[] {
  return [...context.variables, ...(context.group?.environmentVariables ?? [])];
}

/** A channel that is previewed before it is saved: only its account, type and config matter. */
const unsavedChannel: Omit<AlertChannel, 'accountId' | 'type' | 'config'> = {
  id: 0,
  secrets: {},
  sendRecovery: true,
  sendFailure: true,
  sendDegraded: false,
  sslExpiry: false,
  sslExpiryThreshold: 30,
  autoSubscribe: false,
  exhaustedInARow: 0,
  failingSince: null,
  createdAt: 0,
  updatedAt: null,
};

function testDelivery(facts: DeliveryFacts, request: Message): Delivery {
  return {
    accountId: facts.channel.accountId,
    id: facts.deliveryId,
    alertChannelId: facts.channel.id,
    alertId: null,
    checkId: null,
    checkResultId: null,
    alertType: facts.alertType,
    status: 'pending',
    request,
    attempts: 0,
    createdAt: facts.createdAt,
    nextAttemptAt: facts.createdAt,
    replayOf: null,
    isTest: true,
    error: null,
  };
}

function faultyTemplate(errors: readonly TemplateFault[]): Refusal {
  const attributes = Object.fromEntries(
    errors.map(({ path, line, column, message }) => [path, `line ${line}, column ${column}: ${message}`]),
  );
  return new Refusal('invalid', 'The channel cannot be rendered.', { attributes });
}
