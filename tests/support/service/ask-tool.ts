// Calls a tool as an assistant does, and reads the data between the marks of its answer.
import assert from 'node:assert/strict';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';

export interface Told {
  readonly text: string;
  /** The sentences before the data. */
  readonly lead: string;
  readonly data: Record<string, unknown>;
  readonly isError: boolean;
}

/** Calls a tool and reads the data between the marks. */
export async function ask(client: Client, name: string, input: Record<string, unknown> = {}): Promise<Told> {
  const { content, isError } = await client.callTool({ name, arguments: input });
  const [{ text } = { text: '' }] = content as { text: string }[];
  const [, lead = '', mark = '', json = ''] =
    /^([\s\S]*?)\n<data ([0-9a-f]{18})>\n([\s\S]*)\n<\/data \2>$/.exec(text) ?? [];
  assert.notEqual(mark, '', text);
  assert.ok(!json.includes(mark), 'the data cannot end the fence');
  return { text, lead, data: JSON.parse(json) as Record<string, unknown>, isError: isError === true };
}
