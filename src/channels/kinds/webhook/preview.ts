/** Says what will probably go wrong with a channel's templates although they can be saved. */
import type { JsonObject } from '#domain/json.ts';
import { systemVariableNames, type TemplateVariables } from '#domain/alerts/template-variables.ts';
import { nearestName } from '#lib/nearest.ts';
import { readConfig, templatesOf } from './config.ts';
import type { Reference } from '../../templates/gate.ts';
import { dollarNames } from '../../templates/helpers.ts';
import { bodyWarnings } from './hostile-body.ts';
import { urlWarnings } from './hostile-url.ts';
import { tooMuchFor } from './receivers.ts';
import {
  createTrial,
  firstOfEach,
  harmless,
  holding,
  isFree,
  type PreviewWarning,
  type Trial,
  trialMostMs,
} from './trial.ts';
import { compileField, secretMessage } from './validate.ts';

/**
 * Warnings for a preview: values that make the body invalid JSON or bend the URL, what is encoded twice, variables that
 * nobody defines, secrets, more than the receiver takes (decisions: `/v1/alert-channels/preview`). Templates that cannot be
 * saved are left to `validateWebhook`.
 *
 * @param variables those of the previewed alert, user variables included
 * @param groupNames variables that have a value only where the subscription of a group is the cause: they are known
 */
export function warnAboutWebhook(
  config: JsonObject,
  variables: TemplateVariables,
  secretNames: ReadonlySet<string>,
  groupNames: ReadonlySet<string> = new Set(),
): PreviewWarning[] {
  const webhook = readConfig(config);
  const fields = fieldsOf(config);
  const readable = readableOf(fields);
  const known = new Set([...systemVariableNames, ...dollarNames, ...Object.keys(variables), ...groupNames]);
  const named = readable.flatMap(({ path, references }) => nameWarnings(path, references, known, secretNames));
  // One that cannot be saved is never rendered: what it would do with other values does not matter yet.
  if (readable.length < fields.length) return named;
  const trial = createTrial(config);
  // The body is tried by itself: it says the same wherever it goes.
  const { method, template } = webhook;
  const bodyTrial = createTrial({ url: 'https://receiver.invalid/', method, template });
  const ofUrl = readable.filter(({ path }) => path === 'config.url' || path.startsWith('config.queryParameters'));
  const inBody = readable.find(({ path }) => path === 'config.template')?.references ?? [];
  const to = {
    webhookType: typeof config['webhookType'] === 'string' ? config['webhookType'] : null,
    url: trial.request(variables)?.url ?? webhook.url,
  };
  return [
    ...named,
    ...bodyWarnings(webhook, inBody, variables, bodyTrial),
    ...urlWarnings(webhook, ofUrl, variables, trial),
    ...sizeWarnings(inBody, variables, to, bodyTrial),
    ...(bodyTrial.wasCut ? [untried('config.template')] : []),
    ...(trial.wasCut ? [untried('config.url')] : []),
  ];
}

/** Warns about variables that templates use and nothing defines. `defined`: variables of the account and its groups. */
export function warnAboutNames(config: JsonObject, defined: ReadonlySet<string>): PreviewWarning[] {
  const known = new Set([...systemVariableNames, ...dollarNames, ...defined]);
  return readableOf(fieldsOf(config)).flatMap(({ path, references }) =>
    nameWarnings(path, references, known, new Set()),
  );
}

interface Field {
  readonly path: string;
  /** null = the template cannot be compiled. */
  readonly references: readonly Reference[] | null;
}

function fieldsOf(config: JsonObject): Field[] {
  return templatesOf(readConfig(config)).map(({ path, source }) => {
    const compiled = compileField(path, source);
    return { path, references: 'references' in compiled ? compiled.references : null };
  });
}

function readableOf(fields: readonly Field[]) {
  return fields.flatMap(({ path, references }) => (references === null ? [] : [{ path, references }]));
}

/** What stands in the place of the warnings that nobody had the time to look for. */
function untried(path: string): PreviewWarning {
  const message = `Not all variables could be tested with other values within ${trialMostMs} ms. Warnings may be missing.`;
  return { path, message };
}

function nameWarnings(
  path: string,
  references: readonly Reference[],
  known: ReadonlySet<string>,
  secretNames: ReadonlySet<string>,
): PreviewWarning[] {
  const warnings = new Map<string, PreviewWarning>();
  for (const { name, place, isVariable } of references) {
    if (warnings.has(name)) continue;
    const warn = (message: string): unknown => warnings.set(name, { path, ...place, message });
    if (secretNames.has(name)) warn(`${secretMessage(name)}. It renders as empty text`);
    else if (isVariable && !known.has(name)) {
      const nearest = nearestName(name, known);
      warn(`${name} is not defined and renders as empty text.${nearest === null ? '' : ` Did you mean ${nearest}?`}`);
    } else if (!isVariable && known.has(name)) {
      warn(
        `${name} refers to the current item inside each and with: write ../${name} or @root.${name} for the variable`,
      );
    }
  }
  return [...warnings.values()];
}

/** An error message, a name or a list of tags as long as they come. */
const longText = 'x'.repeat(4096);

/** Whether the receiver takes the message: as it is now, and with long values. */
function sizeWarnings(
  references: readonly Reference[],
  variables: TemplateVariables,
  to: { readonly webhookType: string | null; readonly url: string },
  trial: Trial,
): PreviewWarning[] {
  const path = 'config.template';
  const now = trial.request(variables);
  const tooMuch = now === null ? null : tooMuchFor(now.body, to);
  if (tooMuch !== null) return [{ path, message: `Too long: ${tooMuch}.` }];
  const base = harmless(variables);
  return firstOfEach(references).flatMap(({ name, place }): PreviewWarning[] => {
    if (trial.isOver || !isFree(name) || !Object.hasOwn(base, name)) return [];
    const request = trial.request({ ...base, [name]: holding(base[name], longText) });
    const why = request === null ? null : tooMuchFor(request.body, to);
    if (why === null) return [];
    const message = `Too long when ${name} has ${longText.length} characters: ${why}. Write {{truncate ${name} 500 '…'}}.`;
    return [{ path, ...place, message, example: longText }];
  });
}
