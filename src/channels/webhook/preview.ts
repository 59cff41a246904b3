/** Says what will probably go wrong with a channel's templates although they can be saved. */
import type { JsonObject } from '#domain/json.ts';
import { systemVariableNames } from '#domain/template-variables.ts';
import type { TemplateValue, TemplateVariables } from '#domain/template-variables.ts';
import { readConfig, templatesOf } from './config.ts';
import { contextOf } from './context.ts';
import { compileTemplate } from './compile.ts';
import type { Reference } from './gate.ts';
import { dollarNames } from './helpers.ts';
import { nearestName } from '#lib/nearest.ts';
import { isJson } from './render.ts';
import { TemplateError } from './template-error.ts';
import { compileField, secretMessage } from './validate.ts';

/** Something in a template that deserves a second look. */
export interface PreviewWarning {
  readonly path: string;
  readonly message: string;
}

/** Text that breaks what was not made for it: quotes, newline, backslash, emoji, 4 kB. */
const hostileText = `"quoted" 'text'\nsecond line\twith \\ backslash 🔥 ${'x'.repeat(4096)}`;
/** System variables whose text comes from people or from the target; the others never hold a character that matters. */
const freeText = new Set([
  'ALERT_TITLE',
  'CHECK_NAME',
  'CHECK_DESCRIPTION',
  'CHECK_URL',
  'CHECK_ERROR_MESSAGE',
  'API_CHECK_RESPONSE_STATUS_TEXT',
  'RUN_LOCATION',
  'GROUP_NAME',
  'TAGS',
]);
const mayBeMissing = new Set([
  'RESPONSE_TIME',
  'API_CHECK_RESPONSE_STATUS_CODE',
  'SSL_DAYS_REMAINING',
  'REMINDER_SEQUENCE',
]);

/**
 * Warnings for a preview: values that make the body invalid JSON, variables that nobody defines, secrets
 * (decisions: `/v1/alert-channels/preview`). Templates that cannot be saved are left to `validateWebhook`.
 *
 * @param variables those of the previewed alert, user variables included
 */
export function warnAboutWebhook(
  config: JsonObject,
  variables: TemplateVariables,
  secretNames: ReadonlySet<string>,
): PreviewWarning[] {
  const webhook = readConfig(config);
  const named = templatesOf(webhook).flatMap(({ path, source }) => {
    const compiled = compileField(path, source);
    return 'references' in compiled ? nameWarnings(path, compiled.references, variables, secretNames) : [];
  });
  return webhook.template === null ? named : [...named, ...jsonWarnings(webhook.template, variables)];
}

function nameWarnings(
  path: string,
  references: readonly Reference[],
  variables: TemplateVariables,
  secretNames: ReadonlySet<string>,
): PreviewWarning[] {
  const known = new Set([...systemVariableNames, ...dollarNames, ...Object.keys(variables)]);
  const warnings = new Map<string, PreviewWarning>();
  for (const { name, isVariable } of references) {
    if (warnings.has(name)) continue;
    if (secretNames.has(name)) warnings.set(name, { path, message: `${secretMessage(name)}; it renders as nothing` });
    else if (isVariable && !known.has(name)) {
      const nearest = nearestName(name, known);
      const meant = nearest === null ? '' : ` Did you mean ${nearest}?`;
      warnings.set(name, { path, message: `Nobody defines ${name}: it renders as nothing.${meant}` });
    } else if (!isVariable && known.has(name)) {
      const message = `${name} is looked up in the item here: inside each and with, write ../${name} or @root.${name}`;
      warnings.set(name, { path, message });
    }
  }
  return [...warnings.values()];
}

function jsonWarnings(template: string, variables: TemplateVariables): PreviewWarning[] {
  const base = [variables, plain(variables)].find((values) => rendersJson(template, values));
  if (base === undefined) return [];
  const names = new Set(compileTemplate(template).references.map(({ name }) => name));
  return [...names].flatMap((name): PreviewWarning[] => {
    const path = 'config.template';
    const isFree = freeText.has(name) || !systemVariableNames.some((system) => system === name);
    if (isFree && Object.hasOwn(base, name) && !rendersJson(template, { ...base, [name]: hostile(base[name]) })) {
      const advice = `Write {{json ${name}}} instead of the quotes and braces, or "{{jsonString ${name}}}" inside quotes`;
      const items = name === 'TAGS' ? ' ({{json TAGS}} for the list, {{json this}} inside each)' : '';
      return [
        {
          path,
          message: `The body is not valid JSON when ${name} holds quotes, line breaks or backslashes. ${advice}${items}.`,
        },
      ];
    }
    if (mayBeMissing.has(name) && !rendersJson(template, { ...base, [name]: undefined })) {
      return [
        {
          path,
          message: `The body is not valid JSON when there is no ${name}. Write {{json ${name}}} (null then) or {{default ${name} 0}}.`,
        },
      ];
    }
    return [];
  });
}

function hostile(value: TemplateValue): TemplateValue {
  return Array.isArray(value) ? [hostileText, hostileText] : hostileText;
}

function plain(variables: TemplateVariables): TemplateVariables {
  return Object.fromEntries(
    Object.entries(variables).map(([name, value]) => {
      if (Array.isArray(value)) return [name, ['x', 'y']];
      return [name, typeof value === 'string' && freeText.has(name) ? 'x' : value];
    }),
  );
}

function rendersJson(template: string, variables: TemplateVariables): boolean {
  const facts = { createdAt: 0, uuid: '00000000-0000-4000-8000-000000000000', randomNumber: 0, userAgent: '' };
  try {
    return isJson(compileTemplate(template).render(contextOf(variables, facts), facts.createdAt));
  } catch (error) {
    if (error instanceof TemplateError) return false;
    throw error;
  }
}
