// The interface of a channel kind's form. Forms belong to the browser's bundle, so they are pure.
import type { FormField, FormSection, FormValue } from '#lib/schema/form.ts';

/** The form of a channel kind. Paths are those of the body: `config.url`. */
export interface ChannelForm {
  /** The channel's `type`. */
  readonly type: string;
  /** What it sends to whom, in one line for the choice of a type. */
  readonly about: string;
  /** Whether it is among the first in the choice of a type. */
  readonly isCommon?: true;
  /** The configuration of a new channel. */
  readonly start: { readonly [name: string]: FormValue };
  /** What previews use for what is not entered yet. */
  readonly example: { readonly [name: string]: FormValue };
  /** What the first screen asks for. */
  readonly target: readonly FormField[];
  readonly sections: readonly FormSection[];
  /** Whether `grouping` is on by default. */
  readonly isGrouped?: boolean;
  /** Whether it starts from presets. */
  readonly isTemplate?: true;
  /** Names of its fields for the secret that signs, and the end of the previous one; absent = it signs nothing. */
  readonly rotation?: { readonly secret: string; readonly previousUntil: string };
}
