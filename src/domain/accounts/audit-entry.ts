// Entries of the audit log: who changed what, when and from where, and the differences between two forms of a resource.
import { hasSecretUrl, maskUserInfo } from '../deliveries/shown-url.ts';
import type { JsonObject, JsonValue } from '../json.ts';

/** Who acts. `anonymous` = nobody has signed in; `link` = anyone with a signed link. */
export const actorKinds = ['user', 'api-key', 'command', 'link', 'anonymous'] as const;
export type ActorKind = (typeof actorKinds)[number];

export interface Actor {
  readonly kind: ActorKind;
  /** ID of the person or key; null for others. */
  readonly id: string | null;
  /** Email address, name of the key, or command at the time of the entry. */
  readonly name: string | null;
}

/** A request or command that may change something. */
export interface Acting {
  readonly actor: Actor;
  /** The account it acts on, for writes without an account of their own; null = none. */
  readonly accountId: string | null;
  readonly operation: string;
  /** `mcp` = an assistant ran the operation; absent or null = a request or command of its own. */
  readonly via?: 'mcp' | null;
  /** IP address of the client; null = a command. */
  readonly address: string | null;
  readonly requestId: string | null;
  /** Called with the number of entries after each commit that added some. */
  readonly onEntries?: (count: number) => void;
}

/** Types of the resources in entries. */
export const auditedResources = [
  'account',
  'api-key',
  'user',
  'member',
  'invite',
  'session',
  'identity',
  'setup-link',
  'check',
  'check-group',
  'trigger',
  'alert-channel',
  'subscription',
  'variable',
  'client-certificate',
  'private-location',
  'private-location-key',
  'snippet',
  'maintenance-window',
  'status-page',
  'status-service',
  'status-incident',
  'status-incident-update',
  'status-subscriber',
  'project',
  'incident',
  'delivery',
  'installation',
  'audit-log',
] as const;
export type AuditedResource = (typeof auditedResources)[number];

/** One field that differs. Secrets have neither value; long texts show only the part that differs. */
export interface FieldChange {
  readonly path: string;
  readonly from?: JsonValue;
  readonly to?: JsonValue;
  readonly isSecret?: true;
}

/** What happened to one resource. */
export interface ResourceChange {
  readonly resource: AuditedResource;
  readonly id: string;
  readonly name?: string;
  /** `refused` = a sign-in with a wrong password. */
  readonly action: 'created' | 'updated' | 'deleted' | 'refused';
  readonly fields: readonly FieldChange[];
  /** Number of further fields that differ. */
  readonly omittedFields?: number;
}

/** An entry. `at` is epoch ms. */
export interface AuditEntry {
  readonly id: string;
  readonly at: number;
  readonly actor: Actor;
  /** IP address of the client; null = a command. */
  readonly address: string | null;
  readonly requestId: string | null;
  /** ID of the operation, or the command. */
  readonly operation: string;
  /** `mcp` = an assistant ran the operation. */
  readonly via: 'mcp' | null;
  readonly resource: AuditedResource | null;
  readonly resourceId: string | null;
  readonly resourceName: string | null;
  readonly changes: readonly ResourceChange[];
  /** Number of changed resources, including those that `changes` omits. */
  readonly count: number;
}

/** Changed resources that an entry lists. */
export const listedChanges = 20;
/** Bytes of the changes of an entry, as JSON. */
export const maxChangeBytes = 4000;
const maxFields = 50;
const maxTextLength = 200;
const maxDepth = 12;

