// What an assistant receives of a service: the answer of every tool about one check and its group.
import assert from 'node:assert/strict';
import type { Service } from './service.ts';

interface Message {
  readonly result: {
    readonly tools: readonly { readonly name: string }[];
    readonly content: readonly { readonly text: string }[];
    readonly isError?: true;
  };
}

/** The answers by tool. Fails if a tool is missing or refuses. */
export async function toolAnswers(
  { must }: Pick<Service, 'must'>,
  checkId: string,
  groupId: number,
): Promise<Readonly<Record<string, string>>> {
  const send = async (method: string, params: object) =>
    ((await must('POST', '/mcp', { jsonrpc: '2.0', id: 1, method, params })) as unknown as Message).result;
  const call = async (name: string, input: object): Promise<string> => {
    const { content, isError } = await send('tools/call', { name, arguments: input });
    const text = content[0]?.text ?? '';
    assert.ok(isError !== true, `${name}: ${text}`);
    return text;
  };
  const change = { description: 'seen by an assistant' };
  const proposed = await call('propose_change', { checkId, change });
  const revision: unknown = JSON.parse(/"revision": (".*")/.exec(proposed)?.[1] ?? '""');
  const answers: Record<string, string> = {
    propose_change: proposed + (await call('propose_change', { groupId, change: { tags: ['assistant'] } })),
    list_failures: await call('list_failures', {}),
    find_checks: await call('find_checks', {}),
    list_results: await call('list_results', { checkId }),
    read_result: await call('read_result', { checkId, maxCharacters: 24_000 }),
    backtest: await call('backtest', { checkId, change: { frequency: 5 } }),
    run_check: await call('run_check', { checkId, waitSeconds: 60 }),
    apply_change: await call('apply_change', { checkId, change, revision }),
    acknowledge: await call('acknowledge', { checkId }),
    draft_incident: await call('draft_incident', { name: 'Draft', description: 'We are looking into it.' }),
    list_status_pages: await call('list_status_pages', {}),
    explain_failure: await call('explain_failure', { checkId }),
  };
  const { tools } = await send('tools/list', {});
  assert.deepEqual(Object.keys(answers).toSorted(), tools.map(({ name }) => name).toSorted());
  return answers;
}
