// Blackbox exporter: its modules and the targets of Prometheus to a resource file.
import type { FileResource } from '#contract/projects/resource-file.ts';
import {
  type Assertion,
  hostOf,
  hostPort,
  httpRequest,
  interval,
  nameOf,
  recordTypeOf,
  statusAssertions,
  statusRange,
  tagsOf,
  timeout,
} from '../check-parts.ts';
import { createDraft, type Draft, type Imported, ImportError } from '../imported.ts';
import { type Foreign, durationOf, objectOf, objectsOf, pairsOf, textOf } from '../values.ts';
import { parseYaml } from '../yaml.ts';

/**
 * Imports each target of each job of Prometheus that names a module.
 * @param modulesText configuration of the exporter
 * @param prometheusText configuration of Prometheus
 * @throws {ImportError} with the file and place
 */
export function importBlackbox(modulesText: string, prometheusText: string): Imported {
  const modules = objectOf(inFile('blackbox', () => parseYaml(modulesText))['modules']);
  const prometheus = inFile('prometheus', () => parseYaml(prometheusText));
  if (Object.keys(modules).length === 0) throw new ImportError('the blackbox file has no modules');
  const usual = durationOf(objectOf(prometheus['global'])['scrape_interval']) ?? 60;
  const draft = createDraft('blackbox');
  for (const job of objectsOf(prometheus['scrape_configs'])) {
    const named = objectOf(job['params'])['module'];
    const name = textOf(Array.isArray(named) ? named[0] : named);
    if (name !== '') addJob(draft, job, name, objectOf(modules[name]), usual);
  }
  const result = draft.finish();
  if (result.rows.length === 0) throw new ImportError('no job of the prometheus file has params.module');
  return result;
}

function inFile<Value>(name: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    throw error instanceof ImportError ? new ImportError(`${name} file, ${error.message}`) : error;
  }
}

function addJob(draft: Draft, job: Foreign, moduleName: string, module: Foreign, usual: number): void {
  const jobName = textOf(job['job_name']);
  const kind = `${jobName}, module ${moduleName}`;
  for (const key of Object.keys(job).filter((each) => each.endsWith('_sd_configs'))) {
    draft.skip({ from: jobName, kind: key }, 'targets of service discovery are not in the file: list them');
  }
  const seconds = durationOf(job['scrape_interval']) ?? usual;
  for (const list of objectsOf(job['static_configs'])) {
    const tags = [jobName, ...pairsOf(list['labels']).map(([label, value]) => `${label}:${value}`)];
    for (const target of Array.isArray(list['targets']) ? list['targets'].map(textOf) : []) {
      const source = { from: target, kind };
      const notes: string[] = [];
      const settings = readModule(module, target, notes);
      if (settings === null) {
        draft.skip(source, ...notes);
        continue;
      }
      const probeSeconds = durationOf(module['timeout']) ?? durationOf(job['scrape_timeout']);
      const degraded = { API: 5000, TCP: 3000, DNS: 500 }[textOf(settings['checkType'])];
      const check = {
        ...settings,
        name: nameOf(`${target.replace(/^https?:\/\//, '')} (${moduleName})`, target),
        tags: tagsOf(tags),
        ...(degraded !== undefined && timeout(probeSeconds, degraded, notes)),
        ...interval(seconds, notes),
      };
      draft.add('checks', `${jobName}-${target.replace(/^https?:\/\//, '')}`, check, source, notes);
    }
  }
}

/** @returns null = not carried over, and the notes say why */
function readModule(module: Foreign, target: string, notes: string[]): FileResource | null {
  const prober = textOf(module['prober']);
  const probe = objectOf(module[prober]);
  switch (prober) {
    case 'http':
      return httpSettings(probe, target, notes);
    case 'tcp':
      return tcpSettings(probe, target, notes);
    case 'icmp':
      return { checkType: 'ICMP', request: { hostname: hostOf(target), ...family(probe) } };
    case 'dns':
      return dnsSettings(probe, target, notes);
    default:
      notes.push(
        prober === '' ? 'its module is not in the blackbox file' : `Tocsin has no check for the prober ${prober}`,
      );
      return null;
  }
}

/** Blackbox prefers a family; only without fallback it insists. */
function family(probe: Foreign): FileResource {
  if (probe['ip_protocol_fallback'] !== false) return {};
  return { ipFamily: textOf(probe['preferred_ip_protocol']) === 'ip4' ? 'IPv4' : 'IPv6' };
}

function httpSettings(probe: Foreign, target: string, notes: string[]): FileResource | null {
  for (const field of ['proxy_url', 'bearer_token_file', 'oauth2', 'valid_http_versions', 'body_file', 'fail_if_ssl']) {
    if (probe[field] !== undefined && probe[field] !== false) notes.push(`${field} is left out`);
  }
  const listed = Array.isArray(probe['valid_status_codes']) ? probe['valid_status_codes'] : [];
  const ranges = listed.map((each) => statusRange(textOf(each))).filter((range) => range !== null);
  const status = statusAssertions(ranges.length === 0 ? [[200, 299]] : ranges, notes);
  const url = /^https?:\/\//i.test(target) ? target : `http://${target}`;
  if (probe['fail_if_not_ssl'] === true && !/^https:/i.test(url)) notes.push('fail_if_not_ssl is left out');
  const basic = objectOf(probe['basic_auth']);
  const token = textOf(probe['bearer_token']);
  const tls = objectOf(probe['tls_config']);
  for (const field of ['ca_file', 'cert_file', 'key_file', 'server_name']) {
    if (tls[field] !== undefined) notes.push(`tls_config.${field} is left out`);
  }
  const request = httpRequest(
    {
      url,
      method: textOf(probe['method']),
      headers: [...pairsOf(probe['headers']), ...(token === '' ? [] : [['Authorization', `Bearer ${token}`] as const])],
      body: textOf(probe['body']),
      basicAuth:
        textOf(basic['username']) === ''
          ? null
          : { username: textOf(basic['username']), password: textOf(basic['password']) },
      followRedirects: probe['no_follow_redirects'] !== true && probe['follow_redirects'] !== false,
      skipSSL: tls['insecure_skip_verify'] === true,
      assertions: [...status.assertions, ...patterns(probe, notes)],
    },
    notes,
  );
  if (request === null) return null;
  if (basic['password_file'] !== undefined) notes.push('basic_auth.password_file is left out: set the password');
  return {
    checkType: 'API',
    request: { ...request, ...family(probe) },
    ...(status.shouldFail && { shouldFail: true }),
  };
}

