// The interface of a check kind's form. Forms belong to the browser's bundle, so they are pure.
import type { CodeName, FormField, FormSection, FormValue } from '#lib/schema/form.ts';

/** A new check that a line of text describes. */
export interface LineCheck {
  readonly name: string;
  /** The body without its name. */
  readonly body: { readonly [name: string]: FormValue };
  /** What was left out, in a few words each. */
  readonly notes?: readonly string[];
}

/** The form of a check kind. */
export interface CheckForm {
  /** The `checkType`. */
  readonly type: string;
  readonly label: string;
  /** What such a check monitors, in one line for the choice of a type. */
  readonly about: string;
  /** Whether it is among the first in the choice of a type. */
  readonly isCommon?: true;
  /** The body of a new check without its name. */
  readonly start: { readonly [name: string]: FormValue };
  /** What the first screen asks for besides name and interval. */
  readonly target: readonly FormField[];
  readonly sections: readonly FormSection[];
  /** What a group gives its checks of this kind, in the body of the group; absent = nothing. */
  readonly ofGroups?: readonly FormSection[];
  /** Whether runs have an interval; false = the target calls. */
  readonly hasInterval: boolean;
  /** Shortest interval, seconds. */
  readonly shortestInterval: number;
  /** Reads what people write or paste for such a target, such as `tcp://db.example:5432`; null = it is none. */
  readonly fromLine?: (line: string) => LineCheck | null;
  /** An example of such a line. */
  readonly lineExample?: string;
}

/** What scripts before a request can use. */
export const setupNames: readonly CodeName[] = [
  { path: 'request.method', about: 'such as GET' },
  { path: 'request.url', about: 'with its query parameters' },
  { path: 'request.headers', about: 'an object' },
  { path: 'request.queryParameters', about: 'an object' },
  { path: 'request.body', about: 'a text; an object becomes JSON' },
  { path: 'console.log', about: 'writes to the output' },
];

/** What scripts after a response can use. */
export const teardownNames: readonly CodeName[] = [
  ...setupNames,
  { path: 'response.status', about: 'such as 200' },
  { path: 'response.statusText', about: 'such as OK' },
  { path: 'response.headers', about: 'an object; lower-case names' },
  { path: 'response.body', about: 'a text' },
  { path: 'response.timings', about: 'times of its phases' },
  { path: 'response.timingPhases', about: 'durations of its phases' },
];
