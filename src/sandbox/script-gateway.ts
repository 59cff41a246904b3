// The gateways of the scripts of this process: opened in a thread of their own, one for each run.
import { startThreadPool, type ThreadPool } from '#lib/thread-pool.ts';
import type { OpenGateway } from './run-script.ts';
import type { FromGateway, GatewaySettings, ToGateway } from './gateway-thread.ts';
import { threadFile } from '#lib/package-files.ts';

/** Gateways of scripts. */
export interface ScriptGateway {
  readonly open: OpenGateway;
  /** Ends the thread, with all that goes through it. */
  close(): Promise<void>;
}

/** What the thread may do, and who is told of its end. */
export interface ScriptGatewayOptions extends GatewaySettings {
  /** Told when the thread has died; it is started again, and listens where it did. */
  readonly onThreadEnd?: (error: Error) => void;
}

interface Opened {
  readonly path: string;
  readonly owner: number | null;
  readonly settle: (problem: string | null) => void;
}

/** Makes them; the thread is started when the first one is opened. */
export function createScriptGateway({ egress, onThreadEnd }: ScriptGatewayOptions): ScriptGateway {
  const open = new Map<number, Opened>();
  let pool: ThreadPool | null = null;
  let lastNumber = 0;
  let isClosed = false;
  const post = (message: ToGateway): void => void pool?.post(0, message);
  const tellAll = (): void => {
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
      onRestart: tellAll,
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
