// Variables available to the templates of a delivery: the facts of its alert and the user's variables.
import { sslDaysRemaining } from '../alerts/alert.ts';
import { certificateSentence } from '../results/certificate-expiry.ts';
import { type EnvironmentVariable, mergeVariables } from '../accounts/environment-variable.ts';
import type { DeliveryFacts } from '../results/recording.ts';
import { systemVariables, type TemplateVariables } from './template-variables.ts';

/** Facts of a delivery that the kind of check and the installation add. */
interface DeliveryExtras {
  readonly url: string | null;
  readonly status: number | null;
  readonly statusText: string | null;
  readonly locationName: string;
  /** RESULT_LINK. */
  readonly link: string;
  /** ACK_LINK. */
  readonly acknowledgeLink?: string;
  readonly isTest?: boolean;
}

/**
 * The variables of a delivery. System names override user names, variables of the group override those of the account
 * if a group subscription caused the delivery, and secrets are excluded (decisions: User variables, spec §5).
 */
export function deliveryVariables(facts: DeliveryFacts, extras: DeliveryExtras): TemplateVariables {
  const { context, isViaGroup } = facts;
  const ofGroup = isViaGroup ? (context.group?.environmentVariables ?? []) : [];
  return { ...userVariables(context.variables, ofGroup), ...alertVariables(facts, extras) };
}

/** The system variables of a delivery. */
export function alertVariables(facts: DeliveryFacts, extras: DeliveryExtras): TemplateVariables {
  const { check, group } = facts.context;
  const { certificate } = facts.finding;
  return systemVariables({
    alertType: facts.alertType,
    deliveryId: facts.deliveryId,
    check: { ...check, url: extras.url },
    groupName: group?.name ?? null,
    result: {
      id: facts.resultId,
      message: facts.finding.message,
      responseTimeMs: facts.finding.responseTimeMs,
      status: extras.status,
      statusText: extras.statusText,
      startedAt: facts.finding.startedAt,
      link: extras.link,
    },
    location: { code: facts.location, name: extras.locationName },
    ssl:
      certificate === null
        ? null
        : {
            daysRemaining: sslDaysRemaining(certificate, facts.createdAt),
            sentence: certificateSentence(certificate, facts.createdAt),
            domain: certificate.domain,
          },
    incident:
      facts.incident === null
        ? null
        : {
            ...facts.incident,
            durationMs: Math.max(0, facts.createdAt - facts.incident.startedAt),
            ...(extras.acknowledgeLink !== undefined && { link: extras.acknowledgeLink }),
          },
    flapping: facts.flapping ?? null,
    reminder: facts.reminder,
    isTest: extras.isTest ?? false,
    isDeletion: facts.isDeletion ?? false,
  });
}

/** Variables of an account, overridden by those of a group, without secrets. */
export function userVariables(
  ofAccount: readonly EnvironmentVariable[],
  ofGroup: readonly EnvironmentVariable[],
): TemplateVariables {
  const merged = mergeVariables(ofAccount, ofGroup);
  return Object.fromEntries(merged.filter(({ secret }) => !secret).map(({ key, value }) => [key, value]));
}

/** Source of randomness. */
export interface RandomSource {
  /** A UUID of version 4. */
  uuid(): string;
  /** Uniform from 0 to below 1. */
  fraction(): number;
}

/** Maximum of `$RANDOM_NUMBER` (spec §8). */
const largest = 1000;

/** `$UUID` and `$RANDOM_NUMBER` of a delivery, generated once, so that every attempt sends the same bytes. */
export function randomValues(source: RandomSource): { readonly uuid: string; readonly randomNumber: number } {
  return { uuid: source.uuid(), randomNumber: Math.floor(source.fraction() * (largest + 1)) };
}
