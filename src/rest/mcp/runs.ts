// The tool that runs a check.
import { z } from 'zod';
import { checkId } from './results.ts';
import { picked, tool } from './tool.ts';

export const runCheck = tool(
  {
    name: 'run_check',
    title: 'Run a check now',
    description:
      'Runs a check now and waits for the result. It is a real run: it is recorded, changes the state of the check, may send alerts, and counts toward the execution limit of the account.',
    permission: 'run',
  },
  z.strictObject({
    checkId,
    waitSeconds: z.int().min(0).max(60).default(30).describe('How long to wait for the result.'),
  }),
  async ({ call, waitUntil }, { checkId, waitSeconds }) => {
    const { headers } = await call('createCheckTrigger', { params: { checkId } });
    const callId = headers['x-service-call-id'];
    if (callId === undefined) return { lead: 'No run was started: the check is deactivated.', data: null };
    const read = async () =>
      (await call('listCheckTriggerRuns', { params: { checkId }, query: { callId: String(callId), limit: 100 } })).body;
    let runs = await read();
    const isEnded = async (): Promise<boolean> => {
      runs = await read();
      return runs.every(({ state }) => state === 'ended');
    };
    const ended = await waitUntil(isEnded, waitSeconds * 1000);
    const lead = ended
      ? 'The runs have ended. For their evidence, call read_result with the resultId.'
      : 'The time to wait is over and a run is still in progress. Call list_results later.';
    return {
      lead: runs.length === 0 ? 'No run was started: the check is deactivated.' : lead,
      data: runs.map((run) => ({
        resultId: run.id,
        ...picked(run, ['runLocation', 'state', 'outcome', 'responseTime', 'message']),
      })),
    };
  },
);
