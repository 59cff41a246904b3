// Limits shared by all templates of a channel, which are rendered together (docs/decisions/0060).
import { limits } from './budget.ts';
import type { ConfigIssue, TemplateField } from './fields.ts';
import { sizeOfTemplate, type TemplateSize } from './scan.ts';
import { TemplateError } from './template-error.ts';

interface ChannelSize extends TemplateSize {
  /** Bytes. */
  readonly source: number;
}

/**
 * Returns an error for the first field beyond the channel's shared limits, or nothing (decisions: Limits). The gate
 * checks the limits of single templates. An invalid template counts by its length.
 */
export function sizeIssues(fields: readonly TemplateField[]): ConfigIssue[] {
  const all = { source: 0, expressions: 0, nodes: 0 };
  for (const { path, source } of fields) {
    const length = Buffer.byteLength(source);
    if (length > limits.source) continue;
    all.source += length;
    const size = sizeOf(source);
    all.expressions += size.expressions;
    all.nodes += size.nodes;
    const why = tooMuch(all);
    if (why !== null) return [{ path, message: why, line: 1, column: 1 }];
  }
  return [];
}

function tooMuch({ source, expressions, nodes }: ChannelSize): string | null {
  const all = 'URL, body, headers and query parameters together have';
  if (source > limits.source) return `${all} more than ${limits.source / 1024} kB of templates: ${fix}`;
  if (expressions > limits.expressions) return `${all} more than ${limits.expressions} expressions and blocks: ${fix}`;
  if (nodes > limits.nodes) return `${all} more than ${limits.nodes} names, strings and numbers inside braces: ${fix}`;
  return null;
}

const fix = 'shorten this template or an earlier one';

function sizeOf(source: string): TemplateSize {
  try {
    return sizeOfTemplate(source);
  } catch (error) {
    if (error instanceof TemplateError) return { expressions: 0, nodes: 0 };
    throw error;
  }
}
