// What a tool of the Model Context Protocol is.
import { z } from 'zod';
import type { Caller, Permission } from '#domain/accounts/api-key.ts';
import { faultsRefused, parsed } from '../input.ts';
import type { CallOperation } from './inner-calls.ts';

/** What a tool works with. */
export interface ToolContext {
  readonly caller: Caller;
  /** Runs an operation of the API as the caller. */
  readonly call: CallOperation;
  /** Address of a page of the web UI. */
  readonly pageUrl: (path: `/${string}`) => string;
  /** Waits for results: polls until `isSo` returns true (returns true), or time (ms) runs out (returns false). */
  readonly waitUntil: (isSo: () => Promise<boolean>, maxMs: number) => Promise<boolean>;
}

/** The answer of a tool: a sentence without text from outside, and the data. */
export interface ToolAnswer {
  readonly lead: string;
  readonly data: unknown;
  /** Most characters of the data; absent = the default. */
  readonly maxCharacters?: number;
}

/** Some members of a record. */
export function picked<Whole extends object, Name extends keyof Whole>(
  whole: Whole,
  names: readonly Name[],
): Pick<Whole, Name> {
  return Object.fromEntries(names.map((name) => [name, whole[name]])) as Pick<Whole, Name>;
}

/** A tool, with the type of its input erased. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Callers without it neither see nor call the tool. */
  readonly permission: Extract<Permission, 'read' | 'run' | 'write'>;
  readonly inputSchema: Readonly<Record<string, unknown>> & { readonly type: 'object' };
  /** Refuses (400) an invalid input. */
  readonly run: (context: ToolContext, input: unknown) => Promise<ToolAnswer>;
}

/** Joins the schema of a tool's input with its function. */
export function tool<Input>(
  facts: Pick<Tool, 'name' | 'title' | 'description' | 'permission'>,
  input: z.ZodType<Input>,
  run: (context: ToolContext, input: Input) => Promise<ToolAnswer>,
): Tool {
  const { $schema: _, ...inputSchema } = z.toJSONSchema(input, { io: 'input' });
  return {
    ...facts,
    inputSchema: inputSchema as Tool['inputSchema'],
    run(context, given) {
      const faults = {};
      const read = parsed(input, given ?? {}, faults);
      if (read === undefined) throw faultsRefused(faults);
      return run(context, read);
    },
  };
}
