// A JSON Schema as a table of its fields, for the page that documents the operations.
import type { JsonSchema } from '#contract/json-schemas.ts';
import { type Html, html } from '../html.ts';

/** The fields of an object with type, bounds, default and meaning; of anything else its type. */
export function schemaTable(schema: JsonSchema): Html {
  const properties = schema['properties'] as Readonly<Record<string, JsonSchema>> | undefined;
  if (properties === undefined) return html`<p>${schemaType(schema)}</p>`;
  const required = (schema['required'] ?? []) as readonly string[];
  return html`<table class="fields">
    ${Object.entries(properties).map(
      ([name, field]) =>
        html`<tr>
          <td><code>${name}</code> ${required.includes(name) && html`<span class="need" title="required">*</span>`}</td>
          <td>
            <span class="soft">${schemaType(field)}${bounds(field)}</span>
            ${field['description'] !== undefined && html`<br />${words(field['description'])}`} ${nested(field)}
          </td>
        </tr>`,
    )}
  </table>`;
}

/** The fields of an object, or of the items of a list, that has no name of its own. */
function nested(field: JsonSchema): Html | null {
  const inner = branches(field)
    .map((branch) => (branch['items'] as JsonSchema | undefined) ?? branch)
    .find((branch) => branch['properties'] !== undefined);
  return inner
    ? html`<details>
        <summary>fields</summary>
        ${schemaTable(inner)}
      </details>`
    : null;
}

function branches(schema: JsonSchema): readonly JsonSchema[] {
  return (schema['anyOf'] ?? schema['oneOf'] ?? [schema]) as readonly JsonSchema[];
}

/** A type in a few words; named ones are links. */
export function schemaType(schema: JsonSchema): Html {
  const ref = schema['$ref'];
  if (typeof ref === 'string') {
    const name = ref.split('/').at(-1) ?? '';
    return html`<a href="#schema-${name}">${name}</a>`;
  }
  const options = branches(schema);
  if (options[0] !== schema)
    return html`${options.map((option, index) => html`${index > 0 && ' or '}${schemaType(option)}`)}`;
  if (schema['const'] !== undefined) return html`<code>${JSON.stringify(schema['const'])}</code>`;
  const values = schema['enum'];
  if (Array.isArray(values)) {
    return html`${values.map((value, index) => html`${index > 0 && ' · '}<code>${String(value)}</code>`)}`;
  }
  const type = [schema['type'] ?? 'anything']
    .flat()
    .map((each) => words(each))
    .join(' or ');
  if (type === 'array') return html`list of ${schemaType((schema['items'] ?? {}) as JsonSchema)}`;
  return html`${schema['format'] === undefined ? type : `${type} (${words(schema['format'])})`}`;
}

/** Bounds and default, as they follow a type. */
export function bounds(schema: JsonSchema): string {
  const said: string[] = [];
  for (const branch of branches(schema)) {
    if (branch['minimum'] !== undefined) said.push(`from ${words(branch['minimum'])}`);
    if (branch['maximum'] !== undefined) said.push(`up to ${words(branch['maximum'])}`);
    if (branch['maxLength'] !== undefined) said.push(`at most ${words(branch['maxLength'])} characters`);
    if (branch['maxItems'] !== undefined) said.push(`at most ${words(branch['maxItems'])} items`);
  }
  if (schema['default'] !== undefined) said.push(`default ${JSON.stringify(schema['default'])}`);
  return said.map((each) => `, ${each}`).join('');
}

/** A value of a document as text. */
export function words(value: unknown): string {
  return typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value);
}
