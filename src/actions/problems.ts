// All that is wrong with an input, gathered and refused at once.
import { Refusal } from './refusal.ts';

/** One wrong field: its path and what would be right. */
export interface Problem {
  readonly path: string;
  readonly message: string;
  /** Where in a template, from 1. */
  readonly line?: number;
  readonly column?: number;
}

/** Refuses with `invalid`, naming every wrong field; does nothing when there is none. */
export function refuseProblems(problems: readonly Problem[]): void {
  if (problems.length === 0) return;
  const attributes: Record<string, string> = {};
  for (const { path, message, line, column } of problems) {
    const place = line === undefined ? '' : ` (line ${line}, column ${column ?? 1})`;
    // Elsewhere a position in a list is written in brackets.
    attributes[path.replaceAll(/\.(\d+)(?=\.|$)/g, '[$1]')] ??= message + place;
  }
  const names = Object.keys(attributes);
  const shown = names.slice(0, 3).map((path) => `${path}: ${attributes[path]}`);
  const more = names.length > 3 ? `; and ${names.length - 3} more` : '';
  throw new Refusal('invalid', `${shown.join('; ')}${more}.`, { attributes });
}
