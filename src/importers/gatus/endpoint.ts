// Gatus: an endpoint to a check.
import type { FileResource } from '#contract/projects/resource-file.ts';
import { hostOf, hostPort, httpRequest, interval, recordTypeOf, statusAssertions, timeout } from '../check-parts.ts';
import { type Foreign, durationOf, objectOf, pairsOf, textOf } from '../values.ts';
import { type Conditions, type EndpointSort, readConditions } from './conditions.ts';

/** A check, and the condition that becomes a check of its own. */
export interface EndpointCheck {
  readonly check: FileResource;
  /** Hours until the certificate may expire; null = no condition. */
  readonly certificateHours: number | null;
}

type Reader = (endpoint: Foreign, conditions: Conditions, notes: string[]) => FileResource | null;

/** By the scheme of the URL. */
const readers: Readonly<Record<string, Reader>> = {
  http: httpSettings,
  https: httpSettings,
  tcp: (endpoint, { responseMs }, notes) => tcpSettings(endpoint, responseMs, notes),
  icmp: (endpoint, { responseMs }) => ({
    checkType: 'ICMP',
    request: {
      hostname: hostOf(textOf(endpoint['url'])),
      ...(responseMs !== null && {
        assertions: [{ source: 'LATENCY', property: 'avg', comparison: 'LESS_THAN', target: String(responseMs) }],
      }),
    },
  }),
  tls: (endpoint, { certificateHours }) => certificateCheck(endpoint, certificateHours ?? 0),
};

const unsupported = 'Tocsin has no check of this kind; a TCP check can watch a port';

/** @returns null = not carried over, and the notes say why */
export function endpointCheck(endpoint: Foreign, notes: string[]): EndpointCheck | null {
  const url = textOf(endpoint['url']);
  const isDns = endpoint['dns'] !== undefined;
  // Gatus may take the whole URL from its environment.
  const scheme = url.startsWith('$') ? 'http' : (/^([a-z]+):\/\//i.exec(url)?.[1] ?? '').toLowerCase();
  const read = isDns ? dnsSettings : Object.hasOwn(readers, scheme) ? readers[scheme] : undefined;
  if (read === undefined) {
    notes.push(unsupported);
    return null;
  }
  const sort: EndpointSort = isDns ? 'dns' : scheme.startsWith('http') ? 'http' : 'other';
  const listed = Array.isArray(endpoint['conditions']) ? endpoint['conditions'].map(textOf) : [];
  const conditions = readConditions(listed, sort);
  const settings = read(endpoint, conditions, notes);
  if (settings === null) return null;
  for (const lost of conditions.lost) notes.push(`the condition ${lost.slice(0, 100)} is left out`);
  const isEmpty = listed.length > 0 && conditions.lost.length === listed.length;
  if (isEmpty) notes.push('deactivated: none of its conditions is carried over');
  const seconds = durationOf(endpoint['interval']) ?? 60;
  const check = {
    ...settings,
    ...((isEmpty || endpoint['enabled'] === false) && { activated: false }),
    ...interval(seconds, notes),
  };
  const isOwn = scheme === 'https' && conditions.certificateHours !== null;
  return { check, certificateHours: isOwn ? conditions.certificateHours : null };
}

/** An SSL check of an endpoint. @param hours until the certificate may expire */
export function certificateCheck(endpoint: Foreign, hours: number): FileResource {
  const url = textOf(endpoint['url']);
  const days = Math.ceil(hours / 24);
  return {
    checkType: 'SSL',
    frequency: 60,
    sslConfig: {
      hostname: hostOf(url),
      port: hostPort(url)?.port ?? 443,
      ...(objectOf(endpoint['client'])['insecure'] === true && { skipChainValidation: true }),
      ...(days > 0 && {
        assertions: [
          { source: 'CERTIFICATE', property: 'daysUntilExpiry', comparison: 'GREATER_THAN', target: String(days) },
        ],
      }),
    },
  };
}

function httpSettings(endpoint: Foreign, conditions: Conditions, notes: string[]): FileResource | null {
  const client = objectOf(endpoint['client']);
  for (const field of ['oauth2', 'identity-aware-proxy', 'tls', 'tunnel', 'proxy-url', 'dns-resolver']) {
    if (client[field] !== undefined) notes.push(`client.${field} is left out`);
  }
  const { assertions, shouldFail } = statusesOf(conditions, notes);
  const body = textOf(endpoint['body']);
  if (/\[(?:ENDPOINT_|LOCAL_ADDRESS|RANDOM_STRING)/.test(body))
    notes.push('placeholders in the body are left as they are');
  const request = httpRequest(
    {
      url: textOf(endpoint['url']),
      method: textOf(endpoint['method']),
      headers: pairsOf(endpoint['headers']),
      body: endpoint['graphql'] === true ? JSON.stringify({ query: body }) : body,
      followRedirects: client['ignore-redirect'] !== true,
      skipSSL: client['insecure'] === true,
      assertions,
    },
    notes,
  );
  if (request === null) return null;
  const { responseMs } = conditions;
  const seconds = Math.min(durationOf(client['timeout']) ?? 10, (responseMs ?? Infinity) / 1000);
  return { checkType: 'API', request, ...(shouldFail && { shouldFail }), ...timeout(seconds, 5000, notes) };
}

/** Assertions with those of statuses. Conditions that accept a status of 400 or more need `shouldFail`. */
function statusesOf(
  { assertions, statuses }: Conditions,
  notes: string[],
): { readonly assertions: Conditions['assertions']; readonly shouldFail: boolean } {
  if (statuses !== null) {
    const accepted = statusAssertions(statuses, notes);
    return { assertions: [...accepted.assertions, ...assertions], shouldFail: accepted.shouldFail };
  }
  const own = assertions.filter(({ source }) => source === 'STATUS_CODE');
  const isBelow400 = own.some(
    ({ comparison, target }) =>
      (comparison === 'EQUALS' && Number(target) < 400) || (comparison === 'LESS_THAN' && Number(target) <= 400),
  );
  return { assertions, shouldFail: !isBelow400 };
}

function tcpSettings(endpoint: Foreign, responseMs: number | null, notes: string[]): FileResource | null {
  const place = hostPort(textOf(endpoint['url']));
  if (place === null) {
    notes.push('its URL has no port');
    return null;
  }
  const body = textOf(endpoint['body']);
  const seconds = Math.min(durationOf(objectOf(endpoint['client'])['timeout']) ?? 10, (responseMs ?? Infinity) / 1000);
  return {
    checkType: 'TCP',
    request: { ...place, ...(body !== '' && { data: body }) },
    ...timeout(seconds, 3000, notes),
  };
}

function dnsSettings(endpoint: Foreign, { assertions, responseMs }: Conditions, notes: string[]): FileResource | null {
  const dns = objectOf(endpoint['dns']);
  const recordType = recordTypeOf(textOf(dns['query-type']), notes);
  if (recordType === null) return null;
  const url = textOf(endpoint['url']).replace(/^[a-z]+:\/\//i, '');
  return {
    checkType: 'DNS',
    request: {
      query: textOf(dns['query-name']),
      recordType,
      nameServer: hostOf(url),
      port: hostPort(url)?.port ?? 53,
      ...(assertions.length > 0 && { assertions }),
    },
    ...timeout(responseMs === null ? null : responseMs / 1000, 500, notes),
  };
}
