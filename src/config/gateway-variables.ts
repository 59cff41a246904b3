// The variables of services through which channels send: mail, telephone, paging.
import { z } from 'zod';
import { type ConfigVariable, integer } from './config-variable.ts';

/** Senders and mail servers of accounts, by account ID; null = as for all others. */
export type AccountMail = Readonly<
  Record<
    string,
    {
      readonly from: string;
      readonly url: string | null;
      readonly startTls: (typeof startTlsModes)[number] | null;
    }
  >
>;

const startTlsModes = ['required', 'if-offered', 'off'] as const;

const accountMail = z.strictObject({
  from: field(readSender, 'an email address'),
  url: field(readMailServer, 'an smtp or smtps URL').nullable().default(null),
  startTls: field(readStartTls, startTlsModes.join(', ')).nullable().default(null),
});

/** Variables of `Gateways`. */
export const gatewayVariables = {
  TOCSIN_SMTP_URL: {
    fallback: 'none',
    meaning:
      'Mail server for email channels. `smtp://` starts unencrypted and uses STARTTLS (default port 587), `smtps://` uses TLS from the start (port 465). Requires `TOCSIN_MAIL_FROM`.',
    right: 'smtp://user:password@host:587 or smtps://user:password@host:465; percent-encode special characters',
    secret: true,
    read: readMailServer,
  } satisfies ConfigVariable<string>,
  TOCSIN_SMTP_STARTTLS: {
    fallback: '`required`, for a server on this machine `if-offered`',
    meaning:
      'STARTTLS on `smtp://` connections: `required` sends nothing without it, `if-offered` uses it if the server does, `off` never does.',
    right: startTlsModes.join(', '),
    read: readStartTls,
  } satisfies ConfigVariable<(typeof startTlsModes)[number]>,
  TOCSIN_MAIL_FROM: {
    fallback: 'none',
    meaning: 'Sender of all email. Requires `TOCSIN_SMTP_URL`.',
    right: 'an email address, such as alerts@example.com or Tocsin <alerts@example.com>',
    read: readSender,
  } satisfies ConfigVariable<string>,
  TOCSIN_ACCOUNT_MAIL: {
    fallback: 'none',
    meaning:
      'Senders, and optionally mail servers, of single accounts, by account ID. Accounts without an entry use `TOCSIN_MAIL_FROM` and `TOCSIN_SMTP_URL`.',
    right:
      'JSON such as {"<account ID>": {"from": "alerts@example.org", "url": "smtps://user:password@host", "startTls": "required"}}; url and startTls are optional',
    secret: true,
    read: readAccountMail,
  } satisfies ConfigVariable<AccountMail>,
  TOCSIN_MAIL_LIMIT: {
    fallback: '200',
    meaning:
      'Emails allowed per account and clock hour, retries included. Further ones wait for the next hour, for at most 24 hours. 0 disables the limit.',
    ...integer(0, 100_000),
  } satisfies ConfigVariable<number>,
  TOCSIN_STATUS_MAIL_LIMIT: {
    fallback: '100000',
    meaning:
      'Emails allowed per account and clock hour to subscribers of status pages, retries included; these do not count towards `TOCSIN_MAIL_LIMIT`. Further ones wait for the next hour, for at most 24 hours. 0 disables the limit.',
    ...integer(0, 900_000),
  } satisfies ConfigVariable<number>,
  TOCSIN_SMS_URL: {
    fallback: 'none',
    meaning:
      'URL of the service that sends SMS messages for SMS channels: a POST request with the body of `TOCSIN_SMS_TEMPLATE`. User and password become Basic authorization.',
    right: 'an http or https URL',
    secret: true,
    read: (text) => readServer(text, /^https?:$/),
  } satisfies ConfigVariable<string>,
  TOCSIN_SMS_TEMPLATE: {
    fallback: '`{"to":"{{NUMBER}}","text":"{{TEXT}}"}`',
    meaning:
      'Body for `TOCSIN_SMS_URL`: JSON, or the `name=value` pairs of a form. `{{NUMBER}}` and `{{TEXT}}` are encoded accordingly.',
    right: 'JSON or form pairs that contain {{NUMBER}} and {{TEXT}}',
    read: readTemplate,
  } satisfies ConfigVariable<string>,
  TOCSIN_CALL_URL: {
    fallback: 'none',
    meaning: 'URL of the service that makes calls for CALL channels, like `TOCSIN_SMS_URL`.',
    right: 'an http or https URL',
    secret: true,
    read: (text) => readServer(text, /^https?:$/),
  } satisfies ConfigVariable<string>,
  TOCSIN_CALL_TEMPLATE: {
    fallback: '`{"to":"{{NUMBER}}","text":"{{TEXT}}"}`',
    meaning: 'Body for `TOCSIN_CALL_URL`, like `TOCSIN_SMS_TEMPLATE`.',
    right: 'JSON or form pairs that contain {{NUMBER}} and {{TEXT}}',
    read: readTemplate,
  } satisfies ConfigVariable<string>,
  TOCSIN_TELEPHONE_LIMIT: {
    fallback: '60',
    meaning:
      'SMS messages and calls allowed per account and clock hour, retries included. Further ones wait for the next hour, for at most 24 hours. 0 disables the limit.',
    ...integer(0, 100_000),
  } satisfies ConfigVariable<number>,
  TOCSIN_PAGERDUTY_URL: {
    fallback: '`https://events.pagerduty.com`',
    meaning: 'Base URL for PagerDuty channels, if another service with the Events API v2 takes its place.',
    right: 'an http or https URL without credentials and query',
    read: readBase,
  } satisfies ConfigVariable<string>,
  TOCSIN_OPSGENIE_URL: {
    fallback: '`https://api.opsgenie.com`, or `https://api.eu.opsgenie.com` for the region EU',
    meaning: 'Base URL for Opsgenie channels, if another service with the Alert API takes its place.',
    right: 'an http or https URL without credentials and query',
    read: readBase,
  } satisfies ConfigVariable<string>,
};

