// A new check runs at once: tests that count its runs wait for that one first.
import { until } from '../until.ts';

/** Waits until a check has a result. */
export async function firstRun(
  service: { must(method: string, path: string): Promise<Record<string, unknown>> },
  checkId: unknown,
): Promise<void> {
  const hasRun = async (): Promise<boolean> =>
    (await service.must('GET', `/v1/check-statuses/${String(checkId)}`))['lastCheckRunId'] !== null;
  await until('the first run of the check', hasRun);
}
