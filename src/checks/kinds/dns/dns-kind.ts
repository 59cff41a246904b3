// DNS checks: query a name server and check its response (reference §4.3).
import type { JsonObject } from '#domain/json.ts';
import type { ThreadInput } from '#domain/checks/probe.ts';
import type { Finding } from '#domain/results/result.ts';
import type { Assertion } from '../../parts/assertions/assertion.ts';
import { assertionProblems, timeProblems } from '../../parts/assertions/validate.ts';
import { assertionWarnings } from '../../parts/assertions/warn.ts';
import type { Fault } from '../../parts/connection/fault.ts';
import { type Offload, workOn } from '../../parts/findings/answer-work.ts';
import { describeLight, judgeFault, lightFinding } from '../../parts/findings/light.ts';
import { failed, judgeAssertions, judgeTime, type Judged, outcomesOf } from '../../parts/findings/judge.ts';
import {
  compileAll,
  createFilling,
  createPlannedProbe,
  filledHost,
  hostProblems,
} from '../../parts/findings/prepare.ts';
import type { CheckKind, EgressGuard, ProbeDeps, SettingsProblem } from '../../kind.ts';
import type { Redactor } from '../../parts/redact.ts';
import { ask, type DnsExchange, type Asking, type NameServer } from './ask.ts';
import { documentOf, zoneText } from './document.ts';
import { queryName, recordTypes } from './message.ts';
import { hasPlaceholder, usesIn, type VariableUse } from '../../parts/placeholders.ts';
import { readerOf } from '../../schema.ts';
import { dnsSchema, type DnsSettings, sources } from './schema.ts';

const read = readerOf(dnsSchema);

/** Maximum time of a query. */
const maxMs = 5000;

interface DnsPlan {
  readonly accountId: string;
  readonly settings: DnsSettings;
  readonly shouldFail: boolean;
  readonly name: string;
  /** null = the machine's name servers at the time of the query. */
  readonly server: NameServer | null;
  readonly limitMs: number;
  readonly assertions: readonly Assertion[];
  readonly redactor: Redactor;
  readonly request: JsonObject;
}

function variableUses(settings: JsonObject): VariableUse[] {
  return usesIn(settings['request'], 'request');
}

export const dnsKind: CheckKind<typeof dnsSchema> = {
  schema: dnsSchema,
  createProbe: (deps) =>
    createPlannedProbe(
      variableUses,
      (input) => makePlan(input, deps),
      async (plan, startedAt, signal) =>
        findingOf(plan, startedAt, await exchangeWith(plan, deps, signal), deps.offload),
    ),
  validateSettings,
  variableUses,
  warnSettings: (settings) => {
    const { request, maxResponseTime } = read(settings);
    return assertionWarnings(request.assertions, 'request.assertions', maxResponseTime);
  },
  describeResult: describeLight,
  measures: { statusCode: false, phases: ['dns'] },
  alertFacts: ({ settings }) => {
    const { query, recordType } = read(settings).request;
    return { url: `dns:${query}?type=${recordType}`, status: null, statusText: null };
  },
};

function validateSettings(settings: JsonObject): SettingsProblem[] {
  const { request, ...times } = read(settings);
  const { query, nameServer, assertions } = request;
  const isName = hasPlaceholder(query) || queryName(query) !== null;
  return [
    ...(isName ? [] : [{ path: 'request.query', message: `"${query.slice(0, 100)}" is not a domain name` }]),
    ...(nameServer === null ? [] : hostProblems(nameServer, 'request.nameServer')),
    ...assertionProblems(assertions, sources, 'request.assertions'),
    ...timeProblems(times),
  ];
}

function makePlan(input: ThreadInput, { limitMs = maxMs }: ProbeDeps): DnsPlan | string {
  const settings = read(input.check.settings);
  const { query, recordType, nameServer, port, protocol, ...request } = settings.request;
  const filling = createFilling(input);
  const { redactor } = filling;
  const name = queryName(filling.fill(query));
  if (name === null) return 'the query is not a domain name once its variables are filled in';
  const named = nameServer === null ? null : filledHost(nameServer, filling);
  if (typeof named === 'string') return redactor.text(named);
  const assertions = compileAll(request.assertions, sources, filling);
  if (typeof assertions === 'string') return redactor.text(assertions);
  return {
    accountId: input.check.accountId,
    settings,
    shouldFail: input.check.shouldFail,
    name,
    server: named && { host: named.host, port },
    limitMs: Math.min(limitMs, maxMs),
    assertions,
    redactor,
    request: { query: name, recordType, nameServer: named?.host ?? null, port, protocol },
  };
}

/** The machine's own name servers are always allowed: every name lookup uses them. */
const unguarded: EgressGuard = { resolve: (host) => Promise.resolve([host]), judge: () => null };

