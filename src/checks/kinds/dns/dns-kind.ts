// DNS checks: query a name server and check its response (reference §4.3).
import type { JsonObject } from '#domain/json.ts';
import { assertionProblems, timeProblems } from '../../parts/assertions/validate.ts';
import type { Fault } from '../../parts/connection/fault.ts';
import { emptyAttempt } from '../../parts/connection/reach.ts';
import { judgeFault } from '../../parts/findings/light.ts';
import { createLightKind, type LightPlan, type LightSeen } from '../../parts/findings/light-kind.ts';
import { failed, judgeTime, type Judged } from '../../parts/findings/judge.ts';
import { filledHost, hostProblems } from '../../parts/findings/prepare.ts';
import type { EgressGuard, ProbeDeps } from '../../kind.ts';
import { ask, type DnsExchange, type Asking, type NameServer } from './ask.ts';
import { queryName, recordTypes, type DnsAnswer, type DnsRecord, typeName } from './message.ts';
import { hasPlaceholder } from '../../parts/placeholders.ts';
import { dnsSchema, sources } from './schema.ts';

/** Maximum time of a query. */
const maxMs = 5000;

interface DnsTarget {
  readonly name: string;
  /** null = the machine's name servers at the time of the query. */
  readonly server: NameServer | null;
  readonly request: JsonObject;
}

type DnsPlan = LightPlan<typeof dnsSchema> & DnsTarget;

export const dnsKind = createLightKind<typeof dnsSchema, DnsTarget>({
  schema: dnsSchema,
  part: 'request',
  sources,
  assertionsOf: ({ request }) => request.assertions,
  phases: ['dns'],
  urlOf: ({ request: { query, recordType } }) => `dns:${query}?type=${recordType}`,
  problemsOf: ({ request: { query, nameServer, assertions }, ...times }) => {
    const isName = hasPlaceholder(query) || queryName(query) !== null;
    return [
      ...(isName ? [] : [{ path: 'request.query', message: `"${query.slice(0, 100)}" is not a domain name` }]),
      ...(nameServer === null ? [] : hostProblems(nameServer, 'request.nameServer')),
      ...assertionProblems(assertions, sources, 'request.assertions'),
      ...timeProblems(times),
    ];
  },
  targetOf: ({ request: { query, recordType, nameServer, port, protocol } }, filling) => {
    const name = queryName(filling.fill(query));
    if (name === null) return 'the query is not a domain name once its variables are filled in';
    const named = nameServer === null ? null : filledHost(nameServer, filling);
    if (typeof named === 'string') return named;
    return {
      name,
      server: named && { host: named.host, port },
      request: { query: name, recordType, nameServer: named?.host ?? null, port, protocol },
    };
  },
  createInspect: (deps) => async (plan, _startedAt, signal) => seenIn(plan, await exchangeWith(plan, deps, signal)),
});

/** The machine's own name servers are always allowed: every name lookup uses them. */
const unguarded: EgressGuard = { resolve: (host) => Promise.resolve([host]), judge: () => null };

async function exchangeWith(
  plan: DnsPlan,
  { guard, nameServers, limitMs = maxMs }: ProbeDeps,
  signal: AbortSignal,
): Promise<DnsExchange> {
  const { settings, name, server } = plan;
  const { recordType, protocol } = settings.request;
  const isTcp = protocol === 'TCP';
  const asking = { name, type: recordTypes[recordType], isTcp, limitMs: Math.min(limitMs, maxMs) };
  if (server === null) {
    const servers = nameServers ?? guard.nameServers?.() ?? [];
    const own: Asking = { ...asking, servers: servers.map(parseServer) };
    const seen = await ask(own, unguarded, signal);
    return { ...seen, fault: seen.fault && ofOurs(seen.fault, name) };
  }
  const isCarried = isTcp || guard.tunnel === undefined || guard.tunnel === null;
  if (isCarried) return ask({ ...asking, servers: [server] }, guard, signal);
  const message = 'UDP cannot use the proxy set in TOCSIN_PROXY; use TCP or the name servers of this machine';
  const now = emptyAttempt();
  const fault: Fault = { reason: 'observer-network', message };
  return { ...now, endedAt: now.startedAt, isTruncated: false, answer: null, fault };
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

function seenIn(plan: DnsPlan, seen: DnsExchange): LightSeen {
  const { answer } = seen;
  const responseTimeMs = answer === null ? null : seen.endedAt - seen.startedAt;
  const [text, json] = answer === null ? ['', null] : [zoneText(answer), documentOf(answer)];
  return {
    seen: answer && {
      RESPONSE_CODE: answer.code,
      RESPONSE_TIME: responseTimeMs,
      JSON_ANSWER: json,
      TEXT_ANSWER: text,
    },
    steps: [seen.resolvedAt, seen.connectedAt, seen.endedAt],
    tookMs: seen.endedAt - seen.startedAt,
    responseTimeMs,
    address: seen.address,
    phases: phasesOf(seen),
    short: answer && { code: answer.code, answers: answer.answers.length },
    full: { text, json },
    request: plan.request,
    judge: (broken) => ({ ...judge(plan, seen, broken), ...unresolvedIn(plan, seen) }),
  };
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

/** Builds `{Status, TC, RD, RA, AD, CD, Question, Answer, Authority}` with numeric types. */
function documentOf({ flags, codeNumber, question, answers, authority }: DnsAnswer): JsonObject {
  const has = (bit: number): boolean => (flags & bit) !== 0;
  return {
    Status: codeNumber,
    AA: has(0x0400),
    TC: has(0x0200),
    RD: has(0x0100),
    RA: has(0x0080),
    AD: has(0x0020),
    CD: has(0x0010),
    Question: question === null ? [] : [{ ...question }],
    Answer: inOrder(answers, question).map(shown),
    Authority: inOrder(authority, question).map(shown),
  };
}

function shown({ name, type, ttl, data }: DnsRecord): JsonObject {
  return { name, type, TTL: ttl, data };
}

/** One line per answer record, such as `shop.example. 300 IN A 192.0.2.1`. */
function zoneText({ answers, question }: DnsAnswer): string {
  return inOrder(answers, question)
    .map(({ name, type, ttl, data }) => `${name} ${ttl} IN ${typeName(type)} ${data}`)
    .join('\n');
}

/** Name servers rotate records; order them by alias chain, then type and data. */
function inOrder(records: readonly DnsRecord[], question: DnsAnswer['question']): readonly DnsRecord[] {
  const aliases = new Map(
    records
      .filter(({ type }) => type === recordTypes.CNAME)
      .map(({ name, data }) => [name.toLowerCase(), data.toLowerCase()]),
  );
  const ranks = new Map<string, number>();
  let next = question?.name.toLowerCase();
  while (next !== undefined && !ranks.has(next)) {
    ranks.set(next, ranks.size);
    next = aliases.get(next);
  }
  const rankOf = ({ name }: DnsRecord): number => ranks.get(name.toLowerCase()) ?? ranks.size;
  const textOf = ({ name, type, data }: DnsRecord): string =>
    `${name.toLowerCase()} ${String(type).padStart(5, '0')} ${data}`;
  return records
    .map((record) => ({ record, rank: rankOf(record), text: textOf(record) }))
    .toSorted((one, other) => one.rank - other.rank || (one.text < other.text ? -1 : Number(one.text > other.text)))
    .map(({ record }) => record);
}
