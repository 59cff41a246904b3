// SSL checks: whether a certificate and the connection it is shown over are what they should be (reference §4.3).
import { isIP } from 'node:net';
import type { JsonObject } from '#domain/json.ts';
import type { ProbeInput } from '#domain/probe.ts';
import type { Finding } from '#domain/result.ts';
import type { Assertion } from '../assertions/assertion.ts';
import { evaluateAll, type Look } from '../assertions/evaluate.ts';
import { seenCertificate, secureContextOf } from '../connection/certificate.ts';
import { type Handshake, shakeHands, type Shaken } from '../connection/handshake.ts';
import { describeLight, judgeFault, lightFinding } from '../findings/light.ts';
import { brokenAssertions, failed, judgeTime, type Judged, outcomesOf } from '../findings/judge.ts';
import { compileAll, createFilling, createPlannedProbe, filledHost } from '../findings/prepare.ts';
import type { CheckKind, ProbeMeans } from '../kind.ts';
import type { Redactor } from '../redact.ts';
import { factsOf, type SslFacts } from './facts.ts';
import { flawsOf, refusalOf } from './judge.ts';
import { readSslSettings, type SslSettings, sslSources, validateSslSettings } from './settings.ts';

interface SslPlan {
  readonly settings: SslSettings;
  readonly handshake: Handshake;
  /** Whom the certificate must be for. */
  readonly name: string;
  readonly assertions: readonly Assertion[];
  readonly redactor: Redactor;
  readonly request: JsonObject;
}

export const sslKind: CheckKind = {
  createProbe: (means) => {
    const plannedWith = planner(means);
    return createPlannedProbe(plannedWith, async (plan, startedAt, signal) =>
      findingOf(plan, startedAt, await shakeHands(plan.handshake, means.guard, signal)),
    );
  },
  validateSettings: validateSslSettings,
  describeResult: (result, exchange) => ({ sslCheckResult: describeLight(result, exchange) }),
  alertFacts: ({ settings }) => {
    const { hostname, port } = readSslSettings(settings);
    return { url: `https://${hostname}${port === 443 ? '' : `:${port}`}`, status: null, statusText: null };
  },
};

function planner(means: ProbeMeans): (input: ProbeInput) => SslPlan | string {
  // What is weak is to be seen and named, not to end in a handshake that fails.
  const secureContext = secureContextOf(means, {
    minVersion: 'TLSv1',
    ciphers: 'DEFAULT:ALL:!aNULL:!eNULL:@SECLEVEL=0',
  });
  return (input) => {
    const settings = readSslSettings(input.check.settings);
    const filling = createFilling(input);
    const { redactor } = filling;
    const named = filledHost(settings.hostname, filling);
    if (typeof named === 'string') return redactor.text(named);
    const asked = settings.serverName === '' ? named : filledHost(settings.serverName, filling);
    if (typeof asked === 'string') return redactor.text(asked);
    const assertions = compileAll(settings.assertions, sslSources, filling);
    if (typeof assertions === 'string') return redactor.text(assertions);
    const name = asked.host.replace(/\.$/, '');
    return {
      settings,
      name,
      handshake: {
        place: { host: named.host, isAddress: isIP(named.host) > 0, port: settings.port },
        serverName: isIP(name) > 0 ? null : name,
        family: settings.family,
        secureContext,
        limitMs: Math.min(means.limitMs ?? 30_000, settings.handshakeTimeoutMs),
      },
      assertions,
      redactor,
      request: { hostname: named.host, port: settings.port, serverName: name },
    };
  };
}

function findingOf(plan: SslPlan, startedAt: number, seen: Shaken): Finding {
  const { redactor, assertions, name } = plan;
  const { peer } = seen;
  const facts = peer === null ? null : factsOf(peer, name, seen.address, startedAt);
  const responseTimeMs = facts === null ? null : seen.securedAt - seen.startedAt;
  const outcomes = facts === null ? [] : evaluateAll(assertions, lookAt(facts, responseTimeMs), redactor.text);
  const broken = brokenAssertions(assertions, outcomes);
  const shown = facts === null ? null : { certificate: facts.certificate, connection: facts.connection };
  return lightFinding(
    {
      startedAt,
      tookMs: seen.endedAt - seen.startedAt,
      responseTimeMs,
      address: seen.address,
      phases: phasesOf(seen),
      assertions: outcomesOf(assertions, outcomes, redactor.text),
      short: shown,
      request: plan.request,
      response: shown,
      certificate: peer === null ? null : seenCertificate(peer.certificates[0], name),
    },
    judge(plan, seen, facts, broken),
    redactor,
  );
}

/** What must not be accepted, then what is too weak, then assertions, then what is only degraded. */
function judge({ settings, name }: SslPlan, seen: Shaken, facts: SslFacts | null, broken: string | null): Judged {
  if (seen.fault !== null) return judgeFault(seen.fault);
  if (facts === null || seen.peer === null) return failed('tls', `${name} showed no certificate`);
  const refusal = refusalOf(facts, seen.peer, name, settings.skipChainValidation);
  if (refusal !== null) return refusal;
  const flaws = flawsOf(facts, settings);
  const worst = flaws.find(({ severity }) => severity === 'fail');
  if (worst !== undefined) return failed('tls', worst.message);
  if (broken !== null) return failed('assertion', broken);
  const timed = judgeTime(seen.securedAt - seen.startedAt, settings);
  const [flaw] = flaws;
  if (timed.verdict === 'failed' || flaw === undefined) return timed;
  return { verdict: 'degraded', reason: 'tls', message: flaw.message };
}

function lookAt(facts: SslFacts, responseTimeMs: number | null): Look {
  const document = { certificate: facts.certificate, connection: facts.connection };
  return (source, property) => {
    if (source === 'CERTIFICATE') return facts.certificate[property];
    if (source === 'CONNECTION') return facts.connection[property];
    if (source === 'RESPONSE_TIME') return responseTimeMs;
    return source === 'JSON_RESPONSE' ? document : JSON.stringify(document);
  };
}

function phasesOf(seen: Shaken): Record<string, number> {
  const end = seen.endedAt;
  const resolved = seen.resolvedAt || end;
  const connected = seen.connectedAt || end;
  return {
    dns: resolved - seen.startedAt,
    tcp: connected - resolved,
    ...(seen.connectedAt > 0 && { tls: (seen.securedAt || end) - connected }),
  };
}
