// Renders a channel again and again with other values, to see what would go wrong with them.
import type { JsonObject } from '#domain/json.ts';
import type { Message } from '#domain/alerts/delivery.ts';
import { systemVariableNames, type TemplateValue, type TemplateVariables } from '#domain/alerts/template-variables.ts';
import type { Reference } from '../../templates/gate.ts';
import { renderWebhook } from './render.ts';
import { TemplateError } from '../../templates/template-error.ts';

/** System variables whose text comes from people or from the target; the others never hold a character that matters. */
const freeText: ReadonlySet<string> = new Set([
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

/** Whether a variable may hold any text at all: that of people, and every variable of a user. */
export function isFree(name: string): boolean {
  return freeText.has(name) || !systemVariableNames.some((system) => system === name);
}

/** The variables with harmless text where anything could stand. */
export function harmless(variables: TemplateVariables): TemplateVariables {
  return Object.fromEntries(
    Object.entries(variables).map(([name, value]) => {
      if (Array.isArray(value)) return [name, ['x', 'y']];
      return [name, typeof value === 'string' && freeText.has(name) ? 'x' : value];
    }),
  );
}

/** A value of the same sort that holds `text`. */
export function holding(value: TemplateValue, text: string): TemplateValue {
  return Array.isArray(value) ? [text, text] : text;
}

/** ms of this thread that the renderings for one preview may take; that something is left then is said. */
export const trialMostMs = 50;

/** How long this thread has worked, ms: a machine that is busy with something else cuts no preview short. */
function workedMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** Renderings of one channel, within a time that a preview may take. */
export interface Trial {
  /** The request with these values; null = it could not be rendered. */
  request(variables: TemplateVariables): Message | null;
  /** Asked before more is tried: whether there is no time left for it. */
  readonly isOver: boolean;
  /** Whether something was left out for that. */
  readonly wasCut: boolean;
}

export function createTrial(config: JsonObject): Trial {
  const facts = { createdAt: 0, uuid: '00000000-0000-4000-8000-000000000000', randomNumber: 0, userAgent: '' };
  const startedAt = workedMs();
  let wasCut = false;
  return {
    request(variables) {
      try {
        return renderWebhook(config, variables, facts);
      } catch (error) {
        if (error instanceof TemplateError) return null;
        throw error;
      }
    },
    get isOver() {
      wasCut ||= workedMs() - startedAt > trialMostMs;
      return wasCut;
    },
    get wasCut() {
      return wasCut;
    },
  };
}

/** The first reference to each variable, in order. */
export function firstOfEach(references: readonly Reference[]): Reference[] {
  const found = new Map<string, Reference>();
  for (const reference of references) if (!found.has(reference.name)) found.set(reference.name, reference);
  return [...found.values()];
}
