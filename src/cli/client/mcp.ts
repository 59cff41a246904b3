// `mcp`: passes the messages of an assistant from stdin on to the server, and its responses to stdout.
import { join } from 'node:path';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { Command } from 'commander';
import type { BodyOf } from '#contract/operations.ts';
import { errorMessage } from '#lib/errors.ts';
import { commandName, packageFolder } from '#lib/package-files.ts';
import { connect, type Connection } from './connect.ts';

type Message = BodyOf<'callMcp'>;
type Response = Parameters<StdioServerTransport['send']>[0];

/** Code of JSON-RPC errors of this program. */
const failedCode = -32_000;

/** What the assistant starts: npm would print lines of its own. */
const program = commandName === 'tocsin' ? commandName : join(packageFolder, 'bin', 'tocsin');

/** Defines `mcp`. */
export function defineMcp(command: Command): void {
  command
    .description(
      'Let an AI assistant use a server over the Model Context Protocol: the assistant starts this command and talks to ' +
        'it over stdin and stdout. What it may do depends on the role of the key. See docs/agents.md.',
    )
    .option('--profile <name>', 'profile of `login`; default: TOCSIN_URL and TOCSIN_API_KEY, or the profile "default"')
    .addHelpText('after', `\nExample:\n  claude mcp add tocsin -- ${program} mcp`)
    .action(({ profile }: { readonly profile?: string }) => bridge(connect({ profile })));
}

/** Runs until stdin ends and every request has its response. */
async function bridge({ client }: Pick<Connection, 'client'>): Promise<void> {
  const transport = new StdioServerTransport();
  const cancels = new Map<string | number, AbortController>();
  let version: string | undefined;
  const pass = async (message: Message): Promise<void> => {
    const cancel = new AbortController();
    if (message.id !== undefined) cancels.set(message.id, cancel);
    try {
      const headers = version === undefined ? {} : { 'mcp-protocol-version': version };
      const answer = await client.call('callMcp', { body: message, headers, signal: cancel.signal });
      // A notification has no response.
      if (answer === undefined) return;
      const agreed =
        message.method === 'initialize' ? (answer['result'] as { protocolVersion?: string } | undefined) : {};
      version ??= agreed?.protocolVersion;
      await transport.send(answer as Response);
    } catch (error) {
      if (message.id === undefined) process.stderr.write(`${errorMessage(error)}\n`);
      else if (!cancel.signal.aborted) await transport.send(failed(message.id, errorMessage(error)));
    } finally {
      if (message.id !== undefined) cancels.delete(message.id);
    }
  };
  transport.onmessage = (message) => {
    // The server sends no requests, so there are no responses to pass on.
    if (!('method' in message)) return;
    if (message.method === 'notifications/cancelled') {
      cancels.get((message.params as { requestId?: string | number } | undefined)?.requestId ?? '')?.abort();
      return;
    }
    void pass(message as Message);
  };
  transport.onerror = (error) => void process.stderr.write(`A message is invalid: ${error.message}\n`);
  await transport.start();
}

function failed(id: string | number, message: string): Response {
  return { jsonrpc: '2.0', id, error: { code: failedCode, message } };
}
