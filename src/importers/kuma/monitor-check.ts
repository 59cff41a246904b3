// Uptime Kuma: a monitor to a check.
import type { FileResource } from '#contract/projects/resource-file.ts';
import {
  type Assertion,
  descriptionOf,
  hostOf,
  httpRequest,
  interval,
  recordTypeOf,
  retries,
  statusAssertions,
  statusRange,
  tagsOf,
  timeout,
} from '../check-parts.ts';
import { type Foreign, jsonOf, jsonPairs, numberOf, textOf } from '../values.ts';

/** The settings of a type; null = not possible, and the notes say why. */
type Reader = (row: Foreign, notes: string[]) => FileResource | null;

const readers: Readonly<Record<string, Reader>> = {
  http: httpSettings,
  keyword: httpSettings,
  'json-query': httpSettings,
  port: (row) => ({
    checkType: 'TCP',
    request: { hostname: hostOf(textOf(row['hostname'])), port: numberOf(row['port']) ?? 0 },
  }),
  ping: (row, notes) => {
    if ((numberOf(row['packet_size']) ?? 56) !== 56) notes.push('the packet size is left out');
    return { checkType: 'ICMP', request: { hostname: hostOf(textOf(row['hostname'])) } };
  },
  dns: dnsSettings,
  push: (row, notes) => {
    const period = Math.max(30, numberOf(row['interval']) ?? 60);
    const grace = (numberOf(row['maxretries']) ?? 0) * (numberOf(row['retry_interval']) || period);
    notes.push('has a new ping URL: point the job to it');
    return { checkType: 'HEARTBEAT', heartbeat: { period, periodUnit: 'seconds', grace, graceUnit: 'seconds' } };
  },
};

/** Why types are not carried over; others have no counterpart at all. */
const reasons: Readonly<Record<string, string>> = {
  'real-browser': 'needs a script: create a browser check',
  docker: 'Tocsin does not read the Docker socket',
  'grpc-keyword': 'Tocsin has no gRPC check; a TCP check can watch the port',
  manual: 'a state set by hand has no counterpart',
};

/**
 * The check without its name, group and channels.
 * @returns null = not carried over, and the notes say why
 */
export function monitorCheck(row: Foreign, tags: readonly string[], notes: string[]): FileResource | null {
  const type = textOf(row['type']);
  const read = Object.hasOwn(readers, type) ? readers[type] : undefined;
  if (read === undefined) {
    const reason = Object.hasOwn(reasons, type) ? reasons[type] : undefined;
    notes.push(reason ?? `Tocsin has no check of the type ${type.slice(0, 50)}; a TCP check can watch a port`);
    return null;
  }
  const before = notes.length;
  const settings = read(row, notes);
  if (settings === null) return null;
  const isHeartbeat = settings['checkType'] === 'HEARTBEAT';
  const seconds = numberOf(row['interval']) ?? 60;
  // A monitor that lost its condition, or means the opposite, would report wrong states.
  const isPaused = row['active'] === 0;
  const isChanged = notes.slice(before).some((note) => note.startsWith('deactivated'));
  if (isOn(row['upside_down'])) notes.push('deactivated: upside-down mode has no counterpart for it');
  const description = descriptionOf(textOf(row['description']), notes);
  return {
    ...settings,
    ...(isPaused || isChanged || isOn(row['upside_down']) ? { activated: false } : {}),
    ...(description !== null && { description }),
    ...(tags.length > 0 && { tags: tagsOf(tags) }),
    ...(!isHeartbeat && interval(seconds, notes)),
    ...(!isHeartbeat && retries(numberOf(row['maxretries']) ?? 0, numberOf(row['retry_interval']) || seconds, notes)),
    ...reminders(row, seconds, notes),
  };
}

function isOn(value: unknown): boolean {
  return value === 1 || value === true;
}

/** Reminders of `resend_interval`, which counts runs. */
function reminders(row: Foreign, seconds: number, notes: string[]): FileResource {
  const minutes = ((numberOf(row['resend_interval']) ?? 0) * seconds) / 60;
  if (minutes <= 0) return {};
  const nearest = [1, 2, 3, 4, 5, 10, 15, 30].reduce((best, each) =>
    Math.abs(each - minutes) < Math.abs(best - minutes) ? each : best,
  );
  if (nearest !== minutes) notes.push(`reminds every ${nearest} min instead of ${Math.round(minutes * 10) / 10} min`);
  return {
    useGlobalAlertSettings: false,
    alertSettings: {
      escalationType: 'RUN_BASED',
      runBasedEscalation: { failedRunThreshold: 1 },
      reminders: { amount: 100_000, interval: nearest },
    },
  };
}

