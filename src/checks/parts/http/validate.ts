// Validates settings shared by HTTP probes beyond the wire schema.
import { fillIn, hasPlaceholder } from '../placeholders.ts';
import { parseTarget } from './target.ts';

/**
 * Returns what is wrong with a URL, or null. It must be absolute http(s) or start with a variable (decisions: Methods,
 * URL).
 */
export function urlProblem(url: string): string | null {
  const right = 'use an absolute http:// or https:// URL, or one that starts with {{NAME}}';
  if (url === '') return `the URL is missing; ${right}`;
  if (url.length > 2048) return 'the URL must have at most 2048 characters';
  if (/^\s*\{\{/.test(url) && hasPlaceholder(url)) return null;
  const filled = fillIn(url, new Map(), new Set(), () => '1');
  return parseTarget(filled) === null ? `"${url}" is not a valid URL; ${right}` : null;
}
