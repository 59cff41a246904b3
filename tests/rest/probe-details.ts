// Details of results as probes keep them, by how long the phases took.
import { lightFinding } from '#checks/parts/findings/light.ts';
import { encodeDetails, type Phases } from '#checks/parts/http/details.ts';
import { createRedactor } from '#checks/parts/redact.ts';
import type { JsonValue } from '#domain/json.ts';

/** Of an HTTP probe that was answered with 200. Phases are ms. */
export function httpDetails(phases: Phases): JsonValue {
  const sizes = { headers: 310, body: 1963, decoded: 1963 };
  const protocol = { http: '1.1', tls: null, cipher: null };
  const answer = { status: 200, statusText: 'OK', address: '203.0.113.17', protocol, truncated: false };
  return encodeDetails({ ...answer, phases, sizes, redirects: [], assertions: [] });
}

/** Of a light probe that passed. Phases are ms. */
export function lightDetails(phases: Readonly<Record<string, number>>): JsonValue {
  const inspect = { startedAt: 0, tookMs: 30, responseTimeMs: 30, address: '2001:db8::7', assertions: [], short: null };
  const passed = { verdict: 'passed', reason: null, message: null } as const;
  return lightFinding({ ...inspect, phases, request: {}, response: null }, passed, createRedactor([])).details;
}