/** A value that is compared but never stored. */
export class Hidden {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** The fields of a resource: values by path. */
export type Form = ReadonlyMap<string, JsonValue | Hidden>;

/** Fields that grant access wherever they occur. */
const secretFields = /(?:^|\.)(?:token|pingToken|password|passphrase|secret|hash|key_hash)$/;

/**
 * The fields of a stored document by path, such as `request.headers[0].value`. Lists of plain values are one field.
 * Encrypted and locked values, tokens and passwords are hidden, and credentials in URLs are masked.
 * @param opened the plain text of an encrypted one; null = it is not encrypted
 */
export function formOf(document: JsonValue, opened: (text: string) => string | null): Form {
  const form = new Map<string, JsonValue | Hidden>();
  const add = (path: string, value: JsonValue, depth: number): void => {
    if (Array.isArray(value) && value.some((each) => typeof each === 'object' && each !== null) && depth < maxDepth) {
      for (const [index, each] of (value as readonly JsonValue[]).entries()) add(`${path}[${index}]`, each, depth + 1);
    } else if (typeof value === 'object' && value !== null && !Array.isArray(value) && depth < maxDepth) {
      addObject(path, value as JsonObject, depth);
    } else form.set(path, shownLeaf(path, value, opened));
  };
  const addObject = (path: string, value: JsonObject, depth: number): void => {
    const isLocked = value['locked'] === true || value['secret'] === true;
    const isSecretUrl = hasSecretUrl(value);
    for (const [name, each] of Object.entries(value)) {
      const at = path === '' ? name : `${path}.${name}`;
      const isHidden = (isLocked && name === 'value') || (isSecretUrl && name === 'url');
      if (isHidden && typeof each === 'string') form.set(at, new Hidden(opened(each) ?? each));
      else add(at, each, depth + 1);
    }
  };
  add('', document, 0);
  return form;
}

function shownLeaf(path: string, value: JsonValue, opened: (text: string) => string | null): JsonValue | Hidden {
  if (typeof value === 'number' && value > 1e12 && /(?:At|Until|From)$/.test(path))
    return new Date(value).toISOString();
  if (typeof value !== 'string') return value;
  const plain = opened(value);
  if (plain !== null) return new Hidden(plain);
  return secretFields.test(path) && value !== '' ? new Hidden(value) : maskUserInfo(value);
}

/** The fields that differ between two forms, sorted as they occur; at most 50, and the number of the others. */
export function fieldChanges(before: Form, after: Form): Pick<ResourceChange, 'fields' | 'omittedFields'> {
  const fields: FieldChange[] = [];
  let omittedFields = 0;
  for (const path of new Set([...before.keys(), ...after.keys()])) {
    const change = fieldChange(path, before.get(path), after.get(path));
    if (change === null) continue;
    if (fields.length < maxFields) fields.push(change);
    else omittedFields++;
  }
  return { fields, ...(omittedFields > 0 && { omittedFields }) };
}

type Value = JsonValue | Hidden | undefined;

function fieldChange(path: string, from: Value, to: Value): FieldChange | null {
  if (from instanceof Hidden || to instanceof Hidden) {
    const isSame = from instanceof Hidden && to instanceof Hidden && from.text === to.text;
    return isSame ? null : { path, isSecret: true };
  }
  if (isEmpty(from) && isEmpty(to)) return null;
  const [before, after] = [JSON.stringify(from), JSON.stringify(to)];
  if (before === after) return null;
  const [shownFrom, shownTo] = excerpts(from, to);
  return {
    path,
    ...(shownFrom !== undefined && { from: shownFrom }),
    ...(shownTo !== undefined && { to: shownTo }),
  };
}

function isEmpty(value: Value): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

/** Both values; of long ones, the part that differs. */
function excerpts(from: JsonValue | undefined, to: JsonValue | undefined): (JsonValue | undefined)[] {
  const texts = [from, to].map((value) =>
    value === undefined || typeof value === 'string' ? value : JSON.stringify(value),
  );
  if (texts.every((text) => (text ?? '').length <= maxTextLength)) return [from, to];
  const [one = '', other = ''] = texts;
  let start = 0;
  while (start < one.length && start < other.length && one[start] === other[start]) start++;
  // Some context in front of the difference.
  const from0 = Math.max(0, start - 20);
  return texts.map((text) => (text === undefined ? undefined : excerpt(text, from0)));
}

function excerpt(text: string, start: number): string {
  const end = start + maxTextLength;
  const cut = `${start > 0 ? '…' : ''}${text.slice(start, end)}${end < text.length ? '…' : ''}`;
  return `${cut.toWellFormed()} (${text.length.toLocaleString('en-US')} characters)`;
}

/** Changes whose JSON has at most 4000 bytes: the last fields are omitted first. */
export function boundedChanges(
  changes: readonly ResourceChange[],
  bytesOf: (text: string) => number,
): ResourceChange[] {
  let bounded = changes.slice(0, listedChanges);
  while (bytesOf(JSON.stringify(bounded)) > maxChangeBytes) {
    const longest = bounded.reduce((most, each) => (each.fields.length > most.fields.length ? each : most));
    if (longest.fields.length === 0) bounded = bounded.slice(0, -1);
    else {
      const kept = Math.floor(longest.fields.length / 2);
      const omittedFields = (longest.omittedFields ?? 0) + longest.fields.length - kept;
      const shorter = { ...longest, fields: longest.fields.slice(0, kept), omittedFields };
      bounded = bounded.map((each) => (each === longest ? shorter : each));
    }
  }
  return bounded;
}
