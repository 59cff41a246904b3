// URLs for display: credentials are masked, and for some receivers the whole URL is secret.
import type { JsonObject } from '../json.ts';

/** Shown instead of a secret. Sending it back keeps the secret (decisions: Secret). */
export const mask = '********';
const parts = /^(\s*[a-z][a-z0-9+.-]*:\/\/)(?:([^/?#]*)@)?([^/?#]*)(.*)$/is;

/** The URL, or URL template, with masked credentials. */
export function maskUserInfo(url: string): string {
  return url.replace(parts, (_whole, scheme: string, userInfo: string | undefined, host: string, rest: string) =>
    userInfo === undefined ? url : `${scheme}${mask}@${host}${rest}`,
  );
}

/** The URL without credentials. */
export function withoutUserInfo(url: string): string {
  return url.replace(
    parts,
    (_whole, scheme: string, _userInfo, host: string, rest: string) => `${scheme}${host}${rest}`,
  );
}

/** Scheme and host, with the rest masked. */
export function maskAddress(url: string): string {
  return url.replace(parts, (_whole, scheme: string, userInfo: string | undefined, host: string, rest: string) =>
    [scheme, userInfo === undefined ? '' : `${mask}@`, host, rest.length > 1 ? `/${mask}` : rest].join(''),
  );
}

/** Presets of receivers for which the URL itself grants access. */
const secretTypes: ReadonlySet<unknown> = new Set([
  'WEBHOOK_APPRISE',
  'WEBHOOK_DISCORD',
  'WEBHOOK_FIREHYDRANT',
  'WEBHOOK_GOOGLECHAT',
  'WEBHOOK_MATTERMOST',
  'WEBHOOK_MSTEAMS',
  'WEBHOOK_NTFY',
  'WEBHOOK_ROCKETCHAT',
  'WEBHOOK_SLACK',
  'WEBHOOK_SPIKESH',
  'WEBHOOK_SPLUNK',
  'WEBHOOK_TELEGRAM',
]);
/** Their hosts, for channels that were created without a preset. */
const secretHosts =
  /(^|\.)(slack\.com|discord(app)?\.com|office\.com|office365\.com|logic\.azure\.com|powerplatform\.com|chat\.googleapis\.com|telegram\.org|ntfy\.sh|spike\.sh|victorops\.com|signals\.firehydrant\.(com|io))(:\d+)?$/i;

/** Whether the URL of a channel with this configuration is secret. */
export function hasSecretUrl({ webhookType, url }: JsonObject): boolean {
  const host = typeof url === 'string' ? (parts.exec(url)?.[3] ?? '') : '';
  return secretTypes.has(webhookType) || secretHosts.test(host);
}
