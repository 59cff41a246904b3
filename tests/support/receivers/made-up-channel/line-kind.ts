// A made-up kind of channel: it writes a line to a TCP socket. Copied into src/channels/kinds/ by tests/support/made-up-kinds.ts.
import type { ChannelKind } from '#channels/kind.ts';
import { limits, Rendering } from '#channels/templates/budget.ts';
import { compileTemplate } from '#channels/templates/compile.ts';
import { contextOf, ownsAllNames } from '#channels/templates/context.ts';
import { inField } from '#channels/templates/template-error.ts';
import type { JsonObject } from '#domain/json.ts';
import { lineSchema } from './schema.ts';

export const lineKind = {
  ...lineSchema,
  templatesOf: (config) => [{ path: 'config.text', source: textIn(config, 'text'), target: 'body' }],
  render(config, variables, facts) {
    const context = contextOf(variables, facts);
    const rendering = new Rendering(facts.createdAt, limits.line, ownsAllNames(context));
    const body = inField('config.text', () =>
      compileTemplate(textIn(config, 'text')).renderNext(context, rendering, limits.line),
    );
    return { method: 'LINE', url: `tcp://${textIn(config, 'address')}`, headers: [], body, data: { end: '\n' } };
  },
  loadSender: async () => (await import('./send.ts')).createLineSender,
} as const satisfies ChannelKind;

function textIn(config: JsonObject, name: string): string {
  const value = config[name];
  return typeof value === 'string' ? value : '';
}
