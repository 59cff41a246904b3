// Whether the process lives and can work, and its metrics (decisions: Resources of our own).
import { Answer, type Route, route } from './route.ts';

/** What is asked about the state of this process. */
export interface HealthProbes {
  /** Why the service cannot do its work, a sentence each; empty = ready. */
  readiness(): Promise<readonly string[]>;
  /** The metrics; a registry of prom-client fits. */
  readonly metrics: { metrics(): Promise<string>; readonly contentType: string };
}

/** The routes of health and metrics. A probe that throws counts as not ready. */
export function healthRoutes(probes: HealthProbes): Route[] {
  return [
    route('getLiveness', () => ({ status: 'ok' as const })),
    route('getReadiness', async () => {
      const reasons = await probes.readiness().catch(() => ['The readiness could not be found out.']);
      return reasons.length === 0 ? { status: 'ok' as const } : new Answer(503, { status: 'unavailable', reasons });
    }),
    route('getMetrics', async () => {
      const { metrics } = probes;
      return new Answer(200, await metrics.metrics(), { 'content-type': metrics.contentType });
    }),
  ];
}