async function exchangeWith(
  plan: DnsPlan,
  { guard, nameServers }: ProbeDeps,
  signal: AbortSignal,
): Promise<DnsExchange> {
  const { settings, name, server, limitMs } = plan;
  const { recordType, protocol } = settings.request;
  const isTcp = protocol === 'TCP';
  const asking = { name, type: recordTypes[recordType], isTcp, limitMs };
  if (server === null) {
    const servers = nameServers ?? guard.nameServers?.() ?? [];
    const own: Asking = { ...asking, servers: servers.map(parseServer) };
    const seen = await ask(own, unguarded, signal);
    return { ...seen, fault: seen.fault && ofOurs(seen.fault, name) };
  }
  const isCarried = isTcp || guard.tunnel === undefined || guard.tunnel === null;
  if (isCarried) return ask({ ...asking, servers: [server] }, guard, signal);
  const message = 'UDP cannot use the proxy set in TOCSIN_PROXY; use TCP or the name servers of this machine';
  const now = performance.now();
  const nowhere = { startedAt: now, resolvedAt: 0, connectedAt: 0, endedAt: now, address: null, isTruncated: false };
  return { ...nowhere, answer: null, fault: { reason: 'observer-network', message } };
}

/** Parses `address`, `address:port` or `[address]:port`. */
function parseServer(text: string): NameServer {
  const [, bracketed, plain, port = '53'] = /^(?:\[(.+)\]|([^:]+))(?::(\d+))?$/.exec(text) ?? [];
  return { host: bracketed ?? plain ?? text, port: Number(port) };
}

/**
 * A failure of our own name servers. Without an answer about this name alone, the failure is that of the name
 * (docs/decisions/0139).
 */
function ofOurs({ reason, message, ...fault }: Fault, name: string): Fault {
  if (reason === 'crashed') return { reason, message };
  const shown = `the name servers of this machine: ${message}`;
  if (reason === 'observer-network' || reason === 'protocol') return { reason: 'observer-network', message: shown };
  return { ...fault, reason: 'dns', message: shown, unresolved: name };
}

/** Responses of a name server that could not find out. */
const withoutAnswer: ReadonlySet<string> = new Set(['SERVFAIL', 'REFUSED']);

async function findingOf(
  plan: DnsPlan,
  startedAt: number,
  seen: DnsExchange,
  offload: Offload | undefined,
): Promise<Finding> {
  const { redactor, assertions } = plan;
  const { answer } = seen;
  const responseTimeMs = answer === null ? null : seen.endedAt - seen.startedAt;
  const document = answer === null ? null : documentOf(answer);
  const text = answer === null ? '' : zoneText(answer);
  const values = {
    RESPONSE_CODE: answer?.code ?? null,
    RESPONSE_TIME: responseTimeMs,
    JSON_ANSWER: document,
    TEXT_ANSWER: text,
  };
  const work = { accountId: plan.accountId, assertions, values, body: null, redactor };
  const { outcomes } = answer === null ? { outcomes: [] } : await workOn(work, offload);
  const short = answer === null ? null : { code: answer.code, answers: answer.answers.length };
  const broken = judgeAssertions(assertions, outcomes);
  return lightFinding(
    {
      startedAt,
      steps: [seen.resolvedAt, seen.connectedAt, seen.endedAt],
      tookMs: seen.endedAt - seen.startedAt,
      responseTimeMs,
      address: seen.address,
      phases: phasesOf(seen),
      assertions: outcomesOf(assertions, outcomes, redactor.text),
      short,
      request: plan.request,
      response: short === null ? null : { ...short, text, json: document },
    },
    { ...judge(plan, seen, broken), ...unresolvedIn(plan, seen) },
    redactor,
  );
}

function unresolvedIn({ server, name }: DnsPlan, { answer }: DnsExchange): Pick<Judged, 'unresolved'> {
  return server === null && answer !== null && withoutAnswer.has(answer.code) ? { unresolved: name } : {};
}

/** Judges the response code first, unless an assertion covers it, then assertions, then time. */
function judge({ name, assertions, settings, shouldFail }: DnsPlan, seen: DnsExchange, broken: Judged | null): Judged {
  const { answer, fault } = seen;
  if (answer === null) return judgeFault(fault ?? { reason: 'timeout', message: 'no response was received' });
  const isAsserted = assertions.some(({ source }) => source === 'RESPONSE_CODE');
  if (answer.codeNumber !== 0 && !isAsserted && !shouldFail) {
    const got = `expected NOERROR for ${settings.request.recordType} ${name}, got ${answer.code}`;
    return failed('dns', broken === null ? got : `${got}; ${broken.message}`);
  }
  return broken ?? judgeTime(seen.endedAt - seen.startedAt, settings);
}

function phasesOf({ startedAt, resolvedAt, connectedAt, endedAt }: DnsExchange): Record<string, number> {
  const resolved = resolvedAt || endedAt;
  const connected = connectedAt || resolved;
  return { dns: resolved - startedAt, connect: connected - resolved, answer: endedAt - connected };
}