/** Conditions on body and headers. */
function patterns(probe: Foreign, notes: string[]): readonly Assertion[] {
  const texts = (field: string): readonly string[] => (Array.isArray(probe[field]) ? probe[field].map(textOf) : []);
  const found: (Assertion | null)[] = [
    ...texts('fail_if_body_not_matches_regexp').map((pattern) => condition('TEXT_BODY', '', pattern, true, notes)),
    ...texts('fail_if_body_matches_regexp').map((pattern) => condition('TEXT_BODY', '', pattern, false, notes)),
    ...objectsOf(probe['fail_if_header_not_matches']).map((spec) =>
      condition('HEADERS', textOf(spec['header']), textOf(spec['regexp']), true, notes),
    ),
    ...objectsOf(probe['fail_if_header_matches']).map((spec) =>
      condition('HEADERS', textOf(spec['header']), textOf(spec['regexp']), false, notes),
    ),
  ];
  return found.filter((each) => each !== null);
}

/** A text that must match, or must not; null = a check cannot hold it. */
function condition(
  source: string,
  property: string,
  pattern: string,
  isWanted: boolean,
  notes: string[],
): Assertion | null {
  const named = property === '' ? {} : { property };
  // A pattern without operators is a text.
  if (/^[\w\s"'<>/:;,=@#%&!~`-]+$/.test(pattern)) {
    return { source, ...named, comparison: isWanted ? 'CONTAINS' : 'NOT_CONTAINS', target: pattern };
  }
  if (isWanted && isPattern(pattern)) return { source, ...named, comparison: 'NOT_EMPTY', regex: pattern };
  notes.push(`the pattern ${pattern.slice(0, 60)} is left out: an assertion cannot hold it`);
  return null;
}

function isPattern(pattern: string): boolean {
  try {
    return pattern.length <= 2000 && new RegExp(pattern) instanceof RegExp;
  } catch {
    return false;
  }
}

function tcpSettings(probe: Foreign, target: string, notes: string[]): FileResource | null {
  const place = hostPort(target);
  if (place === null) {
    notes.push('the target has no port');
    return null;
  }
  const steps = objectsOf(probe['query_response']);
  if (probe['tls'] === true || steps.some(({ starttls }) => starttls === true)) {
    if (steps.length > 0) notes.push('query_response is left out: an SSL check only connects');
    if (steps.some(({ starttls }) => starttls === true)) {
      notes.push('STARTTLS has no counterpart');
      return null;
    }
    const tls = objectOf(probe['tls_config']);
    return {
      checkType: 'SSL',
      sslConfig: { ...place, ...(tls['insecure_skip_verify'] === true && { skipChainValidation: true }) },
    };
  }
  const sent = steps.map(({ send }) => textOf(send)).filter((text) => text !== '');
  const expected = steps.map(({ expect }) => textOf(expect)).filter((text) => text !== '');
  if (sent.length > 1 || expected.length > 1)
    notes.push('of its dialogue, only the first text to send and to expect are carried over');
  const [first] = expected;
  const assertion = first === undefined ? null : condition('RESPONSE_DATA', '', first.replace(/^\^/, ''), true, notes);
  return {
    checkType: 'TCP',
    request: {
      ...place,
      ...family(probe),
      ...(sent[0] !== undefined && { data: `${sent[0]}\n` }),
      ...(assertion !== null && { assertions: [assertion] }),
    },
  };
}

function dnsSettings(probe: Foreign, target: string, notes: string[]): FileResource | null {
  const recordType = recordTypeOf(textOf(probe['query_type']) || 'ANY', notes);
  if (recordType === null) return null;
  for (const field of ['validate_answer_rrs', 'validate_authority_rrs', 'validate_additional_rrs']) {
    if (probe[field] !== undefined) notes.push(`${field} is left out: add assertions`);
  }
  const codes = Array.isArray(probe['valid_rcodes']) ? probe['valid_rcodes'].map(textOf) : [];
  if (codes.length > 1) notes.push(`accepts only ${codes[0]} of its codes`);
  const place = hostPort(target);
  return {
    checkType: 'DNS',
    request: {
      query: textOf(probe['query_name']),
      recordType,
      nameServer: hostOf(target),
      port: place?.port ?? 53,
      protocol: textOf(probe['transport_protocol']).toUpperCase() === 'TCP' ? 'TCP' : 'UDP',
      ...(codes[0] !== undefined && {
        assertions: [{ source: 'RESPONSE_CODE', comparison: 'EQUALS', target: codes[0] }],
      }),
    },
  };
}
