// A script of a check on its way through a process of its own: what goes in, what comes out (design §3; docs/decisions/0081).

/** A file of a script. */
export interface ScriptFile {
  /** Relative to the folder the script runs in, `/` between its parts, none of them `..`. */
  readonly path: string;
  readonly content: string;
}

/** What a run of a script may use; whichever is passed ends it. */
export interface ScriptLimits {
  readonly wallClockMs: number;
  /** Of all its processes together. */
  readonly memoryBytes: number;
  readonly processes: number;
  /** Of what it prints and reports. */
  readonly outputBytes: number;
  /** Of what it writes below its folder. */
  readonly diskBytes: number;
}

/** A limit that can be passed; each is a reason of its own. */
export type ScriptLimit = 'timeout' | 'memory' | 'processes' | 'output' | 'disk';

/** One run of a script. */
export interface ScriptWork {
  /** The runtime's folder, whose packages it sees, and the Node.js that runs it. */
  readonly runtime: { readonly folder: string; readonly nodeBinary: string };
  /** `spec` = a file of tests for Playwright's runner; `plain` = a program that fails by throwing. */
  readonly sort: 'spec' | 'plain';
  readonly files: readonly ScriptFile[];
  /** Path of the file to run. */
  readonly entry: string;
  /** All that is in its environment, but for what its own folder needs. */
  readonly environment: Readonly<Record<string, string>>;
  readonly limits: ScriptLimits;
}

/** Where something stands in the files of a script: lines and columns from 1. */
export interface ScriptPlace {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** Something that went wrong in a script, as it says itself. */
export interface ScriptError {
  readonly message: string;
  readonly place: ScriptPlace | null;
}

/** A step of a test that ended. */
export interface ScriptStep {
  readonly title: string;
  /** As Playwright names it: `test.step`, `pw:api`, `expect`, `hook` or `test`. */
  readonly category: string;
  /** Milliseconds after the script's start. */
  readonly startMs: number;
  readonly durationMs: number;
  readonly error: string | null;
  readonly place: ScriptPlace | null;
}

/** What it printed, a piece at a time. */
export interface ScriptLine {
  /** Milliseconds after the script's start. */
  readonly atMs: number;
  readonly stream: 'stdout' | 'stderr';
  readonly text: string;
}

/** How a run of a script went. Never rejected: whatever the script does is an outcome. */
export interface ScriptOutcome {
  /** `ended` = by itself; `stopped` = by us, without its fault; `crashed` = it could not be run, or left no report. */
  readonly ending: 'ended' | 'stopped' | 'crashed' | ScriptLimit;
  /** Why it crashed, in a sentence; null otherwise. */
  readonly problem: string | null;
  /** Epoch ms. */
  readonly startedAt: number;
  readonly stoppedAt: number;
  /** Milliseconds that its tests took, the start of their runner left out; null when none ended. */
  readonly testsMs: number | null;
  /** Tests that ran, and those of them that did not end as they should. */
  readonly tests: number;
  readonly failedTests: number;
  readonly errors: readonly ScriptError[];
  readonly steps: readonly ScriptStep[];
  readonly log: readonly ScriptLine[];
}

/** Runs a script once; the signal ends it. */
export type RunScript = (work: ScriptWork, signal: AbortSignal) => Promise<ScriptOutcome>;
