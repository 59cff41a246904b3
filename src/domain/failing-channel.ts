// A channel that does not receive any more, and how another one is told of it (decisions: Dead channel).
import type { AlertChannel } from './alert-channel.ts';
import type { EnvironmentVariable } from './environment-variable.ts';
import type { Rendered } from './recording.ts';
import type { TemplateVariables } from './template-variables.ts';

/** A channel whose deliveries do not arrive any more. Instants are epoch ms. */
export interface FailingChannel {
  readonly accountId: string;
  readonly alertChannelId: number;
  readonly name: string;
  readonly since: number;
  readonly exhaustedInARow: number;
  readonly lastError: string | null;
}

/**
 * Renders the message that tells of it through another channel of the account.
 *
 * @param variables the account's own, without secrets
 */
export type RenderFailing = (
  failing: FailingChannel,
  through: AlertChannel,
  variables: readonly EnvironmentVariable[],
) => Rendered;

/** Exhausted deliveries in a row that make a channel a failing one. */
export const exhaustedUntilFailing = 5;

/** The body that tells of it: fixed, whatever the other channel's own template is. */
export const failingTemplate =
  '{"text":{{json ALERT_TITLE}},"alertType":"CHANNEL_FAILING","alertChannelId":{{json FAILING_CHANNEL_ID}},' +
  '"alertChannelName":{{json FAILING_CHANNEL_NAME}},"failingSince":{{json FAILING_SINCE}},' +
  '"exhaustedInARow":{{json EXHAUSTED_IN_A_ROW}},"lastError":{{json CHECK_ERROR_MESSAGE}} }';

/**
 * What that body, and the other channel's URL and headers, are rendered with.
 *
 * @param variables the account's own, without secrets
 */
export function failingVariables(
  failing: FailingChannel,
  variables: readonly EnvironmentVariable[],
): TemplateVariables {
  const { name, alertChannelId, exhaustedInARow, lastError } = failing;
  return {
    ...Object.fromEntries(variables.map(({ key, value }) => [key, value])),
    ALERT_TITLE: `The alert channel "${name}" does not receive its alerts: the last ${exhaustedInARow} did not arrive`,
    ALERT_TYPE: 'ALERT_FAILURE',
    CHECK_ERROR_MESSAGE: lastError ?? undefined,
    FAILING_CHANNEL_ID: alertChannelId,
    FAILING_CHANNEL_NAME: name,
    FAILING_SINCE: new Date(failing.since).toISOString(),
    EXHAUSTED_IN_A_ROW: exhaustedInARow,
  };
}
