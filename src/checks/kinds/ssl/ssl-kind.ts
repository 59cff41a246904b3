// SSL checks: validate a certificate and its TLS connection (reference §4.3).
import { isIP } from 'node:net';
import type { JsonObject } from '#domain/json.ts';
import type { ThreadInput } from '#domain/checks/probe.ts';
import type { Finding } from '#domain/results/result.ts';
import type { CertificatePath } from '#lib/net/tls-trust.ts';
import type { Assertion } from '../../parts/assertions/assertion.ts';
import { assertionProblems, timeProblems } from '../../parts/assertions/validate.ts';
import { assertionWarnings } from '../../parts/assertions/warn.ts';
import { seenCertificate } from '../../parts/connection/certificate.ts';
import { createClientTls } from '../../parts/connection/client-tls.ts';
import { type Handshake, type Peer, shakeHands, type Shaken } from '../../parts/connection/handshake.ts';
import { type AnswerWork, type Offload, workOn } from '../../parts/findings/answer-work.ts';
import { describeLight, judgeFault, lightFinding } from '../../parts/findings/light.ts';
import { failed, judgeAssertions, judgeTime, type Judged, outcomesOf } from '../../parts/findings/judge.ts';
import {
  compileAll,
  createFilling,
  createPlannedProbe,
  filledHost,
  hostProblems,
} from '../../parts/findings/prepare.ts';
import type { CheckKind, ProbeDeps, SettingsProblem } from '../../kind.ts';
import type { Redactor } from '../../parts/redact.ts';
import { factsOf, type SslFacts } from './facts.ts';
import { expiryFlaw, flawsOf, isExpiring, refusalOf } from './judge.ts';
import { createFindRevocation, type Revocation } from './revocation.ts';
import { revokedSentence, shownRevocation } from './revocation-words.ts';
import { createFindSoon } from './alternating-certificates.ts';
import { usesIn, type VariableUse } from '../../parts/placeholders.ts';
import { family } from '../../parts/read.ts';
import { readerOf } from '../../schema.ts';
import { type SslConfig, sources, sslSchema, type SslSettings } from './schema.ts';

const read = readerOf(sslSchema);

interface SslPlan {
  /** Identifies the check revision and the target. */
  readonly key: string;
  readonly accountId: string;
  readonly config: SslConfig;
  readonly times: Pick<SslSettings, 'degradedResponseTime' | 'maxResponseTime'>;
  readonly handshake: Handshake;
  /** Name that the certificate must match. */
  readonly name: string;
  readonly assertions: readonly Assertion[];
  readonly redactor: Redactor;
  readonly request: JsonObject;
}

function variableUses(settings: JsonObject): VariableUse[] {
  return usesIn(settings['sslConfig'], 'sslConfig');
}

export const sslKind: CheckKind<typeof sslSchema> = {
  schema: sslSchema,
  createProbe: (deps) => {
    // Accept weak algorithms, so that they are reported instead of failing the handshake.
    const tlsOf = createClientTls(deps, {
      minVersion: 'TLSv1',
      ciphers: 'DEFAULT:ALL:!aNULL:!eNULL:@SECLEVEL=0',
    });
    const inspect = createInspect(deps);
    return createPlannedProbe(variableUses, planner(deps, tlsOf), async (plan, startedAt, signal) => {
      const seen = await shakeHands(plan.handshake, deps.guard, signal);
      return findingOf(plan, startedAt, seen, await inspect(plan, startedAt, seen, signal), deps.offload);
    });
  },
  validateSettings,
  variableUses,
  warnSettings: (settings) => {
    const { sslConfig, maxResponseTime } = read(settings);
    return assertionWarnings(sslConfig.assertions, 'sslConfig.assertions', maxResponseTime);
  },
  describeResult: describeLight,
  measures: { statusCode: false, phases: ['dns', 'tcp'] },
  alertFacts: ({ settings }) => {
    const { hostname, port } = read(settings).sslConfig;
    return { url: `https://${hostname}${port === 443 ? '' : `:${port}`}`, status: null, statusText: null };
  },
};

