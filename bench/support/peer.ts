// Runs the other side of a measurement (target, receiver, baseline) in its own process on another core.
import { fork } from 'node:child_process';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';

/** A running peer. */
export interface Peer {
  /** Calls a function of the peer by name. Rejects if it fails or the peer has ended. */
  ask<Answer>(question: string, value?: unknown): Promise<Answer>;
  stop(): Promise<void>;
}

interface Message {
  readonly id: number;
  readonly question?: string;
  readonly value?: unknown;
  readonly error?: string;
}

/** Starts `bench/peers/<name>.ts`. */
export function startPeer(name: string): Peer {
  const entry = fileURLToPath(new URL(`../peers/${name}.ts`, import.meta.url));
  const child = fork(entry, [], { execArgv: [], serialization: 'advanced' });
  const waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  let lastId = 0;
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => {
      for (const { reject } of waiting.values()) reject(new Error(`the peer ${name} has ended`));
      waiting.clear();
      resolve();
    });
  });
  child.on('message', (message) => {
    const { id, value, error } = message as Message;
    const asked = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) asked?.resolve(value);
    else asked?.reject(new Error(`${name}: ${error}`));
  });
  return {
    ask: <Answer>(question: string, value?: unknown) =>
      new Promise<Answer>((resolve, reject) => {
        const id = ++lastId;
        waiting.set(id, { resolve: resolve as (value: unknown) => void, reject });
        child.send({ id, question, value } satisfies Message);
      }),
    stop: () => {
      child.kill('SIGKILL');
      return ended;
    },
  };
}

/** In the peer: handles calls by name until the parent exits. */
export function answerQuestions(answers: Readonly<Record<string, (value: never) => unknown>>): void {
  process.on('message', (message) => {
    const { id, question, value } = message as Message;
    void (async () => {
      try {
        const answer = answers[question ?? ''];
        if (answer === undefined) throw new Error(`unknown function ${question}`);
        process.send?.({ id, value: await answer(value as never) });
      } catch (error) {
        process.send?.({ id, error: error instanceof Error ? error.message : String(error) });
      }
    })();
  });
  process.on('disconnect', () => process.exit(0));
}

/** In the peer: serves on a free port of this machine, and returns the URL. */
export function listenLocally(server: Server): Promise<string> {
  return new Promise((resolve) => {
    server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () =>
      resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    );
  });
}
