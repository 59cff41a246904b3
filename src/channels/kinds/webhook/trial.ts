// Renders a channel repeatedly with different values, to find values that break it.
import type { JsonObject } from '#domain/json.ts';
import type { Message } from '#domain/deliveries/delivery.ts';
import {
  systemVariableNames,
  type TemplateValue,
  type TemplateVariables,
} from '#domain/deliveries/template-variables.ts';
import type { Reference } from '../../templates/gate.ts';
import { renderWebhook } from './render.ts';
import { TemplateError } from '../../templates/template-error.ts';

/** System variables with free text from people or from the target. */
const freeText: ReadonlySet<string> = new Set([
  'ALERT_TITLE',
  'CHECK_NAME',
  'CHECK_DESCRIPTION',
  'CHECK_RUNBOOK_URL',
  'CHECK_NOTES',
  'CHECK_URL',
  'CHECK_ERROR_MESSAGE',
  'API_CHECK_RESPONSE_STATUS_TEXT',
  'RUN_LOCATION',
  'GROUP_NAME',
  'TAGS',
]);

/** Whether a variable may hold any text. True for user variables. */
export function isFree(name: string): boolean {
  return freeText.has(name) || !systemVariableNames.some((system) => system === name);
}

/** Replaces free text by harmless text. */
export function harmless(variables: TemplateVariables): TemplateVariables {
  return Object.fromEntries(
    Object.entries(variables).map(([name, value]) => {
      if (Array.isArray(value)) return [name, ['x', 'y']];
      return [name, typeof value === 'string' && freeText.has(name) ? 'x' : value];
    }),
  );
}

/** A value of the same type that contains `text`. */
export function holding(value: TemplateValue, text: string): TemplateValue {
  return Array.isArray(value) ? [text, text] : text;
}

/** CPU time limit of one preview's renderings; a warning tells when it was reached. */
export const maxTrialMs = 50;

/** CPU time of this thread in ms. Wall time would cut previews short on a busy machine. */
function workedMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** Renderings of one channel within the time limit. */
export interface Trial {
  /** Renders the request with these values; null if rendering fails. */
  request(variables: TemplateVariables): Message | null;
  /** Whether the time limit is reached. */
  readonly isOver: boolean;
  /** Whether something was skipped because of it. */
  readonly wasCut: boolean;
}

export function createTrial(config: JsonObject): Trial {
  const facts = {
    createdAt: 0,
    uuid: '00000000-0000-4000-8000-000000000000',
    randomNumber: 0,
    userAgent: '',
    timeZone: 'UTC',
  };
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
      wasCut ||= workedMs() - startedAt > maxTrialMs;
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
