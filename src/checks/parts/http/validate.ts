// Validates settings shared by HTTP probes beyond the wire schema.
import { fillIn, hasPlaceholder } from '../placeholders.ts';
import { parseTarget } from './target.ts';

/** Returns what is wrong with a URL that contains variables, or null (decisions: Methods, URL). */
export function urlProblem(url: string): string | null {
  const right = 'use an absolute http:// or https:// URL, or one that starts with {{NAME}}';
  if (/^\s*\{\{/.test(url) && hasPlaceholder(url)) return null;
  const filled = fillIn(url, new Map(), new Set(), () => '1');
  return parseTarget(filled) === null ? `"${url}" is not a valid URL; ${right}` : null;
}
