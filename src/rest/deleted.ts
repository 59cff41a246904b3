// The response of a deletion: no body, so its warnings are in a header.
import type { Warning } from '#actions/warnings.ts';
import { Answer } from './route.ts';

/** 204; `x-service-warnings` contains the warnings as JSON in ASCII, and is absent without any. */
export function deleted(warnings: readonly Warning[]): Answer {
  if (warnings.length === 0) return new Answer(204, undefined);
  const text = JSON.stringify(warnings.slice(0, maxWarnings)).replaceAll(/[^ -~]/g, escaped);
  return new Answer(204, undefined, { 'x-service-warnings': text });
}

/** Limits the header size. */
const maxWarnings = 5;

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
