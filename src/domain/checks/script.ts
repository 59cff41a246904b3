// Input and output of a script run in its own process (design §3; docs/decisions/0081).
import type { ScriptRequest, ScriptResponse } from './probe.ts';
import type { JsonObject } from '../json.ts';

import type { Asset, AssetSort } from '../results/asset.ts';

/** A file of a script. */
export interface ScriptFile {
  /** Relative to the script's folder, separated by `/`, without `..`. */
  readonly path: string;
  readonly content: string;
}

/** A stored file of a script, such as a snapshot. */
export interface ScriptSnapshot {
  /** As in `ScriptFile`. */
  readonly path: string;
  /** Key of the content among the files of the account. */
  readonly key: string;
}

/** The snapshots of a scripted check; others have none. */
export function snapshotsOf({ snapshots }: JsonObject): readonly ScriptSnapshot[] {
  return Array.isArray(snapshots) ? snapshots : [];
}

/** Resource limits of a script run; exceeding one ends it. */
export interface ScriptLimits {
  readonly wallClockMs: number;
  /** Of all its processes together. */
  readonly memoryBytes: number;
  readonly processes: number;
  /** Of its output and report. */
  readonly outputBytes: number;
  /** Of files in its folder. */
  readonly diskBytes: number;
}

/** A limit that can be exceeded; each is an error class. */
export type ScriptLimit = 'deadline' | 'memory' | 'processes' | 'output' | 'disk';

/** A Chromium for scripts. */
export interface ScriptBrowser {
  /** Folder with everything it needs; readable by scripts. */
  readonly folder: string;
  /** Path of the executable in that folder. */
  readonly program: string;
  /** Path of libraries that this system lacks, in that folder; null = none are needed. */
  readonly libraries: string | null;
}

/** What a setup or teardown script sees; `times` are those of the response, in ms. */
export interface ScriptSees {
  readonly request: ScriptRequest;
  /** Values to redact: variables by name; headers and query parameters by lower-case name. */
  readonly hides: { readonly variables: readonly string[]; readonly fields: readonly string[] };
  readonly response: (ScriptResponse & { readonly times: JsonObject }) | null;
}

/** For which runs artifacts are stored. */
export type KeepWhen = 'off' | 'on-failure' | 'always';

/** Which artifacts of a run are stored. */
export interface ScriptKeeps {
  /** `off` = not even those that the script takes itself, which are otherwise stored. */
  readonly screenshots: KeepWhen;
  readonly trace: KeepWhen;
  readonly video: KeepWhen;
}

/** For scripts without artifacts. */
export const keepsNothing: ScriptKeeps = { screenshots: 'off', trace: 'off', video: 'off' };

/** One run of a script. */
export interface ScriptWork {
  /** Folder of the runtime, whose packages it can import, and the Node.js that runs it. */
  readonly runtime: { readonly folder: string; readonly nodeBinary: string };
  /**
   * `spec` = tests for Playwright's runner; `plain` = a program that fails by throwing; `hook` = a program that can
   * also read and change the request and response of its check.
   */
  readonly sort: 'spec' | 'plain' | 'hook';
  readonly files: readonly ScriptFile[];
  /** Snapshots to compare with; absent = none. */
  readonly snapshots?: readonly { readonly path: string; readonly content: Uint8Array }[];
  /** Path of the file to run. */
  readonly entry: string;
  /** The browser it may start; null = none. */
  readonly browser: ScriptBrowser | null;
  /** For `hook`: `request` and, in teardown scripts, `response`. */
  readonly hook?: ScriptSees;
  /** Artifacts to store: of its browser, and of requests if it is a file of tests. */
  readonly keeps: ScriptKeeps;
  /** Its environment variables, in addition to those that its folder needs. */
  readonly environment: Readonly<Record<string, string>>;
  /** Redacts a text. */
  readonly hide: (text: string) => string;
  /**
   * For `hook`: called for each value assigned to a secret variable, as soon as it is assigned, and at the end for
   * those put into credentials. null = too long to be passed. `hide` must redact it from then on; earlier output is
   * redacted at the end.
   */
  readonly onSecret?: (value: string | null) => void;
  /** Receives what it reports while it runs, at most once a second and one piece after the other. */
  readonly onProgress?: (progress: ScriptProgress) => Promise<void>;
  /** Texts that `hide` redacts, for the thread that redacts traces. */
  readonly hidden: readonly string[];
  readonly limits: ScriptLimits;
}

