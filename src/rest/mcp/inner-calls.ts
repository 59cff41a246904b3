// Runs operations of the API for tools, with the same parsing, permissions and audit log as requests.
import { requirePermission } from '#actions/accounts/permission.ts';
import type { Rest } from '#contract/caller.ts';
import { type AnswerOf, type OperationId, operations, operationOf } from '#contract/operations.ts';
import type { Caller } from '#domain/accounts/api-key.ts';
import { type AuditOption, runAudited } from '../audited-calls.ts';
import { parseInput } from '../input.ts';
import { Answer, type AnyCall, type Call, JsonText, type Page, type Route } from '../route.ts';

/** A response of an operation. */
export interface InnerAnswer<Id extends OperationId> {
  readonly body: AnswerOf<Id>;
  /** Number of items on all pages of a list; null = not a list. */
  readonly total: number | null;
  readonly headers: Readonly<Record<string, string | string[]>>;
}

/** Calls operations as the caller of a request. Rejects with the refusals of the API. */
export type CallOperation = <Id extends OperationId>(id: Id, ...rest: Rest<Id>) => Promise<InnerAnswer<Id>>;

/** Prepares the routes of this process for calls by tools. */
export function createInnerCalls(
  routes: readonly Route[],
  audit: AuditOption | undefined,
): (outer: Call<'callMcp'>) => CallOperation {
  const byId = new Map(routes.map((route) => [route.id, route]));
  return (outer) =>
    async (id, ...[request]) => {
      const operation = operationOf(id);
      const route = byId.get(id);
      if (route === undefined) throw new Error(`there is no route for ${id}`);
      if (operation.permission === 'none') throw new Error(`${id} has no caller`);
      const caller = operation.permission === 'read' ? asReader(outer.caller) : outer.caller;
      if (operation.permission !== 'any' && operation.permission !== 'user')
        requirePermission(caller, operation.permission);
      const { params, query, body, headers = {} } = inWireForm(request ?? {});
      const { address, requestId, signal, isStillAllowed } = outer;
      const call: AnyCall = {
        ...parseInput(operation, { params, query, body }),
        caller,
        headers,
        address,
        requestId,
        signal,
        isStillAllowed,
        method: operation.method,
        rawBody: null,
        bytes: Buffer.alloc(0),
      };
      const isAudited = audit?.isAudited(id) === true;
      const ran = isAudited ? runAudited(route, call, audit, 'mcp') : route.run(call);
      return answerOf(id, await ran);
    };
}

/** An assistant reads what a read-only key reads, in which locked values are masked. */
function asReader(caller: Caller): Caller {
  return { ...caller, role: 'read-only' };
}

interface WireForm {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Path parameters and query as text, which the schemas expect. */
function inWireForm({
  params = {},
  query = {},
  ...rest
}: WireForm): Required<Pick<WireForm, 'params' | 'query'>> & WireForm {
  const texts = (values: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, Array.isArray(value) ? value.map(String) : String(value)]),
    );
  return { ...rest, params: texts(params), query: texts(query) };
}

function answerOf<Id extends OperationId>(id: Id, result: unknown): InnerAnswer<Id> {
  const { body, headers } =
    result instanceof Answer ? result : { body: result, headers: {} as InnerAnswer<Id>['headers'] };
  if (body instanceof JsonText) return { body: JSON.parse(body.text.toString()) as AnswerOf<Id>, total: null, headers };
  if (!('isPaged' in operations[id])) return { body: body as AnswerOf<Id>, total: null, headers };
  const { items, total } = body as Page<unknown>;
  return { body: items as AnswerOf<Id>, total, headers };
}
