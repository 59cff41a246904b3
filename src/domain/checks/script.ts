// A script of a check on its way through a process of its own: what goes in, what comes out (design §3; docs/decisions/0081).
import type { ScriptRequest, ScriptResponse } from './exchange.ts';
import type { JsonObject } from '../json.ts';

import type { Asset, AssetSort } from '../results/asset.ts';

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
export type ScriptLimit = 'deadline' | 'memory' | 'processes' | 'output' | 'disk';

/** A Chromium for scripts. */
export interface ScriptBrowser {
  /** Everything it needs of its own lies below; scripts can read it. */
  readonly folder: string;
  /** The program, by its path in that folder. */
  readonly program: string;
  /** Libraries that this system lacks, by their path in that folder; null = it has them. */
  readonly libraries: string | null;
}

/** What a script around a request sees; `times` are the answer's, in ms. */
export interface ScriptSees {
  readonly request: ScriptRequest;
  /** Where it may put what must not be shown: variables by name; headers and query parameters in small letters. */
  readonly hides: { readonly variables: readonly string[]; readonly fields: readonly string[] };
  readonly response: (ScriptResponse & { readonly times: JsonObject }) | null;
}

/** Of which runs something is kept. */
export type KeptOf = 'off' | 'on-failure' | 'always';

/** What a run leaves. */
export interface ScriptKeeps {
  /** `off`: not even those that the script itself takes, which are kept otherwise. */
  readonly screenshots: KeptOf;
  readonly trace: KeptOf;
  readonly video: KeptOf;
}

/** Of scripts that have nothing to show. */
export const keepsNothing: ScriptKeeps = { screenshots: 'off', trace: 'off', video: 'off' };

/** One run of a script. */
export interface ScriptWork {
  /** The runtime's folder, whose packages it sees, and the Node.js that runs it. */
  readonly runtime: { readonly folder: string; readonly nodeBinary: string };
  /**
   * `spec` = a file of tests for Playwright's runner; `plain` = a program that fails by throwing; `around` = the same, and
   * it sees the request of its check, and the answer, and may change them.
   */
  readonly sort: 'spec' | 'plain' | 'around';
  readonly files: readonly ScriptFile[];
  /** Path of the file to run. */
  readonly entry: string;
  /** The browser it may start; null = none. */
  readonly browser: ScriptBrowser | null;
  /** Of the sort `around`: what it sees as `request` and, once there is an answer, as `response`. */
  readonly around?: ScriptSees;
  /** What is kept of its browser, and of its requests where it is a file of tests. */
  readonly keeps: ScriptKeeps;
  /** All that is in its environment, but for what its own folder needs. */
  readonly environment: Readonly<Record<string, string>>;
  /** Takes out of a text what must not be shown. */
  readonly hide: (text: string) => string;
  /**
   * Of the sort `around`: told of each value that it gives a variable of `hides`, as soon as it does, and at its end of those
   * that it has put into credentials. null = one that is too long to be told. `hide` is to hide it from then on; what it has
   * printed is hidden at its end.
   */
  readonly onSecret?: (value: string | null) => void;
  /** Texts that `hide` takes out, for the thread that masks traces. */
  readonly hidden: readonly string[];
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
  /** As Playwright names it: `test.step`, `pw:api`, `expect`, `hook` or `test`; `request` = one that a plain program makes. */
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

/** What a page wrote to its console, or what went wrong in it. */
export interface PageLine {
  readonly atMs: number;
  readonly sort: 'console' | 'error';
  readonly level: string;
  readonly text: string;
  readonly url: string;
}

/** How the pages of one address loaded: TTFB, FCP and LCP in ms, CLS without a unit. */
export interface PageVitals {
  readonly url: string;
  readonly vitals: Readonly<Record<string, number>>;
}

/** A file that a run left and that is not kept. */
export interface LeftOutAsset {
  readonly sort: AssetSort;
  /** null = not known. */
  readonly bytes: number | null;
  /** It is too large, there are too many, all together are too large, or it is no file of that sort. */
  readonly why: 'size' | 'count' | 'total' | 'content';
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
  /** What was open for half a second when it was last told of: where a limit ended it, that is where it was. null = nothing. */
  readonly openStep: ScriptError | null;
  /** Titles of tests that failed and, tried again as the script itself says, passed; the first few. */
  readonly flaky: readonly string[];
  readonly log: readonly ScriptLine[];
  /** Of its browser, if it has one. */
  readonly pageLines: readonly PageLine[];
  readonly pageVitals: readonly PageVitals[];
  /**
   * Of the sort `around`: what it has left of what it saw, and of its environment, as it says itself: foreign, and of any
   * shape. null = it left no word.
   */
  readonly left: JsonObject | null;
  readonly assets: readonly Asset[];
  readonly leftOut: readonly LeftOutAsset[];
}

/** Runs a script once; the signal ends it. */
export type RunScript = (work: ScriptWork, signal: AbortSignal) => Promise<ScriptOutcome>;

/** Where a text is no script, and why. */
export interface ScriptFault {
  readonly message: string;
  /** From 1; absent = not known. */
  readonly line?: number;
  readonly column?: number;
}

/** What reading a text comes to: null = it is a script; `no room` = there was nothing to read it with in time. */
export type ScriptReading = ScriptFault | 'no room' | null;