/** Position in the files of a script: lines and columns start at 1. */
export interface ScriptPlace {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** An error reported by a script. */
export interface ScriptError {
  readonly message: string;
  readonly place: ScriptPlace | null;
}

/** A finished step of a test. */
export interface ScriptStep {
  readonly title: string;
  /**
   * Playwright's category: `test.step`, `pw:api`, `expect`, `hook` or `test`; `request` = a request of a plain program.
   */
  readonly category: string;
  /** Milliseconds since the script started. */
  readonly startMs: number;
  readonly durationMs: number;
  readonly error: string | null;
  readonly place: ScriptPlace | null;
}

/** A piece of its output. */
export interface ScriptLine {
  /** Milliseconds since the script started. */
  readonly atMs: number;
  readonly stream: 'stdout' | 'stderr';
  readonly text: string;
}

/** A console message or uncaught error of a page. */
export interface PageLine {
  readonly atMs: number;
  readonly sort: 'console' | 'error';
  readonly level: string;
  readonly text: string;
  readonly url: string;
}

/** Load times of pages with the same URL: TTFB, FCP and LCP in ms, CLS without a unit. */
interface PageVitals {
  readonly url: string;
  readonly vitals: Readonly<Record<string, number>>;
}

/** An artifact that was not stored. */
export interface LeftOutAsset {
  readonly sort: AssetSort;
  /** null = unknown. */
  readonly bytes: number | null;
  /** Too large, too many, too large in total, or not a valid file of its type. */
  readonly why: 'size' | 'count' | 'total' | 'content';
}

/** Result of a script run. Never rejected: whatever the script does is an outcome. */
export interface ScriptOutcome {
  /** `ended` = on its own; `stopped` = by us, not its fault; `crashed` = could not be run, or left no report. */
  readonly ending: 'ended' | 'stopped' | 'crashed' | ScriptLimit;
  /** Why it crashed, in a sentence; null otherwise. */
  readonly problem: string | null;
  /** Epoch ms. */
  readonly startedAt: number;
  readonly stoppedAt: number;
  /** Duration of its tests without the start of their runner, ms; null if none ended. */
  readonly testsMs: number | null;
  /** Number of tests that ran, and of those that did not end as expected. */
  readonly tests: number;
  readonly failedTests: number;
  readonly errors: readonly ScriptError[];
  readonly steps: readonly ScriptStep[];
  /**
   * The step that had been running for half a second at the last report: where a limit ended the script. null = none.
   */
  readonly openStep: ScriptError | null;
  /** Titles of tests that failed but passed in a retry of the script itself; the first few. */
  readonly flaky: readonly string[];
  readonly log: readonly ScriptLine[];
  /** Console and load times of its browser, if it has one. */
  readonly pageLines: readonly PageLine[];
  readonly pageVitals: readonly PageVitals[];
  /**
   * For `hook`: request, response and environment as the script left them; untrusted and of any shape. null = no
   * report.
   */
  readonly left: JsonObject | null;
  readonly assets: readonly Asset[];
  readonly leftOut: readonly LeftOutAsset[];
  /** The longest time that one of its processes was ready to run, but waited for a processor, ms; absent = unknown. */
  readonly waitedMs?: number;
  /** It failed while no name server of this machine answered; absent = no. */
  readonly isResolverDown?: boolean;
}

/** What a running script has reported since the previous piece. */
export interface ScriptProgress extends Pick<ScriptOutcome, 'startedAt' | 'steps' | 'openStep' | 'log' | 'pageLines'> {
  /** Screenshots that the script has taken itself. */
  readonly screenshots: readonly Asset[];
  /** Whether more was reported than is passed on while it runs. */
  readonly isCut: boolean;
}

/** Runs a script once; the signal stops it. */
export type RunScript = (work: ScriptWork, signal: AbortSignal) => Promise<ScriptOutcome>;

/** A syntax error and its position. */
export interface ScriptFault {
  readonly message: string;
  /** Path of the file that is at fault; absent = the script itself. */
  readonly file?: string;
  /** From 1; absent = unknown. */
  readonly line?: number;
  readonly column?: number;
}

/** Result of parsing a script: null = valid; `no room` = no parser was available in time. */
export type ScriptReading = ScriptFault | 'no room' | null;

/** For a multi-step check. */
export const programLimits: ScriptLimits = {
  wallClockMs: 120_000,
  memoryBytes: 512 << 20,
  processes: 64,
  outputBytes: 4 << 20,
  diskBytes: 256 << 20,
};

/** For a setup or teardown script (docs/decisions/0086). */
export const hookLimits: ScriptLimits = { ...programLimits, wallClockMs: 10_000 };

/** For a browser check. */
export const browserLimits: ScriptLimits = {
  wallClockMs: 240_000,
  memoryBytes: 2 * 1024 ** 3,
  processes: 128,
  outputBytes: 8 << 20,
  diskBytes: 512 << 20,
};
