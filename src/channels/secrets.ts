// Seals, masks and merges the secret fields that the schemas of channel kinds declare (decisions: Secret).
import type { AlertChannel } from '#domain/alerts/alert-channel.ts';
import { mask } from '#domain/alerts/shown-url.ts';
import type { JsonObject, JsonValue } from '#domain/json.ts';
import { secretFields } from '#lib/schema/secrets.ts';
import type { ChannelKind } from './kind.ts';
import type { ConfigIssue } from './templates/fields.ts';

type Stored = Pick<AlertChannel, 'config' | 'secrets'>;
type Kind = Pick<ChannelKind, 'config' | 'secretRules'>;

/**
 * What a written configuration means: its secrets apart. A secret that is absent or masked stays, null or an empty text removes
 * it, another text takes its place.
 *
 * @param present secrets that are stored
 * @param now epoch ms
 */
export function storedConfig(
  kind: Kind,
  written: JsonObject,
  present: JsonObject,
  now: number,
): Stored | { readonly issue: ConfigIssue } {
  const config: Record<string, JsonValue> = { ...written };
  const secrets: Record<string, JsonValue> = { ...present };
  for (const name of secretFields(kind.config)) {
    const value = config[name];
    delete config[name];
    if (value === mask && secrets[name] === undefined) {
      const message = `is required: ${mask} is only the placeholder of a stored secret`;
      return { issue: { path: `config.${name}`, message } };
    }
    if (value === undefined || value === mask) continue;
    if (value === null || value === '') delete secrets[name];
    else secrets[name] = value;
  }
  return kind.secretRules?.stored({ config, secrets }, present, now) ?? { config, secrets };
}

/** A configuration as everybody may see it. @param now epoch ms */
export function shownConfig(kind: Kind, { config, secrets }: Stored, now: number): JsonObject {
  const masks = secretFields(kind.config).map((name) => [name, secrets[name] === undefined ? null : mask]);
  return { ...config, ...(Object.fromEntries(masks) as JsonObject), ...kind.secretRules?.shown(secrets, now) };
}

/** A configuration as a change is merged into: with masks in the place of the secrets that there are. */
export function mergedConfig(kind: Kind, { config, secrets }: Stored): JsonObject {
  const names = secretFields(kind.config).filter((name) => secrets[name] !== undefined);
  return { ...config, ...Object.fromEntries(names.map((name) => [name, mask])) };
}
