// Follows a deployment to its end. Loads no schemas, so that the web UI can use it.
import type { Client } from './caller.ts';
import type { DeploymentBody } from './projects/project.ts';

/** The deployment as it proceeds; the last one has ended. Rejects like the client. */
export async function* followDeployment(client: Client, begun: DeploymentBody): AsyncGenerator<DeploymentBody> {
  let now = begun;
  yield now;
  while (now.ended_at === null) {
    now = await next(client, now);
    yield now;
  }
}

/** Waits a moment for the end. */
async function next(client: Client, { logicalId, id }: DeploymentBody): Promise<DeploymentBody> {
  const params = { logicalId, id: id ?? '' };
  try {
    return await client.call('awaitDeployment', { params, query: { maxWaitSeconds: 1 } });
  } catch (error) {
    // 408: it has not ended yet.
    if (!(error instanceof Error) || !('statusCode' in error) || error.statusCode !== 408) throw error;
    return client.call('getDeployment', { params });
  }
}
