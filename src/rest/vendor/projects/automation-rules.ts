// Translates automation rules of the `checkly` command line into the checks and incident rules of services.
import type { CliResource } from '#contract/vendor/cli-project.ts';
import type { JsonObject } from '#domain/json.ts';
import type { IncidentSeverity } from '#domain/status-pages/status-service.ts';
import { objectsIn, refOf } from './references.ts';

/** How bad an incident with such an impact is. */
const severities: ReadonlyMap<unknown, IncidentSeverity> = new Map([
  ['DEGRADED_PERFORMANCE', 'MINOR'],
  ['PARTIAL_OUTAGE', 'MAJOR'],
  ['MAJOR_OUTAGE', 'CRITICAL'],
]);

interface Ruled {
  /** Fields of services, by the logical ID of the component. */
  readonly rules: ReadonlyMap<string, JsonObject>;
  readonly refused: readonly string[];
}

/** @param services logical IDs of the components that are services */
export function ruledComponents(all: readonly CliResource[], services: ReadonlySet<string>): Ruled {
  const rules = new Map<string, JsonObject>();
  const refused: string[] = [];
  for (const { logicalId, payload } of all) {
    // A rule that is switched off opens no incidents.
    if (payload === null || payload['enabled'] === false) continue;
    for (const { componentId, targetImpact } of objectsIn(payload['components'])) {
      const [component, severity] = [refOf(componentId), severities.get(targetImpact)];
      const because = (sentence: string) => refused.push(`status-page-automation-rule "${logicalId}": ${sentence}`);
      if (component === null || !services.has(component))
        because('its components must be services that are part of the project, not groups.');
      else if (severity === undefined)
        because('targetImpact must be DEGRADED_PERFORMANCE, PARTIAL_OUTAGE or MAJOR_OUTAGE.');
      else if (rules.has(component)) because(`the component "${component}" has another rule. Put their tags into one.`);
      else rules.set(component, { tags: payload['tags'] ?? [], incidents: incidentsOf(payload, severity) });
    }
  }
  return { rules, refused };
}

function incidentsOf(
  { firstUpdate, lastUpdate, notifySubscribers }: JsonObject,
  severity: IncidentSeverity,
): JsonObject {
  return {
    mode: 'PUBLISH',
    severity,
    description: firstUpdate ?? null,
    resolution: lastUpdate ?? null,
    notifySubscribers: notifySubscribers ?? true,
  };
}
