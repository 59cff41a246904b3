// The variables of services through which channels send: mail, telephone, paging.
import type { ConfigVariable } from './config-variable.ts';

const startTlsModes = ['required', 'if-offered', 'off'] as const;

/** Variables of `Gateways`. */
export const gatewayVariables = {
  TOCSIN_SMTP_URL: {
    fallback: 'none',
    meaning:
      'Mail server for email channels. `smtp://` starts unencrypted and uses STARTTLS (default port 587), `smtps://` uses TLS from the start (port 465). Requires `TOCSIN_MAIL_FROM`.',
    right: 'smtp://user:password@host:587 or smtps://user:password@host:465; percent-encode special characters',
    secret: true,
    read: (text) => readServer(text, /^smtps?:$/),
  } satisfies ConfigVariable<string>,
  TOCSIN_SMTP_STARTTLS: {
    fallback: '`required`, for a server on this machine `if-offered`',
    meaning:
      'STARTTLS on `smtp://` connections: `required` sends nothing without it, `if-offered` uses it if the server does, `off` never does.',
    right: startTlsModes.join(', '),
    read: (text) => startTlsModes.find((mode) => mode === text),
  } satisfies ConfigVariable<(typeof startTlsModes)[number]>,
  TOCSIN_MAIL_FROM: {
    fallback: 'none',
    meaning: 'Sender of all email. Requires `TOCSIN_SMTP_URL`.',
    right: 'an email address, such as alerts@example.com or Tocsin <alerts@example.com>',
    read: (text) => (/^(?:[^<>\r\n"]{1,100} <)?[^\s@<>,;"]{1,64}@[^\s@<>,;"]{1,190}>?$/.test(text) ? text : undefined),
  } satisfies ConfigVariable<string>,
  TOCSIN_MAIL_LIMIT: {
    fallback: '200',
    meaning:
      'Emails allowed per account and clock hour, retries included. Further ones wait for the next hour. 0 disables the limit.',
    right: 'an integer from 0 to 100000',
    read: (text) => (/^\d{1,6}$/.test(text) && Number(text) <= 100_000 ? Number(text) : undefined),
  } satisfies ConfigVariable<number>,
  TOCSIN_SMS_URL: {
    fallback: 'none',
    meaning:
      'URL of the service that sends text messages for SMS channels: a POST request with the body of `TOCSIN_SMS_TEMPLATE`. User and password become Basic authorization.',
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
      'Text messages and calls allowed per account and clock hour, retries included. Further ones wait for the next hour. 0 disables the limit.',
    right: 'an integer from 0 to 100000',
    read: (text) => (/^\d{1,6}$/.test(text) && Number(text) <= 100_000 ? Number(text) : undefined),
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

function readServer(text: string, protocol: RegExp): string | undefined {
  const url = URL.parse(text);
  return url !== null && protocol.test(url.protocol) && url.hostname !== '' && url.hash === '' ? url.href : undefined;
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
