// The stored configuration of an email channel with defaults filled in.
import type { JsonObject, JsonValue } from '#domain/json.ts';
import type { TemplateField } from '../../templates/fields.ts';

export interface EmailConfig {
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
