// Seals, masks and merges the secret fields that the schemas of channel kinds declare (decisions: Secret).
import type { AlertChannel } from '#domain/alerts/alert-channel.ts';
import { mask } from '#domain/deliveries/shown-url.ts';
import type { JsonObject, JsonValue } from '#domain/json.ts';
import { secretFields } from '#lib/schema/secrets.ts';
import type { ChannelKind } from './kind.ts';
import type { ConfigIssue } from './templates/fields.ts';

type Stored = Pick<AlertChannel, 'config' | 'secrets'>;
type Kind = Pick<ChannelKind, 'config' | 'secretRules'>;

/**
 * Separates the secrets of a written configuration. A missing or masked secret is kept, null or an empty text removes
 * it, and any other text replaces it.
 *
 * @param present secrets stored so far
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

/** Returns a configuration with masked secrets. @param now epoch ms */
export function shownConfig(kind: Kind, { config, secrets }: Stored, now: number): JsonObject {
  const masks = secretFields(kind.config).map((name) => [name, secrets[name] === undefined ? null : mask]);
  return { ...(Object.fromEntries(masks) as JsonObject), ...config, ...kind.secretRules?.shown?.(secrets, now) };
}

/** Returns the configuration that a PATCH is merged into, with masked secrets. */
export function mergedConfig(kind: Kind, { config, secrets }: Stored): JsonObject {
  const names = secretFields(kind.config).filter((name) => secrets[name] !== undefined);
  return { ...Object.fromEntries(names.map((name) => [name, mask])), ...config };
}
