// SSL checks: validate a certificate and its TLS connection (reference §4.3).
import { isIP } from 'node:net';
import type { JsonObject } from '#domain/json.ts';
import type { Finding } from '#domain/results/result.ts';
import type { CertificatePath } from '#lib/net/tls-trust.ts';
import { assertionProblems, timeProblems } from '../../parts/assertions/validate.ts';
import { seenCertificate, createClientTls } from '../../parts/connection/certificate.ts';
import { type Handshake, type Peer, shakeHands, type Shaken } from '../../parts/connection/handshake.ts';
import { connectionPhases } from '../../parts/connection/reach.ts';
import { judgeFault } from '../../parts/findings/light.ts';
import { createLightKind, type LightPlan, type LightSeen } from '../../parts/findings/light-kind.ts';
import { failed, judgeTime, type Judged } from '../../parts/findings/judge.ts';
import { filledHost, hostProblems } from '../../parts/findings/prepare.ts';
import type { ProbeDeps } from '../../kind.ts';
import { factsOf, type SslFacts } from './facts.ts';
import { expiryFlaw, flawsOf, isExpiring, refusalOf } from './judge.ts';
import { createFindRevocation, type Revocation, revokedSentence, shownRevocation } from './revocation.ts';
import { createFindSoon } from './alternating-certificates.ts';
import { family } from '../../parts/read.ts';
import { sources, sslSchema } from './schema.ts';

interface SslTarget {
  /** Identifies the check revision and the target. */
  readonly key: string;
  readonly host: string;
  /** Name that the certificate must match. */
  readonly name: string;
}

type SslPlan = LightPlan<typeof sslSchema> & SslTarget;

export const sslKind = createLightKind<typeof sslSchema, SslTarget>({
  schema: sslSchema,
  part: 'sslConfig',
  sources,
  assertionsOf: ({ sslConfig }) => sslConfig.assertions,
  phases: ['dns', 'tcp'],
  urlOf: ({ sslConfig: { hostname, port } }) => `https://${hostname}${port === 443 ? '' : `:${port}`}`,
  problemsOf: ({ sslConfig: { hostname, serverName, assertions }, ...times }) => [
    ...hostProblems(hostname, 'sslConfig.hostname'),
    ...(serverName === '' ? [] : hostProblems(serverName, 'sslConfig.serverName')),
    ...assertionProblems(assertions, sources, 'sslConfig.assertions'),
    ...timeProblems(times),
  ],
  targetOf: ({ sslConfig: { hostname, serverName, port } }, filling, { check, revision }) => {
    const named = filledHost(hostname, filling);
    if (typeof named === 'string') return named;
    const asked = serverName === '' ? named : filledHost(serverName, filling);
    if (typeof asked === 'string') return asked;
    const { host } = named;
    const name = asked.host.replace(/\.$/, '');
    return { key: [check.id, revision, host, port, name].join(' '), host, name };
  },
  createInspect: (deps) => {
    // Accept weak algorithms, so that they are reported instead of failing the handshake.
    const tlsOf = createClientTls(deps, {
      minVersion: 'TLSv1',
      ciphers: 'DEFAULT:ALL:!aNULL:!eNULL:@SECLEVEL=0',
    });
    const inspect = createInspect(deps);
    return async (plan, startedAt, signal) => {
      const { accountId, settings, host, name } = plan;
      const { port, ipFamily, handshakeTimeoutMs } = settings.sslConfig;
      const handshake: Handshake = {
        place: { host, isAddress: isIP(host) > 0, port },
        serverName: isIP(name) > 0 ? null : name,
        family: family(ipFamily),
        ...tlsOf(accountId)(name),
        limitMs: Math.min(deps.limitMs ?? 30_000, handshakeTimeoutMs),
      };
      const seen = await shakeHands(handshake, deps.guard, signal);
      return seenIn(plan, startedAt, seen, await inspect(plan, handshake, startedAt, seen, signal));
    };
  },
});

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

type Inspect = (
  plan: SslPlan,
  handshake: Handshake,
  startedAt: number,
  seen: Shaken,
  signal: AbortSignal,
) => Promise<Inspected | null>;

/** Creates the inspection of a handshake. It returns null without a certificate. */
function createInspect({ guard, version, limitMs = 30_000 }: ProbeDeps): Inspect {
  const findRevocation = createFindRevocation();
  const findSoon = createFindSoon();
  return async ({ key, name, settings }, handshake, startedAt, { peer, address, startedAt: begun }, signal) => {
    const config = settings.sslConfig;
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
    const other = isRefused ? null : await findSoon(key, peer.path, isSoon, again);
    return { facts, revocation, queryMs, other };
  };
}

function seenIn(plan: SslPlan, startedAt: number, seen: Shaken, inspected: Inspected | null): LightSeen {
  const responseTimeMs = inspected === null ? null : seen.securedAt - seen.startedAt;
  const shown = inspected && shownOf(inspected);
  const queryMs = inspected?.queryMs ?? null;
  return {
    seen: shown && {
      CERTIFICATE: shown.certificate,
      CONNECTION: shown.connection,
      RESPONSE_TIME: responseTimeMs,
      JSON_RESPONSE: shown,
      TEXT_RESPONSE: JSON.stringify(shown),
    },
    steps: [seen.resolvedAt, seen.connectedAt, seen.securedAt || seen.endedAt],
    tookMs: seen.endedAt - seen.startedAt + (queryMs ?? 0),
    responseTimeMs,
    address: seen.address,
    phases: {
      ...connectionPhases(seen),
      ...(seen.connectedAt > 0 && { tls: (seen.securedAt || seen.endedAt) - seen.connectedAt }),
      ...(queryMs !== null && { revocation: queryMs }),
    },
    short: shown,
    request: { hostname: plan.host, port: plan.settings.sslConfig.port, serverName: plan.name },
    ...certificatesOf(seen.peer, inspected, plan.name),
    judge: (broken) => judge(plan, startedAt, seen, inspected, broken),
  };
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
  { settings, name }: SslPlan,
  now: number,
  seen: Shaken,
  inspected: Inspected | null,
  broken: Judged | null,
): Judged {
  if (seen.fault !== null) return judgeFault(seen.fault);
  const config = settings.sslConfig;
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
  const timed = judgeTime(seen.securedAt - seen.startedAt, settings);
  const [flaw] = flaws;
  if (timed.verdict === 'failed' || flaw === undefined) return timed;
  return { verdict: 'degraded', reason: 'tls', message: flaw.message };
}
