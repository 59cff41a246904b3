// Checks whose failure opens an incident of a service at once, whatever the rule of the service says.
import { defaultIncidentRule, type IncidentRule, type IncidentSeverity } from './status-service.ts';

/** The incident that the failure of a check opens. */
export interface IncidentTrigger {
  readonly serviceId: string;
  readonly severity: IncidentSeverity;
  readonly name: string;
  /** First update. */
  readonly description: string;
  readonly notifySubscribers: boolean;
}

/** When the incident is published: as soon as the check fails. */
export const atOnce = { mode: 'PUBLISH', afterMinutes: 0 } as const;

/** Its rule. */
export function ruleOf({ severity, name, description, notifySubscribers }: IncidentTrigger): IncidentRule {
  return { ...defaultIncidentRule, ...atOnce, severity, name, description, notifySubscribers };
}
