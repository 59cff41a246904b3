// Gateways for scripts, one per run, opened in a separate thread.
import { startThreadPool, type ThreadPool } from '#lib/thread-pool.ts';
import type { OpenGateway } from './run-script.ts';
import type { FromGateway, GatewaySettings, ToGateway } from './gateway-thread.ts';
import { threadFile } from '#lib/package-files.ts';

export interface ScriptGateway {
  readonly open: OpenGateway;
  /** Whether no name server of this machine answers. Takes up to 3 s; false if the thread stops. */
  readonly isResolverDown: () => Promise<boolean>;
  /** Whether no name server has answered the scripts lately. */
  readonly hasResolverFault: () => boolean;
  /** Stops the thread and closes all connections. */
  close(): Promise<void>;
}

export interface ScriptGatewayOptions extends GatewaySettings {
  /** Called when the thread dies. It restarts and listens on the same sockets. */
  readonly onThreadEnd?: (error: Error) => void;
}

interface Opened {
  readonly path: string;
  readonly owner: number | null;
  readonly settle: (problem: string | null) => void;
}

/** State of the name servers according to the thread. Questions without a response end with false. */
function createResolverState() {
  const questions = new Map<number, (isResolverDown: boolean) => void>();
  const state = {
    isDown: false,
    ask: (number: number): Promise<boolean> => new Promise((resolve) => void questions.set(number, resolve)),
    read(reply: Exclude<FromGateway, { readonly problem: string | null }>): void {
      if ('isDown' in reply) state.isDown = reply.isDown;
      else {
        questions.get(reply.number)?.(reply.isResolverDown);
        questions.delete(reply.number);
      }
    },
    end(): void {
      state.isDown = false;
      for (const settle of questions.values()) settle(false);
      questions.clear();
    },
  };
  return state;
}

/** Creates the gateways. The thread starts with the first one. */
export function createScriptGateway({ egress, onThreadEnd }: ScriptGatewayOptions): ScriptGateway {
  const open = new Map<number, Opened>();
  const resolver = createResolverState();
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
        const reply = message as FromGateway;
        if ('problem' in reply) open.get(reply.number)?.settle(reply.problem);
        else resolver.read(reply);
      },
      onEnd: (_, error) => {
        resolver.end();
        onThreadEnd?.(error);
      },
      onRestart: endWaits,
    });
  const askResolver = (gateway: number | null): Promise<boolean> => {
    if (isClosed) return Promise.resolve(false);
    pool ??= start();
    const number = ++lastNumber;
    return pool.post(0, { number, gateway }) ? resolver.ask(number) : Promise.resolve(false);
  };
  return {
    isResolverDown: () => askResolver(null),
    hasResolverFault: () => resolver.isDown,
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
      if (problem === null) return { close, isResolverDown: () => askResolver(number) };
      open.delete(number);
      throw new Error(`its gateway could not be opened: ${problem}`);
    },
    close: async () => {
      isClosed = true;
      resolver.end();
      for (const { settle } of open.values()) settle('the process is stopping');
      await pool?.close();
    },
  };
}
