// Collects all invalid fields of an input and refuses them at once.
import { Refusal } from './refusal.ts';

/** An invalid field: its path and how to fix it. */
export interface Problem {
  readonly path: string;
  readonly message: string;
  /** Position in a template, starting at 1. */
  readonly line?: number;
  readonly column?: number;
}

/** Refuses (`invalid`) with all invalid fields; does nothing if there are none. */
export function refuseProblems(problems: readonly Problem[]): void {
  if (problems.length === 0) return;
  const attributes: Record<string, string> = {};
  for (const { path, message, line, column } of problems) {
    const place = line === undefined ? '' : ` (line ${line}, column ${column ?? 1})`;
    // Messages write a list index in brackets.
    attributes[path.replaceAll(/\.(\d+)(?=\.|$)/g, '[$1]')] ??= message + place;
  }
  const names = Object.keys(attributes);
  const shown = names.slice(0, 3).map((path) => `${path}: ${attributes[path]}`);
  const more = names.length > 3 ? `; and ${names.length - 3} more` : '';
  throw new Refusal('invalid', `${shown.join('; ')}${more}.`, { attributes });
}
