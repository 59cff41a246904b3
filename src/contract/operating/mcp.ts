// The Model Context Protocol in the API: tools for AI assistants (docs/decisions/0159).
import { z } from 'zod';
import { tagged } from '../operation.ts';

/** A request or notification of JSON-RPC 2.0. */
const message = z
  .strictObject({
    jsonrpc: z.literal('2.0'),
    id: z
      .union([z.string().max(200), z.int()])
      .exactOptional()
      .describe('Absent = a notification.'),
    method: z.string().min(1).max(200),
    params: z.record(z.string(), z.unknown()).exactOptional(),
  })
  .meta({ id: 'McpMessage' });
export type McpMessage = z.output<typeof message>;

export const mcpOperations = tagged('MCP', {
  callMcp: {
    method: 'POST',
    path: '/mcp',
    summary: 'Send a message of the Model Context Protocol',
    description:
      'Streamable HTTP without sessions: one JSON-RPC message per request, answered as JSON. `tools/list` lists the tools that the role of the key allows. A tool runs operations of this API with their rules and limits.',
    permission: 'read',
    body: message,
    example: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    response: z.record(z.string(), z.unknown()).describe('The JSON-RPC response.'),
    alsoAnswers: {
      202: 'The message was a notification. The response has no body.',
      404: 'MCP is switched off (`TOCSIN_MCP`).',
    },
  },
});
