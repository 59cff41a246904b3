// Routes of liveness, readiness and metrics (decisions: Resources of our own).
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { HttpRefusal } from '../http-refusal.ts';
import { Answer, type Route, route } from '../route.ts';

/** State of this process. */
export interface HealthProbes {
  /** Why the service cannot work, a sentence each; empty = ready. */
  readiness(): Promise<readonly string[]>;
  /** Remarks on a service that is ready, a sentence each. */
  notes(): Promise<readonly string[]>;
  /** The metrics, such as a registry of prom-client. */
  readonly metrics: { metrics(): Promise<string>; readonly contentType: string };
  readonly metricsAccess: MetricsAccess;
}

/** Access to the metrics. */
export interface MetricsAccess {
  /** Required bearer token; null = none. */
  readonly token: string | null;
  /** Port of the separate listener; null = this one. */
  readonly port: number | null;
  /** Whether access is denied because no setting grants it. */
  readonly isClosed: boolean;
}

/** The routes of health and metrics. A check that throws counts as not ready. */
export function healthRoutes(probes: HealthProbes): Route[] {
  return [...probeRoutes(probes), metricsRoute(probes)];
}

function probeRoutes(probes: HealthProbes): Route[] {
  return [
    route('getLiveness', () => ({ status: 'ok' as const })),
    route('getReadiness', async () => {
      const reasons = await probes.readiness().catch(() => ['The readiness check failed.']);
      if (reasons.length > 0) return new Answer(503, { status: 'unavailable', reasons });
      const notes = await probes.notes().catch(() => []);
      return { status: 'ok' as const, ...(notes.length > 0 && { notes: [...notes] }) };
    }),
  ];
}

/** The metrics route. */
export function metricsRoute({ metrics, metricsAccess }: Pick<HealthProbes, 'metrics' | 'metricsAccess'>): Route {
  const metricsOf = route('getMetrics', async ({ headers }) => {
    requireAccess(metricsAccess, headers);
    return new Answer(200, await metrics.metrics(), { 'content-type': metrics.contentType });
  });
  return { ...metricsOf, verifiesKey: metricsAccess.token !== null };
}

function requireAccess({ token, port, isClosed }: MetricsAccess, { authorization }: IncomingHttpHeaders): void {
  const challenge = { headers: { 'www-authenticate': 'Bearer' } };
  if (isClosed) {
    const message =
      'Metrics require a token because this server is reachable from other machines. Set TOCSIN_METRICS_TOKEN or TOCSIN_METRICS_PORT.';
    throw new HttpRefusal(401, message, challenge);
  }
  if (port !== null) throw new HttpRefusal(404, `Metrics are served on port ${port} (TOCSIN_METRICS_PORT).`);
  if (token === null) return;
  const sent = /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
  if (sent === undefined || !timingSafeEqual(digest(sent), digest(token))) {
    throw new HttpRefusal(401, 'Send the token of TOCSIN_METRICS_TOKEN as Authorization: Bearer <token>.', challenge);
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
