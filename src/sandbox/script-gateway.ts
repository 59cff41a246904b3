// Gateways for scripts, one per run, opened in a separate thread.
import { startThreadPool, type ThreadPool } from '#lib/thread-pool.ts';
import type { OpenGateway } from './run-script.ts';
import type { FromGateway, GatewaySettings, ToGateway } from './gateway-thread.ts';
import { threadFile } from '#lib/package-files.ts';

/** Opens gateways for scripts. */
export interface ScriptGateway {
  readonly open: OpenGateway;
  /** Stops the thread and closes all connections. */
  close(): Promise<void>;
}

/** Options of the gateway thread. */
export interface ScriptGatewayOptions extends GatewaySettings {
  /** Called when the thread dies. It restarts and listens on the same sockets. */
  readonly onThreadEnd?: (error: Error) => void;
}

interface Opened {
  readonly path: string;
  readonly owner: number | null;
  readonly settle: (problem: string | null) => void;
}

/** Creates the gateways. The thread starts with the first one. */
export function createScriptGateway({ egress, onThreadEnd }: ScriptGatewayOptions): ScriptGateway {
  const open = new Map<number, Opened>();
  let pool: ThreadPool | null = null;
  let lastNumber = 0;
  let isClosed = false;
  const post = (message: ToGateway): void => void pool?.post(0, message);
  const endWaits = (): void => {
    for (const [number, { path, owner }] of open) post({ number, path, owner });
  };
  const start = (): ThreadPool =>
    startThreadPool({
      entry: threadFile('gateway-thread', import.meta.url),
      size: 1,
      data: { egress } satisfies GatewaySettings,
      onMessage: (_, message) => {
        const { number, problem } = message as FromGateway;
        open.get(number)?.settle(problem);
      },
      onEnd: (_, error) => onThreadEnd?.(error),
      onRestart: endWaits,
    });
  return {
    open: async (path, owner) => {
      if (isClosed) throw new Error('the process is stopping');
      pool ??= start();
      const number = ++lastNumber;
      const problem = await new Promise<string | null>((resolve) => {
        open.set(number, { path, owner, settle: resolve });
        post({ number, path, owner });
      });
      const close = (): void => {
        open.delete(number);
        post({ number, path: null });
      };
      if (problem === null) return close;
      open.delete(number);
      throw new Error(`its gateway could not be opened: ${problem}`);
    },
    close: async () => {
      isClosed = true;
      for (const { settle } of open.values()) settle('the process is stopping');
      await pool?.close();
    },
  };
}