function httpSettings(row: Foreign, notes: string[]): FileResource | null {
  const { assertions, shouldFail } = acceptedStatuses(row, notes);
  const condition = conditionOf(row, notes);
  const authentication = textOf(row['auth_method']);
  const username = textOf(row['basic_auth_user']);
  if (!['', 'null', 'basic'].includes(authentication)) {
    notes.push(`deactivated: authentication of the type ${authentication} has no counterpart; use a setup script`);
  }
  if (row['proxy_id'] != null) notes.push('its proxy is left out: the proxy of the runner is used');
  if (numberOf(row['maxredirects']) !== 0 && (numberOf(row['maxredirects']) ?? 10) !== 10) {
    notes.push('the limit of redirects is left out');
  }
  const request = httpRequest(
    {
      url: textOf(row['url']),
      method: textOf(row['method']),
      headers: headersOf(row, notes),
      body: textOf(row['body']),
      basicAuth:
        username !== '' && ['', 'null', 'basic'].includes(authentication)
          ? { username, password: textOf(row['basic_auth_pass']) }
          : null,
      followRedirects: numberOf(row['maxredirects']) !== 0,
      skipSSL: isOn(row['ignore_tls']),
      ipFamily: ({ ipv4: 'IPv4', ipv6: 'IPv6' } as const)[textOf(row['ip_family'])] ?? null,
      assertions: [...assertions, ...condition],
    },
    notes,
  );
  if (request === null) return null;
  if (isOn(row['expiry_notification']) && /^https:/i.test(textOf(row['url']))) {
    notes.push('for warnings before its certificate expires, switch on certificate expiry of its channels');
  }
  return {
    checkType: 'API',
    request,
    ...(shouldFail && { shouldFail }),
    ...timeout(numberOf(row['timeout']), 5000, notes),
  };
}

const contentTypes: Readonly<Record<string, string>> = {
  form: 'application/x-www-form-urlencoded',
  xml: 'text/xml; charset=utf-8',
};

/** Its headers, with the content type that Uptime Kuma adds to a body. */
function headersOf(row: Foreign, notes: string[]): readonly (readonly [name: string, text: string])[] {
  const own = jsonPairs(textOf(row['headers']), notes);
  if (textOf(row['body']).trim() === '' || own.some(([name]) => name.toLowerCase() === 'content-type')) return own;
  return [['Content-Type', contentTypes[textOf(row['http_body_encoding'])] ?? 'application/json'], ...own];
}

function acceptedStatuses(row: Foreign, notes: string[]): ReturnType<typeof statusAssertions> {
  const listed = jsonOf(textOf(row['accepted_statuscodes_json']) || '["200-299"]');
  const ranges = (Array.isArray(listed) ? listed : []).flatMap((each) => {
    const range = statusRange(textOf(each));
    return range === null ? [] : [range];
  });
  if (ranges.length === 0) notes.push('its accepted status codes cannot be read: accepts 200 to 299');
  return statusAssertions(ranges.length === 0 ? [[200, 299]] : ranges, notes);
}

/** The keyword or JSON query of a monitor. */
function conditionOf(row: Foreign, notes: string[]): readonly Assertion[] {
  if (row['type'] === 'keyword') {
    const comparison = isOn(row['invert_keyword']) ? 'NOT_CONTAINS' : 'CONTAINS';
    return [{ source: 'TEXT_BODY', comparison, target: textOf(row['keyword']) }];
  }
  if (row['type'] !== 'json-query') return [];
  const path = jsonPath(textOf(row['json_path']));
  const operator = textOf(row['json_path_operator']) || '==';
  const comparison = Object.hasOwn(comparisons, operator) ? comparisons[operator] : undefined;
  if (path === null || comparison === undefined) {
    const what = path === null ? 'its JSONata expression' : `the operator ${operator}`;
    notes.push(`deactivated: ${what} has no counterpart; add an assertion, then activate it`);
    return [];
  }
  return [{ source: 'JSON_BODY', property: path, comparison, target: textOf(row['expected_value']) }];
}

const comparisons: Readonly<Record<string, string>> = {
  '==': 'EQUALS',
  '!=': 'NOT_EQUALS',
  '<': 'LESS_THAN',
  '>': 'GREATER_THAN',
  contains: 'CONTAINS',
};

/** A JSON path for a JSONata expression that only names fields and items; null = it does more. */
function jsonPath(expression: string): string | null {
  const text = expression.trim().replace(/^\$\.?/, '');
  if (text === '') return '$';
  return /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*|\[\d+\])*$/.test(text) ? `$.${text}` : null;
}

function dnsSettings(row: Foreign, notes: string[]): FileResource | null {
  const recordType = recordTypeOf(textOf(row['dns_resolve_type']), notes);
  if (recordType === null) return null;
  const [server = '', ...others] = textOf(row['dns_resolve_server'])
    .split(',')
    .map((each) => each.trim());
  if (others.length > 0) notes.push('queries only the first of its name servers');
  if (!['', '[]'].includes(textOf(row['conditions']))) {
    notes.push('deactivated: its conditions are left out; add assertions, then activate it');
  }
  return {
    checkType: 'DNS',
    request: {
      query: textOf(row['hostname']),
      recordType,
      ...(server !== '' && { nameServer: server }),
      ...(numberOf(row['port']) !== null && { port: numberOf(row['port']) }),
    },
  };
}
