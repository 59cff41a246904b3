// UptimeRobot: the monitors of its API (POST /v2/getMonitors) to a resource file.
import type { FileResource } from '#contract/projects/resource-file.ts';
import { addChannel } from '../channels.ts';
import { hostOf, httpRequest, interval, nameOf, timeout } from '../check-parts.ts';
import { createDraft, type Draft, type Imported, ImportError } from '../imported.ts';
import { type Foreign, isForeign, numberOf, objectsOf, pairsOf, parseJson, textOf } from '../values.ts';

/** @throws {ImportError} if it is not a response of the API */
export function importUptimeRobot(text: string): Imported {
  const response = parseJson(text);
  const monitors = Array.isArray(response) ? response : isForeign(response) ? response['monitors'] : null;
  if (!Array.isArray(monitors)) {
    throw new ImportError('the file has no list "monitors": save the response of POST /v2/getMonitors');
  }
  const draft = createDraft('uptimerobot');
  const contacts = new Map<string, readonly string[]>();
  for (const monitor of objectsOf(monitors)) addMonitor(draft, monitor, contacts);
  const pagination = isForeign(response) ? response['pagination'] : null;
  const total = isForeign(pagination) ? numberOf(pagination['total']) : null;
  if (total !== null && total > monitors.length) {
    draft.skip(
      { from: `${total - monitors.length} more monitors`, kind: 'page' },
      'save each page (offset), and import it too',
    );
  }
  return draft.finish();
}

/** By `type`, as the API's documentation lists them. */
const types: Readonly<Record<number, string>> = { 1: 'HTTP', 2: 'keyword', 3: 'ping', 4: 'port' };
/** Ports by `sub_type`. */
const ports: Readonly<Record<number, number>> = { 1: 80, 2: 443, 3: 21, 4: 25, 5: 110, 6: 143 };

function addMonitor(draft: Draft, monitor: Foreign, contacts: Map<string, readonly string[]>): void {
  const id = textOf(monitor['id']);
  const type = numberOf(monitor['type']) ?? 0;
  const source = {
    from: nameOf(textOf(monitor['friendly_name']), `Monitor ${id}`),
    kind: types[type] ?? `type ${type}`,
  };
  const notes: string[] = [];
  const settings = settingsOf(monitor, type, notes);
  if (settings === null) {
    draft.skip(source, ...notes);
    return;
  }
  const channels = objectsOf(monitor['alert_contacts']).flatMap((contact) => contactOf(draft, contact, contacts));
  const check = {
    ...settings,
    name: source.from,
    ...(numberOf(monitor['status']) === 0 && { activated: false }),
    ...interval(numberOf(monitor['interval']) ?? 300, notes),
    ...(channels.length > 0 && { alertChannels: channels }),
  };
  draft.add('checks', `monitor-${id}`, check, source, notes);
}

/** @returns null = not carried over, and the notes say why */
function settingsOf(monitor: Foreign, type: number, notes: string[]): FileResource | null {
  const url = textOf(monitor['url']);
  if (type === 1 || type === 2) return httpSettings(monitor, url, type === 2, notes);
  if (type === 3) return { checkType: 'ICMP', request: { hostname: hostOf(url) } };
  if (type === 4) {
    const port = ports[numberOf(monitor['sub_type']) ?? 0] ?? numberOf(monitor['port']);
    if (port !== null && port > 0) return { checkType: 'TCP', request: { hostname: hostOf(url), port } };
    notes.push('it has no port');
    return null;
  }
  notes.push('the meaning of this type could not be verified: create its check by hand');
  return null;
}

function httpSettings(monitor: Foreign, url: string, isKeyword: boolean, notes: string[]): FileResource | null {
  const username = textOf(monitor['http_username']);
  const request = httpRequest(
    {
      url,
      headers: pairsOf(monitor['custom_http_headers']),
      basicAuth: username === '' ? null : { username, password: textOf(monitor['http_password']) },
      assertions: isKeyword
        ? [
            {
              source: 'TEXT_BODY',
              // 1 = down if the keyword exists, 2 = down if it does not.
              comparison: numberOf(monitor['keyword_type']) === 1 ? 'NOT_CONTAINS' : 'CONTAINS',
              target: textOf(monitor['keyword_value']),
            },
          ]
        : [],
    },
    notes,
  );
  if (request === null) return null;
  const keywordType = numberOf(monitor['keyword_type']);
  const isUnclear = isKeyword && keywordType !== 1 && keywordType !== 2;
  if (isUnclear) notes.push('deactivated: whether the keyword must exist is not known; correct the assertion');
  return {
    checkType: 'API',
    request,
    ...(isUnclear && { activated: false }),
    ...timeout(numberOf(monitor['timeout']), 5000, notes),
  };
}

/** The channel of an alert contact, which is added when it is named first. Only email addresses are complete in exports. */
function contactOf(draft: Draft, contact: Foreign, contacts: Map<string, readonly string[]>): readonly string[] {
  const id = textOf(contact['id']);
  const known = contacts.get(id);
  if (known !== undefined) return known;
  const address = textOf(contact['value']);
  const source = { from: nameOf(textOf(contact['friendly_name']), address || `Contact ${id}`), kind: 'alert contact' };
  const isEmail = numberOf(contact['type']) === 2 && address.includes('@');
  const facts = isEmail ? ({ type: 'EMAIL', address } as const) : null;
  const notes = isEmail ? [] : ['only email contacts are carried over: create its channel from the presets'];
  const channel = addChannel(draft, `contact-${id}`, source.from, facts, source, [], notes);
  contacts.set(id, channel);
  return channel;
}
