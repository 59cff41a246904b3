// The stored configuration of an email channel with defaults filled in, and its address: one mailbox, with its domain in ASCII.
import type { JsonObject, JsonValue } from '#domain/json.ts';
import type { TemplateField } from '../../templates/fields.ts';
import { domainToASCII } from 'node:url';

interface EmailConfig {
  readonly address: string;
  /** Template; null = the default subject. */
  readonly subject: string | null;
  /** Template; null = the default body. */
  readonly body: string | null;
}

/** Reads a configuration. Missing or mistyped fields get their defaults; the schema rejects them on save. */
export function readConfig({ address, subject, body }: JsonObject): EmailConfig {
  return { address: textOf(address) ?? '', subject: textOf(subject), body: textOf(body) };
}

function textOf(value: JsonValue | undefined): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** Returns the templates of a configuration with their field paths. */
export function templatesOf(config: JsonObject): TemplateField[] {
  const { subject, body } = readConfig(config);
  return [
    ...(subject === null ? [] : [{ path: 'config.subject', source: subject, target: 'header subject' as const }]),
    ...(body === null ? [] : [{ path: 'config.body', source: body, target: 'body' as const }]),
  ];
}

const localPart = /^[a-z0-9!#$%&'*+\-/=?^_`{|}~]+(?:\.[a-z0-9!#$%&'*+\-/=?^_`{|}~]+)*$/i;
const domainName = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** Maximum length of an address (RFC 5321 4.5.3.1.3, without the angle brackets). */
const longest = 254;

/** A valid address, or why a text is none. */
type ReadAddress = { readonly address: string } | { readonly problem: string };

/** Reads an address. International domains become their ASCII form (`xn--…`). */
export function readAddress(text: string): ReadAddress {
  const written = text.trim();
  if (/[,;]/.test(written) || written.split('@').length > 2) {
    return { problem: 'must be one address; create a channel for each' };
  }
  if (/[<>"]/.test(written)) return { problem: 'must be an address without a name, such as ops@example.com' };
  const [local = '', domain = ''] = written.split('@');
  if (local === '' || domain === '' || /\s/.test(written)) {
    return { problem: 'must be an email address, such as ops@example.com' };
  }
  if (!localPart.test(local) || local.length > 64) {
    return { problem: 'has an invalid part before the @: use up to 64 ASCII letters, digits and symbols' };
  }
  // The parser of domains would cut at these characters.
  const ascii = /[/\\?#%:[\]]/.test(domain) ? '' : domainToASCII(domain);
  if (!domainName.test(ascii)) return { problem: 'has an invalid domain' };
  const address = `${local}@${ascii}`;
  return address.length > longest ? { problem: `must have at most ${longest} characters` } : { address };
}

/** Address and display name of a sender such as `Tocsin <alerts@example.com>`. */
export function parseSender(from: string): { readonly name: string; readonly address: string } {
  const [, name = '', inBrackets] = /^(?:([^<]*?)\s*)<([^<>]+)>$/.exec(from) ?? [];
  const address = inBrackets ?? from;
  const read = readAddress(address);
  return { name, address: 'address' in read ? read.address : address };
}
