// Previews what a channel would send, and sends test messages.
import type { Store } from '#store/store.ts';
import { holdWords, releaseHint } from './held-deliveries.ts';
import type { ChannelPreset, AlertChannel } from '#domain/alerts/alert-channel.ts';
import type { AlertType } from '#domain/alerts/alert.ts';
import type { Caller } from '#domain/accounts/api-key.ts';
import type { Attempt, Delivery, Message } from '#domain/deliveries/delivery.ts';
import type { MessageView } from '#domain/deliveries/message-view.ts';
import type { EnvironmentVariable } from '#domain/accounts/environment-variable.ts';
import type { JsonObject } from '#domain/json.ts';
import type { DeliveryFacts } from '#domain/results/recording.ts';
import { sampleAlert, sampleIncident } from '#domain/alerts/sample-alert.ts';
import type { TemplateVariables } from '#domain/deliveries/template-variables.ts';
import type { Clock } from '#lib/clock.ts';
import { newId } from '#lib/id.ts';
import { visibleVariables } from '../masking.ts';
import { requirePermission } from '../accounts/permission.ts';
import { invalidField, Refusal, orNotFound } from '../refusal.ts';
import { type TemplateNames, templateNames, type TemplateTexts } from './template-names.ts';
import { type Hints, waitUntil } from '../checks/wait-until.ts';