function readMailServer(text: string): string | undefined {
  return readServer(text, /^smtps?:$/);
}

function readStartTls(text: string): (typeof startTlsModes)[number] | undefined {
  return startTlsModes.find((mode) => mode === text);
}

function readSender(text: string): string | undefined {
  return /^(?:[^<>\r\n"]{1,100} <)?[^\s@<>,;"]{1,64}@[^\s@<>,;"]{1,190}>?$/.test(text) ? text : undefined;
}

/** @throws {Error} that names the account and the field, without values: a URL holds a password */
function readAccountMail(text: string): AccountMail {
  const entries = z.record(z.string().min(1), accountMail).safeParse(parsed(text));
  if (entries.success) return entries.data;
  const [{ path, message } = { path: [], message: '' }] = entries.error.issues;
  throw new Error(path.length === 0 ? message : `${path.join('.')}: ${message}`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('not JSON');
  }
}

function field<Value>(read: (text: string) => Value | undefined, right: string) {
  return z.string().transform((text, { issues }) => {
    const value = read(text.trim());
    if (value !== undefined) return value;
    issues.push({ code: 'custom', message: `use ${right}`, input: undefined });
    return z.NEVER;
  });
}

function readServer(text: string, protocol: RegExp): string | undefined {
  const url = URL.parse(text);
  if (url === null || !protocol.test(url.protocol) || url.hostname === '' || url.hash !== '') return undefined;
  return [url.username, url.password, url.hostname].every(isDecodable) ? url.href : undefined;
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** The URL becomes part of stored messages, so it holds no credentials. */
function readBase(text: string): string | undefined {
  const url = URL.parse(readServer(text, /^https?:$/) ?? '');
  return url === null || url.username !== '' || url.password !== '' || url.search !== ''
    ? undefined
    : url.href.replace(/\/+$/, '');
}

function readTemplate(text: string): string | undefined {
  return text.includes('{{NUMBER}}') && text.includes('{{TEXT}}') ? text : undefined;
}
