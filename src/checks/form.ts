// The interface of a check kind's form. Forms belong to the browser's bundle, so they are pure.
import type { FormField, FormSection, FormValue } from '#lib/schema/form.ts';

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
  /** Whether runs have an interval; false = the target calls. */
  readonly hasInterval: boolean;
  /** Shortest interval, seconds. */
  readonly shortestInterval: number;
}
