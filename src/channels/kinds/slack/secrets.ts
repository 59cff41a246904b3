// The URL of a Slack webhook is a secret; its host is not, and is stored beside it for display.
import { mask, maskAddress, withoutUserInfo } from '#domain/deliveries/shown-url.ts';
import { textIn } from '../../parts/fields.ts';
import type { SecretRules } from '../../kind.ts';

/** Returns a URL with everything but scheme and host masked. */
export function shownUrl(url: string): string {
  return maskAddress(withoutUserInfo(url.trim()));
}

/** Stores the shown form of the URL in the configuration. */
export const secretRules: SecretRules = {
  stored({ config, secrets }, present) {
    const kept = textIn(present, 'url');
    const written = textIn(secrets, 'url').trim();
    // The shown form, sent back, keeps what is stored.
    const url = written.includes(mask) && written === shownUrl(kept) ? kept : written;
    const { protocol = '' } = URL.parse(url) ?? {};
    if (!/^https?:$/.test(protocol) || url.includes(mask)) {
      return { issue: { path: 'config.url', message: 'must be the http or https URL of an incoming webhook' } };
    }
    return { config: { ...config, url: shownUrl(url) }, secrets: { url } };
  },
};
