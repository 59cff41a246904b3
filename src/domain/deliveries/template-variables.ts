// The variables of webhook templates: those of the specification and the additions in decisions.md.
import type { AlertType } from '../alerts/alert.ts';
import type { FlappingFacts } from '../alerts/notify.ts';
import type { FlappingMessage } from '../alerts/flapping.ts';
import type { DeliveryIncident } from '../alerts/incident.ts';
import { withoutUserInfo } from './shown-url.ts';

/** A value in a template; undefined = not applicable, prints nothing. */
export type TemplateValue = string | number | boolean | readonly string[] | undefined;

/** System variables by name; they override user variables (decisions: System names win). */
export type TemplateVariables = Readonly<Record<string, TemplateValue>>;

/** Input for the system variables. Times are epoch ms. */
export interface AlertFacts {
  readonly alertType: AlertType;
  readonly deliveryId: string;
  readonly check: {
    readonly id: string;
    readonly name: string;
    readonly checkType: string;
    readonly description: string | null;
    readonly runbookUrl: string | null;
    readonly notes: string | null;
    readonly tags: readonly string[];
    /** The monitored URL, if the type has one. */
    readonly url: string | null;
  };
  readonly groupName: string | null;
  readonly result: {
    readonly id: string;
    readonly message: string | null;
    readonly responseTimeMs: number | null;
    readonly status: number | null;
    readonly statusText: string | null;
    readonly startedAt: number;
    readonly link: string;
  };
  readonly location: { readonly code: string; readonly name: string };
  readonly ssl: {
    readonly daysRemaining: number;
    readonly domain: string;
    /** `the certificate of shop.example expires in 12 days`. */
    readonly sentence: string;
  } | null;
  /** From its start to this alert; absent or null = none. */
  readonly incident?: (DeliveryIncident & { readonly durationMs: number; readonly link?: string }) | null;
  readonly reminder: number | null;
  /** Absent or null = it is not about a flapping check. */
  readonly flapping?: FlappingFacts | null;
  readonly isTest: boolean;
  /** The alert was closed because the check was deleted. */
  readonly isDeletion?: boolean;
}

const titles: Readonly<Record<Exclude<AlertType, 'ALERT_SSL'>, (name: string) => string>> = {
  ALERT_FAILURE: (name) => `${name} has failed`,
  ALERT_RECOVERY: (name) => `${name} has recovered`,
  ALERT_DEGRADED: (name) => `${name} is degraded`,
  ALERT_DEGRADED_RECOVERY: (name) => `${name} is no longer degraded`,
};

/** What happened to a flapping check. */
function flappingTitle(name: string, { message, changes, status }: FlappingFacts): string {
  const texts: Readonly<Record<FlappingMessage, string>> = {
    began: `is flapping: ${status} now`,
    lasts: `has been ${status} for longer than before`,
    changed: `is still flapping: ${changes} ${changes === 1 ? 'change' : 'changes'}, ${status} now`,
    ended: `is no longer flapping: ${status} now`,
  };
  return `${name} ${texts[message]}`;
}

function titleOf({ alertType, check: { name }, ssl, flapping = null, isTest, isDeletion }: AlertFacts): string {
  let happened = flapping === null ? '' : flappingTitle(name, flapping);
  if (alertType === 'ALERT_SSL') happened = `${name}: ${ssl?.sentence ?? 'a certificate expires soon'}`;
  else if (flapping === null) happened = titles[alertType](name);
  const title = isDeletion === true ? `${name} was deleted; its alert is closed` : happened;
  return isTest ? `[TEST] ${title}` : title;
}

/** Names of the system variables, in the order of the default body (spec §6.2, decisions: Variables). */
export const systemVariableNames = [
  'ALERT_TITLE',
  'ALERT_TYPE',
  'CHECK_NAME',
  'CHECK_ID',
  'CHECK_TYPE',
  'CHECK_DESCRIPTION',
  'CHECK_RUNBOOK_URL',
  'CHECK_NOTES',
  'CHECK_URL',
  'CHECK_RESULT_ID',
  'CHECK_ERROR_MESSAGE',
  'RESPONSE_TIME',
  'API_CHECK_RESPONSE_STATUS_CODE',
  'API_CHECK_RESPONSE_STATUS_TEXT',
  'RUN_LOCATION',
  'REGION',
  'RESULT_LINK',
  'SSL_DAYS_REMAINING',
  'SSL_CHECK_DOMAIN',
  'STARTED_AT',
  'TAGS',
  'GROUP_NAME',
  'IS_REMINDER',
  'REMINDER_SEQUENCE',
  'INCIDENT_ID',
  'INCIDENT_STARTED_AT',
  'INCIDENT_DURATION',
  'IS_FIRST_OF_INCIDENT',
  'ACK_LINK',
  'FLAPPING_SINCE',
  'DELIVERY_ID',
  'IS_REPLAY',
  'REPLAY_OF',
] as const;

/** The system variables of a delivery. Recoveries have no error message; `API_CHECK_*` exist only for type API. */
export function systemVariables(facts: AlertFacts): Record<(typeof systemVariableNames)[number], TemplateValue> {
  const { check, result, incident = null } = facts;
  const isClosing = facts.alertType === 'ALERT_RECOVERY' || facts.alertType === 'ALERT_DEGRADED_RECOVERY';
  const isApi = check.checkType === 'API';
  const ssl = facts.alertType === 'ALERT_SSL' ? facts.ssl : null;
  return {
    ALERT_TITLE: titleOf(facts),
    ALERT_TYPE: facts.alertType,
    CHECK_NAME: check.name,
    CHECK_ID: check.id,
    CHECK_TYPE: check.checkType,
    CHECK_DESCRIPTION: check.description ?? undefined,
    CHECK_RUNBOOK_URL: check.runbookUrl ?? undefined,
    CHECK_NOTES: check.notes ?? undefined,
    CHECK_URL: check.url === null ? undefined : withoutUserInfo(check.url),
    CHECK_RESULT_ID: result.id,
    CHECK_ERROR_MESSAGE: isClosing ? undefined : (result.message ?? undefined),
    RESPONSE_TIME: result.responseTimeMs === null ? undefined : Math.round(result.responseTimeMs),
    API_CHECK_RESPONSE_STATUS_CODE: isApi ? (result.status ?? undefined) : undefined,
    API_CHECK_RESPONSE_STATUS_TEXT: isApi ? (result.statusText ?? undefined) : undefined,
    RUN_LOCATION: facts.location.name,
    REGION: facts.location.code,
    RESULT_LINK: result.link,
    SSL_DAYS_REMAINING: ssl?.daysRemaining,
    SSL_CHECK_DOMAIN: ssl?.domain,
    STARTED_AT: new Date(result.startedAt).toISOString(),
    TAGS: check.tags,
    GROUP_NAME: facts.groupName ?? undefined,
    IS_REMINDER: facts.reminder !== null,
    REMINDER_SEQUENCE: facts.reminder ?? undefined,
    INCIDENT_ID: incident?.id,
    INCIDENT_STARTED_AT: incident === null ? undefined : new Date(incident.startedAt).toISOString(),
    INCIDENT_DURATION: incident === null ? undefined : Math.floor(incident.durationMs / 1000),
    IS_FIRST_OF_INCIDENT: incident?.isFirst ?? false,
    ACK_LINK: isClosing ? undefined : incident?.link,
    FLAPPING_SINCE: facts.flapping ? new Date(facts.flapping.since).toISOString() : undefined,
    DELIVERY_ID: facts.deliveryId,
    // A replay has these in its stored content.
    IS_REPLAY: false,
    REPLAY_OF: undefined,
  };
}
