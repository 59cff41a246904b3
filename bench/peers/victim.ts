// Targets and the webhook receiver of the account that must not be affected.
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { answerQuestions, listenLocally } from '../support/peer.ts';

/** A received alert. */
export interface Alert {
  readonly checkName: string;
  readonly alertType: string;
  /** Epoch ms. */
  readonly at: number;
}

const broken = new Set<string>();
/** When each target first responded 500, epoch ms, by name. */
const failedAt: Record<string, number> = {};
const alerts: Alert[] = [];

const server = createServer((request, response) => {
  const name = request.url?.slice(1) ?? '';
  if (request.method === 'POST') {
    void json(request).then((body) => {
      const variables = body as Record<string, unknown>;
      const [checkName, alertType] = [String(variables['CHECK_NAME']), String(variables['ALERT_TYPE'])];
      alerts.push({ checkName, alertType, at: Date.now() });
      response.end('ok');
    });
    return;
  }
  if (broken.has(name)) failedAt[name] ??= Date.now();
  response.writeHead(broken.has(name) ? 500 : 200).end('ok');
});

answerQuestions({
  listen: () => listenLocally(server),
  /** Makes the target of that name respond 500 from now on. */
  break: (name: string) => void broken.add(name),
  failedAt: () => failedAt,
  alerts: () => alerts,
});
