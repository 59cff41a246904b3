// A made-up kind of channel: it writes a line to a TCP socket. Copied into src/channels/kinds/ by tests/flows/made-up-channel.test.ts.
import { z } from 'zod';
import type { ChannelKind } from '#channels/kind.ts';
import { limits, Rendering } from '#channels/templates/budget.ts';
import { compileTemplate } from '#channels/templates/compile.ts';
import { contextOf, ownsAllNames } from '#channels/templates/context.ts';
import { inField } from '#channels/templates/template-error.ts';
import type { JsonObject } from '#domain/json.ts';
import { secretText } from '#lib/schema/secrets.ts';

export const lineKind = {
  type: 'LINE',
  config: z
    .strictObject({
      name: z.string().max(200).default(''),
      address: z.string().regex(/^[^:]+:\d+$/, 'must be a host and a port'),
      text: z.string().max(1000).default('{{ALERT_TYPE}} {{CHECK_NAME}}'),
      password: secretText(z.string().min(1).max(100)),
    })
    .meta({ id: 'LineConfigWrite' }),
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
