// Builds previews and test messages from the channels' renderers and the delivery path.
import { gatewaysOf } from '#domain/deliveries/gateways.ts';
import { accountZone } from '#actions/accounts/account-zone.ts';
import { acknowledgeLinkOf } from '#actions/alerts/acknowledge-links.ts';
import { type AlertMessageDeps, createAlertMessageActions, type MessageAlert } from '#actions/alerts/alert-messages.ts';
import type { RedactorOf } from '#actions/alerts/delivery-redactor.ts';
import { channelRules } from '#channels/rules.ts';
import { kindOf } from '#checks/check-kinds.ts';
import { deliveryVariables, randomValues } from '#domain/deliveries/delivery-variables.ts';
import type { Finding } from '#domain/results/result.ts';
import type { ActionDeps } from './deps.ts';

export function composeAlertMessages(deps: ActionDeps, redactorOf: RedactorOf) {
  const { config, store, clock, links, wake, attemptHints, acknowledgeLinks } = deps;
  return createAlertMessageActions({
    ...channelRules,
    channels: store.alertChannels,
    heldDeliveries: store.heldDeliveries,
    variables: store.variables,
    groupKeys: (accountId) => store.checkGroups.variableKeys(accountId),
    resultOf: (accountId, checkResultId) => alertOfResult(deps, accountId, checkResultId),
    variablesOf: (facts, alert, isTest) =>
      deliveryVariables(facts, {
        url: alert.url,
        status: alert.status,
        statusText: alert.statusText,
        locationName: facts.location === config.location.code ? config.location.name : facts.location,
        link: links.link(facts.channel.accountId, facts.context.check.id, facts.resultId, facts.createdAt),
        ...acknowledgeLinkOf(facts, acknowledgeLinks),
        isTest,
      }),
    render: renderWith(deps),
    sizeFaults: (type, channelConfig) => channelRules.sizeFaults(type, channelConfig).map(placed),
    redact: (request, channel, variables) =>
      channelRules.redactRequest(request, channelRules.lockedOf(channel, variables)),
    redactVariables: (values, channel, variables) =>
      channelRules.redactVariables(values, channelRules.lockedOf(channel, variables)),
    redactFaults: (faults, channel, variables) => {
      const locked = channelRules.lockedOf(channel, variables);
      return faults.map((fault) => ({
        ...fault,
        message: channelRules.redactFault(fault.path, fault.message, locked),
      }));
    },
    deliver: async (delivery) => {
      await store.path.addDelivery(delivery);
      wake('send-deliveries');
    },
    settled: async (accountId, deliveryId) => {
      const found = await store.deliveries.find(accountId, deliveryId);
      const last = found?.log.at(-1);
      if (found === null) return null;
      const { status, error } = found.delivery;
      // Before the first attempt, the error of a pending delivery is why it waits.
      if (status === 'pending') return last === undefined && error !== null ? { waitsFor: error } : null;
      if (last === undefined) return null;
      const redactor = await redactorOf(found.delivery);
      const request = found.delivery.request === null ? null : redactor.request(found.delivery.request);
      return { delivery: { ...found.delivery, request }, attempt: redactor.attempt(last, found.delivery.request) };
    },
    attemptHints: attemptHints.listen,
    location: config.location.code,
    clock,
  });
}

/** Renders with the current time zone of the account. */
function renderWith({ config, store, random, userAgent }: ActionDeps): AlertMessageDeps['render'] {
  const { gateways, serverTimeZone } = config;
  return async (channel, variables, createdAt) => {
    const timeZone = await accountZone({ ...store, serverTimeZone }, channel.accountId);
    const facts = { createdAt, ...randomValues(random), userAgent, timeZone };
    try {
      return { request: channelRules.render(channel, variables, facts, gatewaysOf(gateways, channel.accountId)) };
    } catch (error) {
      // Validation reports all errors; rendering would report only the first.
      const faults = channelRules.storedFaults(channel.type, channel.config).map(placed);
      return { errors: faults.length > 0 ? faults : [placed(faultOf(error))] };
    }
  };
}

interface Fault {
  readonly path: string;
  readonly message: string;
  readonly line?: number;
  readonly column?: number;
}

function placed({ path, message, line = 1, column = 1 }: Fault) {
  return { path, message, line, column };
}

/** A render error has a position; any other error is a bug and is thrown. */
function faultOf(error: unknown): Fault {
  if (error instanceof Error && error.name === 'TemplateError' && 'path' in error) return error as Error & Fault;
  throw error;
}

/** The facts of a real result as its alert would contain them; null = unknown ID. */
async function alertOfResult(
  { store, clock }: ActionDeps,
  accountId: string,
  checkResultId: string,
): Promise<MessageAlert | null> {
  const result = await store.checkResults.findAnywhere(accountId, checkResultId);
  const stored = result === null ? null : await store.checks.find(accountId, result.checkId);
  if (result === null || stored === null) return null;
  const { check } = stored;
  const group =
    check.groupId === null ? null : ((await store.checkGroups.find(accountId, check.groupId))?.group ?? null);
  const finding: Finding = {
    verdict: result.outcome === 'missed' ? 'unknown' : result.outcome,
    reason: result.reason,
    message: result.message,
    startedAt: result.startedAt,
    stoppedAt: result.stoppedAt,
    responseTimeMs: result.responseTimeMs,
    loopDelayMs: 0,
    details: result.details,
    exchange: null,
    certificate: null,
  };
  return {
    facts: {
      context: {
        check,
        group,
        variables: await store.variables.all(accountId),
        accountAlertSettings: null,
        accountRuntimeId: null,
        accountTimeZone: null,
        maintenanceWindows: [],
        revision: clock.now(),
      },
      reminder: null,
      finding,
      resultId: result.id,
      location: result.location,
    },
    ...kindOf(check.checkType).alertFacts(check, result.details),
  };
}
