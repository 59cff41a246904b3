// The route of the Model Context Protocol (docs/decisions/0159).
import { randomBytes } from 'node:crypto';
import { requirePermission } from '#actions/accounts/permission.ts';
import { waitUntil } from '#actions/checks/wait-until.ts';
import { notFoundMessage } from '#actions/refusal.ts';
import type { Hints } from '#lib/hints.ts';
import { createSharedLanes } from '#lib/shared-lanes.ts';
import type { AuditOption } from '../audited-calls.ts';
import { errorAnswer } from '../errors.ts';
import { isOwnOrigin, type OwnHosts } from '../hosts.ts';
import { HttpRefusal } from '../http-refusal.ts';
import { Answer, type Call, type Route, route } from '../route.ts';
import { createInnerCalls } from './inner-calls.ts';
import { fenced } from './outside-text.ts';
import { toolsOf, tools } from './tools.ts';
import type { ToolContext } from './tool.ts';

export interface McpOptions {
  /** The routes whose operations tools run. */
  readonly routes: readonly Route[];
  readonly audit: AuditOption | undefined;
  readonly hosts: OwnHosts;
  readonly version: string;
  /** Aborts when this process stops, which ends waiting. */
  readonly stopping: AbortSignal;
  /** Hints that results were recorded. */
  readonly resultHints: Hints['listen'];
  /** Reports a fault of ours while a tool ran. */
  readonly onError: (error: unknown, details: { readonly tool: string; readonly requestId: string }) => void;
}

/** Tools running at the same time: of the process, and of an account while others wait. */
const lanes = createSharedLanes(16, 4);

/** The route. @param options null = switched off */
export function mcpRoutes(options: McpOptions | null): Route[] {
  if (options === null) {
    const off = route('callMcp', () => {
      throw notFoundMessage('MCP is switched off on this server. Set TOCSIN_MCP=on to switch it on.');
    });
    return [off];
  }
  const callsOf = createInnerCalls(options.routes, options.audit);
  const answer = route('callMcp', async (call) => {
    requireOwnOrigin(call, options.hosts);
    const { answerMessage } = await import('./protocol.ts');
    const { status, body } = await answerMessage(call.body, {
      version: options.version,
      caller: call.caller,
      protocolVersion: call.headers['mcp-protocol-version']?.toString(),
      callTool: (name, input) =>
        callTool(name, input, { call, options, context: contextOf(call, callsOf(call), options) }),
    });
    if (status < 400) return new Answer(status, body ?? undefined);
    const error = body?.['error'] as { message?: string } | undefined;
    throw new HttpRefusal(status, error?.message ?? 'The message is invalid.');
  });
  // A page elsewhere whose name points to this server cannot know a key, but must not reach the tools anyway.
  return [{ ...answer, verifiesKey: false }];
}

/** Refuses (403) requests by pages of other servers. */
function requireOwnOrigin({ headers: { origin } }: Call<'callMcp'>, hosts: OwnHosts): void {
  if (origin === undefined || isOwnOrigin(origin, hosts)) return;
  throw new HttpRefusal(403, 'Pages of other servers cannot use MCP here.');
}

function contextOf(
  { caller, signal }: Call<'callMcp'>,
  call: ToolContext['call'],
  { hosts, resultHints, stopping }: McpOptions,
): ToolContext {
  const ending = AbortSignal.any([signal, stopping]);
  return {
    caller,
    call,
    pageUrl: (path) => hosts.publicUrl() + path,
    waitUntil: (isSo, maxMs) => waitUntil(isSo, { maxMs, signal: ending, hints: resultHints }),
  };
}

interface ToolCall {
  readonly call: Call<'callMcp'>;
  readonly context: ToolContext;
  readonly options: McpOptions;
}

/** Runs a tool. A refusal is a result with `isError`, which the assistant can read. */
async function callTool(name: string, input: unknown, { call, context, options }: ToolCall) {
  const mark = randomBytes(9).toString('hex');
  const text = (content: string) => [{ type: 'text' as const, text: content }];
  const leave = await lanes.enter(call.caller.accountId, call.signal);
  try {
    if (leave === null) throw new HttpRefusal(408, 'The client has left.');
    const { lead, data, maxCharacters } = await findTool(name, call).run(context, input);
    return { content: text(fenced(lead, data, mark, maxCharacters)) };
  } catch (error) {
    const { body, isInternal } = errorAnswer(error);
    if (isInternal) options.onError(error, { tool: name.slice(0, 100), requestId: call.requestId });
    return { isError: true, content: text(fenced('The call was refused.', body, mark)) };
  } finally {
    leave?.();
  }
}

function findTool(name: string, { caller }: Call<'callMcp'>) {
  const found = tools.find((tool) => tool.name === name);
  if (found === undefined) {
    const names = toolsOf(caller.role).map((tool) => tool.name);
    throw notFoundMessage(`Tool ${JSON.stringify(name)} not found. Available: ${names.join(', ')}.`);
  }
  requirePermission(caller, found.permission);
  return found;
}