/** A template error and its position. Lines and columns start at 1. */
export interface TemplateFault {
  readonly path: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** A probable problem and its position. Lines and columns start at 1. */
export interface TemplateWarning {
  readonly path: string;
  readonly message: string;
  readonly line?: number;
  readonly column?: number;
  /** Smallest value that causes it. */
  readonly example?: string;
  /** Replaces the first occurrence in the field. */
  readonly fix?: { readonly find: string; readonly replaceWith: string };
}

/** The response of a preview. */
export interface Preview {
  /** null if a template cannot be rendered. */
  readonly request: Message | null;
  /** How the receiver shows it, with locked values masked; null = as the request. */
  readonly view: MessageView | null;
  readonly warnings: readonly TemplateWarning[];
  readonly errors: readonly TemplateFault[];
}

/** Input of a preview. */
export interface PreviewOrder {
  readonly type: string;
  readonly config: JsonObject;
  readonly alertType: AlertType;
  readonly checkResultId: string | null;
  /** Override the alert's variables, built-in names included. */
  readonly variables: TemplateVariables;
}

/** Builds the facts of an alert and its variables. */
export interface MessageAlert {
  readonly facts: Omit<DeliveryFacts, 'deliveryId' | 'createdAt' | 'alertType' | 'channel' | 'isViaGroup' | 'incident'>;
  readonly url: string | null;
  readonly status: number | null;
  readonly statusText: string | null;
}

type Settled = { readonly delivery: Delivery; readonly attempt: Attempt };

export interface AlertMessageDeps extends Pick<Store, 'heldDeliveries' | 'variables'> {
  readonly channels: { find(accountId: string, id: number): Promise<{ readonly channel: AlertChannel } | null> };
  /** Names of the variables of all groups. */
  readonly groupKeys: (accountId: string) => Promise<readonly Pick<EnvironmentVariable, 'key' | 'secret'>[]>;
  /** A real result with its check; null = unknown ID. */
  readonly resultOf: (accountId: string, checkResultId: string) => Promise<MessageAlert | null>;
  readonly variablesOf: (facts: DeliveryFacts, alert: MessageAlert, isTest: boolean) => TemplateVariables;
  /** Renders a request, or returns the errors of the templates. */
  readonly render: (
    channel: Pick<AlertChannel, 'type' | 'config' | 'accountId'>,
    variables: TemplateVariables,
    createdAt: number,
  ) => Promise<{ readonly request: Message } | { readonly errors: readonly TemplateFault[] }>;
  /** Checks the limits of a configuration before it is saved or rendered. Cheap. */
  readonly sizeFaults: (type: string, config: JsonObject) => readonly TemplateFault[];
  readonly warnings: (
    type: string,
    config: JsonObject,
    variables: TemplateVariables,
    secretNames: ReadonlySet<string>,
    groupNames: ReadonlySet<string>,
  ) => readonly TemplateWarning[];
  readonly presets: readonly ChannelPreset[];
  readonly texts: TemplateTexts;
  /** Redacts the values of locked headers and variables. */
  readonly redact: (
    request: Message,
    channel: Pick<AlertChannel, 'type' | 'config'>,
    variables: readonly EnvironmentVariable[],
  ) => Message;
  /** The variables without locked values. */
  readonly redactVariables: (
    values: TemplateVariables,
    channel: Pick<AlertChannel, 'type' | 'config'>,
    variables: readonly EnvironmentVariable[],
  ) => TemplateVariables;
  readonly view: (type: string, request: Message) => MessageView | null;
  /** Redacts errors too, because their messages may quote rendered text. */
  readonly redactFaults: (
    faults: readonly TemplateFault[],
    channel: Pick<AlertChannel, 'type' | 'config'>,
    variables: readonly EnvironmentVariable[],
  ) => readonly TemplateFault[];
  /** Adds the delivery and wakes the delivery step. */
  readonly deliver: (delivery: Delivery) => Promise<void>;
  /** The delivery and its last attempt once it has finished, or why its first attempt must wait; null = neither. */
  readonly settled: (accountId: string, deliveryId: string) => Promise<Settled | { readonly waitsFor: string } | null>;
  readonly attemptHints: Hints;
  readonly location: string;
  readonly clock: Clock;
}

export type AlertMessageActions = ReturnType<typeof createAlertMessageActions>;

/** Alerts whose values are examples: the second has those of certificates. */
const exampleTypes = ['ALERT_FAILURE', 'ALERT_SSL'] as const satisfies AlertType[];

/** Maximum duration of an attempt and of recording it, ms. */
const maxAnswerMs = 40_000;

export function createAlertMessageActions(deps: AlertMessageDeps) {
  const { channels } = deps;
  const alerts = alertsOf(deps);
  return {
    /** Sends nothing. Template errors are part of the response. Refuses (`invalid`) an unknown result ID. */
    preview: (caller: Caller, order: PreviewOrder): Promise<Preview> => preview(deps, alerts, caller, order),

    /** Configurations to start from. */
    presets(caller: Caller): readonly ChannelPreset[] {
      requirePermission(caller, 'read');
      return deps.presets;
    },

    /** Variables and helpers for those who write templates. Examples are those of samples. */
    async templateNames(caller: Caller): Promise<TemplateNames> {
      requirePermission(caller, 'read');
      const { accountId } = caller;
      const own = [...(await deps.variables.all(accountId)), ...(await deps.groupKeys(accountId))];
      const sampled = exampleTypes.map(async (alertType) => {
        const alert = asSeenBy(caller, await alerts.sample(accountId, alertType));
        return deps.variablesOf(
          alerts.facts({ ...unsavedChannel, ...nowhere, accountId }, alertType, alert),
          alert,
          false,
        );
      });
      return templateNames(deps.texts, await Promise.all(sampled), own);
    },

    /**
     * Sends one message with sample values on the path of an alert and waits for the outcome. Refuses with `not-found`,
     * `invalid` if a template cannot be rendered, `conflict` if it must wait, e.g. for a limit of the account, and
     * `timeout` if there is no outcome in time.
     */
    async test(caller: Caller, channelId: number, alertType: AlertType, signal: AbortSignal): Promise<Settled> {
      requirePermission(caller, 'write');
      const { accountId } = caller;
      const stored = orNotFound(await channels.find(accountId, channelId), 'alert channel', channelId);
      const hold = await deps.heldDeliveries.find();
      if (hold !== null) throw new Refusal('conflict', `${holdWords(hold)} ${releaseHint}`);
      const { channel } = stored;
      const alert = await alerts.sample(accountId, alertType);
      const facts = alerts.facts(channel, alertType, alert);
      const rendered = await deps.render(channel, deps.variablesOf(facts, alert, true), facts.createdAt);
      if ('errors' in rendered) {
        throw faultyTemplate(deps.redactFaults(rendered.errors, channel, variablesIn(alert)));
      }
      await deps.deliver(testDelivery(facts, rendered.request));
      const found: (Settled | { readonly waitsFor: string })[] = [];
      const isThere = async (): Promise<boolean> => {
        const now = await deps.settled(accountId, facts.deliveryId);
        if (now !== null) found.push(now);
        return now !== null;
      };
      await waitUntil(isThere, { maxMs: maxAnswerMs, signal, hints: deps.attemptHints });
      const [outcome] = found;
      const see = `See delivery ${facts.deliveryId}.`;
      if (outcome === undefined) throw new Refusal('timeout', `The test message is still pending. ${see}`);
      if ('waitsFor' in outcome) throw new Refusal('conflict', `The test message waits: ${outcome.waitsFor}. ${see}`);
      return outcome;
    },
  };
}

/** Builds the alerts to render: delivery facts, and samples. */
interface Alerts {
  facts(channel: AlertChannel, alertType: AlertType, alert: MessageAlert): DeliveryFacts;
  sample(accountId: string, alertType: AlertType): Promise<MessageAlert>;
}

function alertsOf({ variables, clock, location }: AlertMessageDeps): Alerts {
  return {
    facts(channel, alertType, alert) {
      const createdAt = clock.now();
      return {
        ...alert.facts,
        deliveryId: newId(),
        createdAt,
        alertType,
        channel,
        isViaGroup: alert.facts.context.group !== null,
        incident: sampleIncident(alertType, createdAt),
      };
    },
    async sample(accountId, alertType) {
      const sample = sampleAlert(alertType, accountId, await variables.all(accountId), clock.now());
      const { context, finding, resultId, url, status, statusText } = sample;
      return { facts: { context, finding, resultId, reminder: null, location }, url, status, statusText };
    },
  };
}

async function preview(
  deps: AlertMessageDeps,
  alerts: Alerts,
  caller: Caller,
  { alertType, checkResultId, variables: overlay, ...channel }: PreviewOrder,
): Promise<Preview> {
  requirePermission(caller, 'read');
  const { accountId } = caller;
  const { type, config } = channel;
  const tooMuch = deps.sizeFaults(type, config);
  if (tooMuch.length > 0) return { request: null, view: null, warnings: [], errors: tooMuch };
  const found =
    checkResultId === null ? await alerts.sample(accountId, alertType) : await deps.resultOf(accountId, checkResultId);
  if (found === null) throw invalidField('checkResultId', 'must be the id of a result of this account');
  const alert = named(asSeenBy(caller, found), overlay['CHECK_NAME']);
  const facts = alerts.facts({ ...unsavedChannel, ...channel, accountId }, alertType, alert);
  const values = { ...deps.variablesOf(facts, alert, false), ...overlay };
  const all = variablesIn(alert);
  // A variable that only a group defines has no value here but is not reported as undefined.
  const ofGroups = (await deps.groupKeys(accountId)).filter(({ key }) => !Object.hasOwn(values, key));
  const secretNames = new Set([...all, ...ofGroups].filter(({ secret }) => secret).map(({ key }) => key));
  const groupNames = new Set(ofGroups.map(({ key }) => key));
  const rendered = await deps.render(facts.channel, values, facts.createdAt);
  const warnings = deps.warnings(type, config, values, secretNames, groupNames);
  if ('errors' in rendered) {
    return { request: null, view: null, warnings, errors: deps.redactFaults(rendered.errors, channel, all) };
  }
  const request = deps.redact(rendered.request, channel, all);
  if (deps.view(type, rendered.request) === null) return { request, view: null, warnings, errors: [] };
  // Values are masked before they are part of markup.
  const masked = await deps.render(facts.channel, deps.redactVariables(values, channel, all), facts.createdAt);
  return { request, view: 'errors' in masked ? null : deps.view(type, masked.request), warnings, errors: [] };
}

/**
 * Replaces variables that the caller may not see by the mask, so that no template can reveal them
 * (docs/decisions/0060).
 */
function asSeenBy(caller: Caller, alert: MessageAlert): MessageAlert {
  const { context } = alert.facts;
  const seen = (own: readonly EnvironmentVariable[]) => visibleVariables(caller, own);
  const group = context.group && { ...context.group, environmentVariables: seen(context.group.environmentVariables) };
  return { ...alert, facts: { ...alert.facts, context: { ...context, variables: seen(context.variables), group } } };
}

/** Renames the check of an alert to the name that the preview requests, in the title too. */
function named(alert: MessageAlert, name: unknown): MessageAlert {
  if (typeof name !== 'string') return alert;
  const { context } = alert.facts;
  return { ...alert, facts: { ...alert.facts, context: { ...context, check: { ...context.check, name } } } };
}

function variablesIn({ facts: { context } }: MessageAlert): readonly EnvironmentVariable[] {
  return [...context.variables, ...(context.group?.environmentVariables ?? [])];
}

/** A channel that is previewed before it is saved. Only account, type and config matter. */
const unsavedChannel: Omit<AlertChannel, 'accountId' | 'type' | 'config'> = {
  id: 0,
  secrets: {},
  sendRecovery: true,
  sendFailure: true,
  sendDegraded: false,
  sslExpiry: false,
  sslExpiryThreshold: 30,
  autoSubscribe: false,
  grouping: false,
  activeHours: null,
  report: null,
  exhaustedInARow: 0,
  failingSince: null,
  createdAt: 0,
  updatedAt: null,
};

/** What variables do not depend on. */
const nowhere = { type: '', config: {} };

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
  return new Refusal('invalid', 'Rendering the channel failed.', { attributes });
}
