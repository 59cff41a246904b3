/** Warns about valid templates that are likely to fail. */
import type { JsonObject } from '#domain/json.ts';
import type { TemplateVariables } from '#domain/deliveries/template-variables.ts';
import { readConfig } from './config.ts';
import type { ConfigWarning, TemplateNames } from '../../templates/fields.ts';
import type { Reference } from '../../templates/gate.ts';
import { bodyWarnings } from './hostile.ts';
import { urlWarnings } from './hostile.ts';
import { tooMuchFor } from './receivers.ts';
import { createTrial, firstOfEach, harmless, holding, isFree, type Trial, maxTrialMs } from './trial.ts';

/**
 * Returns preview warnings: invalid JSON, a changed URL, double encoding, and messages too long for the receiver
 * (decisions: `/v1/alert-channels/preview`).
 *
 * @param templates all templates of the configuration
 * @param variables those of the previewed alert, user variables included
 */
export function warnAboutWebhook(
  config: JsonObject,
  templates: readonly TemplateNames[],
  variables: TemplateVariables,
): ConfigWarning[] {
  const webhook = readConfig(config);
  const trial = createTrial(config);
  // The body is rendered separately because its URL does not matter.
  const { method, template } = webhook;
  const bodyTrial = createTrial({ url: 'https://receiver.invalid/', method, template });
  const ofUrl = templates.filter(({ target }) => target === 'url');
  const inBody = templates.find(({ target }) => target === 'body')?.references ?? [];
  const to = {
    webhookType: typeof config['webhookType'] === 'string' ? config['webhookType'] : null,
    url: trial.request(variables)?.url ?? webhook.url,
  };
  return [
    ...bodyWarnings(webhook, inBody, variables, bodyTrial),
    ...urlWarnings(webhook, ofUrl, variables, trial),
    ...sizeWarnings(inBody, variables, to, bodyTrial),
    ...(bodyTrial.wasCut ? [untried('config.template')] : []),
    ...(trial.wasCut ? [untried('config.url')] : []),
  ];
}

/** Warning that the time limit cut the tests short. */
function untried(path: string): ConfigWarning {
  const message = `Not all variables could be tested with other values within ${maxTrialMs} ms. Warnings may be missing.`;
  return { path, message };
}

/** Stands for a long error message, name or list of tags. */
const longText = 'x'.repeat(4096);

/** Warns if the message exceeds the receiver's limits, now or with long values. */
function sizeWarnings(
  references: readonly Reference[],
  variables: TemplateVariables,
  to: { readonly webhookType: string | null; readonly url: string },
  trial: Trial,
): ConfigWarning[] {
  const path = 'config.template';
  const now = trial.request(variables);
  const tooMuch = now === null ? null : tooMuchFor(now.body, to);
  if (tooMuch !== null) return [{ path, message: `Too long: ${tooMuch}.` }];
  const base = harmless(variables);
  return firstOfEach(references).flatMap(({ name, place }): ConfigWarning[] => {
    if (trial.isOver || !isFree(name) || !Object.hasOwn(base, name)) return [];
    const request = trial.request({ ...base, [name]: holding(base[name], longText) });
    const why = request === null ? null : tooMuchFor(request.body, to);
    if (why === null) return [];
    const message = `Too long when ${name} has ${longText.length} characters: ${why}. Write {{truncate ${name} 500 '…'}}.`;
    return [{ path, ...place, message, example: longText }];
  });
}
