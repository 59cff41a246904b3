// What is wrong with the parts of settings that HTTP probes share, beyond what the wire schema can say.
import { fillIn, hasPlaceholder } from '../placeholders.ts';
import { parseTarget } from './target.ts';

/** Absolute http(s), or beginning with a variable (decisions: Methods, URL); null = fine. */
export function urlProblem(url: string): string | null {
  const right = 'use an absolute http:// or https:// URL, or one that starts with {{NAME}}';
  if (url === '') return `the URL is missing; ${right}`;
  if (url.length > 2048) return 'the URL must have at most 2048 characters';
  if (/^\s*\{\{/.test(url) && hasPlaceholder(url)) return null;
  const filled = fillIn(url, new Map(), new Set(), () => '1');
  return parseTarget(filled) === null ? `"${url}" is not a valid URL; ${right}` : null;
}