function validateSettings(settings: JsonObject): SettingsProblem[] {
  const { sslConfig, ...times } = read(settings);
  const { hostname, serverName, assertions } = sslConfig;
  return [
    ...hostProblems(hostname, 'sslConfig.hostname'),
    ...(serverName === '' ? [] : hostProblems(serverName, 'sslConfig.serverName')),
    ...assertionProblems(assertions, sources, 'sslConfig.assertions'),
    ...timeProblems(times),
  ];
}

function planner(deps: ProbeDeps, tlsOf: ReturnType<typeof createClientTls>): (input: ThreadInput) => SslPlan | string {
  return (input) => {
    const settings = read(input.check.settings);
    const { sslConfig: config } = settings;
    const filling = createFilling(input);
    const { redactor } = filling;
    const named = filledHost(config.hostname, filling);
    if (typeof named === 'string') return redactor.text(named);
    const asked = config.serverName === '' ? named : filledHost(config.serverName, filling);
    if (typeof asked === 'string') return redactor.text(asked);
    const assertions = compileAll(config.assertions, sources, filling);
    if (typeof assertions === 'string') return redactor.text(assertions);
    const name = asked.host.replace(/\.$/, '');
    return {
      key: [input.check.id, input.revision, named.host, settings.sslConfig.port, name].join(' '),
      accountId: input.check.accountId,
      config,
      times: settings,
      name,
      handshake: {
        place: { host: named.host, isAddress: isIP(named.host) > 0, port: config.port },
        serverName: isIP(name) > 0 ? null : name,
        family: family(config.ipFamily),
        ...tlsOf(input.check.accountId)(name),
        limitMs: Math.min(deps.limitMs ?? 30_000, config.handshakeTimeoutMs),
      },
      assertions,
      redactor,
      request: { hostname: named.host, port: config.port, serverName: name },
    };
  };
}

/** Facts about the certificate of a handshake. */
interface Inspected {
  readonly facts: SslFacts;
  /** null if disabled. */
  readonly revocation: Revocation | null;
  /** Time spent on querying the CA in ms; null if not queried. */
  readonly queryMs: number | null;
  /** Another path of the same server that expires soon, or null. */
  readonly other: CertificatePath | null;
}

type Inspect = (plan: SslPlan, startedAt: number, seen: Shaken, signal: AbortSignal) => Promise<Inspected | null>;

/** Creates the inspection of a handshake. It returns null without a certificate. */
function createInspect({ guard, version, limitMs = 30_000 }: ProbeDeps): Inspect {
  const findRevocation = createFindRevocation();
  const findSoon = createFindSoon();
  return async (plan, startedAt, { peer, address, startedAt: begun }, signal) => {
    const { name, config, handshake } = plan;
    if (peer === null) return null;
    const facts = factsOf(peer, name, address, startedAt);
    // The CA is not queried about a certificate that fails anyway.
    const isRefused = refusalOf(facts, peer, { name, now: startedAt }, config.skipChainValidation) !== null;
    const mode = config.revocation === 'ONLINE' && isRefused ? 'STAPLED' : config.revocation;
    const from = performance.now();
    const inspecting = { mode, guard, ...handshake, version, now: startedAt, leftMs: limitMs - (from - begun), signal };
    const revocation = await findRevocation(peer, inspecting);
    const queryMs = mode === 'ONLINE' ? performance.now() - from : null;
    const isSoon = (path: CertificatePath): boolean => isExpiring(path, startedAt, config.alertDaysBeforeExpiry);
    const again = async (): Promise<CertificatePath | null> => {
      const leftMs = limitMs - (performance.now() - begun);
      if (leftMs <= 0 || signal.aborted) return null;
      const limited = { ...handshake, limitMs: Math.min(handshake.limitMs, leftMs) };
      return (await shakeHands(limited, guard, signal)).peer?.path ?? null;
    };
    const other = isRefused ? null : await findSoon(plan.key, peer.path, isSoon, again);
    return { facts, revocation, queryMs, other };
  };
}

async function findingOf(
  plan: SslPlan,
  startedAt: number,
  seen: Shaken,
  inspected: Inspected | null,
  offload: Offload | undefined,
): Promise<Finding> {
  const { redactor, assertions, name } = plan;
  const { peer } = seen;
  const responseTimeMs = inspected === null ? null : seen.securedAt - seen.startedAt;
  const shown = inspected === null ? null : shownOf(inspected);
  const queryMs = inspected?.queryMs ?? null;
  const work = { accountId: plan.accountId, assertions, values: valuesIn(shown, responseTimeMs), body: null, redactor };
  const { outcomes } = shown === null ? { outcomes: [] } : await workOn(work, offload);
  const broken = judgeAssertions(assertions, outcomes);
  return lightFinding(
    {
      startedAt,
      steps: [seen.resolvedAt, seen.connectedAt, seen.securedAt || seen.endedAt],
      tookMs: seen.endedAt - seen.startedAt + (queryMs ?? 0),
      responseTimeMs,
      address: seen.address,
      phases: { ...phasesOf(seen), ...(queryMs !== null && { revocation: queryMs }) },
      assertions: outcomesOf(assertions, outcomes, redactor.text),
      short: shown,
      request: plan.request,
      response: shown,
      ...certificatesOf(peer, inspected, name),
    },
    judge(plan, startedAt, seen, inspected, broken),
    redactor,
  );
}

/** Certificates to report, first to expire first. */
function certificatesOf(
  peer: Peer | null,
  inspected: Inspected | null,
  name: string,
): Pick<Finding, 'certificate' | 'otherCertificates'> {
  if (peer === null) return { certificate: null };
  const own = seenCertificate(peer.path, name);
  if (inspected === null || inspected.other === null) return { certificate: own };
  return { certificate: seenCertificate(inspected.other, name), otherCertificates: [own] };
}

/** Everything that assertions check and results show. */
interface Shown extends JsonObject {
  readonly certificate: JsonObject;
  readonly connection: JsonObject;
  readonly revocation: JsonObject | null;
}

function shownOf({ facts: { certificate, connection }, revocation }: Inspected): Shown {
  const ocspStatus = revocation?.status ?? 'unknown';
  return { certificate, connection: { ...connection, ocspStatus }, revocation: shownRevocation(revocation) };
}

/** Judges in this order: rejected, failed baseline, assertions, degraded baseline. */
function judge(
  { config, times, name }: SslPlan,
  now: number,
  seen: Shaken,
  inspected: Inspected | null,
  broken: Judged | null,
): Judged {
  if (seen.fault !== null) return judgeFault(seen.fault);
  if (inspected === null || seen.peer === null) return failed('tls', `${name} sent no certificate`);
  const { facts, revocation, other } = inspected;
  const refusal = refusalOf(facts, seen.peer, { name, now }, config.skipChainValidation);
  if (refusal !== null) return refusal;
  const revoked = revocation === null ? null : revokedSentence(revocation, name);
  if (revoked !== null) return failed('tls', revoked);
  const flaws = flawsOf(facts, seen.peer.path, revocation, config, { name, now });
  const soon = other === null ? null : expiryFlaw(other, { name, now }, config.alertDaysBeforeExpiry);
  if (soon !== null) flaws.push(soon);
  const worst = flaws.find(({ severity }) => severity === 'fail');
  if (worst !== undefined) return failed('tls', worst.message);
  if (broken !== null) return broken;
  const timed = judgeTime(seen.securedAt - seen.startedAt, times);
  const [flaw] = flaws;
  if (timed.verdict === 'failed' || flaw === undefined) return timed;
  return { verdict: 'degraded', reason: 'tls', message: flaw.message };
}

function valuesIn(document: Shown | null, responseTimeMs: number | null): AnswerWork['values'] {
  return {
    CERTIFICATE: document?.certificate ?? null,
    CONNECTION: document?.connection ?? null,
    RESPONSE_TIME: responseTimeMs,
    JSON_RESPONSE: document,
    TEXT_RESPONSE: JSON.stringify(document),
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
