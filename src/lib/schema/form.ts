// Forms as data: which fields a person fills in. The web UI draws them; checks and channels describe theirs.

/** Any value of a body. */
export type FormValue =
  | string
  | number
  | boolean
  | null
  | readonly FormValue[]
  | { readonly [name: string]: FormValue };

interface Common {
  /** Path in the body, with dots: `request.url`. */
  readonly path: string;
  readonly label: string;
  /** What to know, in one sentence. */
  readonly help?: string;
}

/** A field of a form. Values that equal the default are shown as placeholders and not sent. */
export type FormField =
  | (Common & {
      readonly input: 'text';
      readonly placeholder?: string;
      readonly isRequired?: true;
      /** What an empty field means. Default: ''. */
      readonly empty?: null | '';
      /** Whether variables and helpers of alerts can be used. */
      readonly isTemplate?: true;
    })
  | (Common & {
      readonly input: 'area';
      readonly placeholder?: string;
      readonly empty?: null | '';
      readonly isTemplate?: true;
    })
  | (Common & {
      readonly input: 'code';
      readonly language: 'typescript';
      readonly placeholder: string;
      readonly isRequired?: true;
      readonly snippets?: readonly CodeSnippet[];
      /** What the editor completes beside the variables of the account. */
      readonly names?: readonly CodeName[];
    })
  /** Texts with a path each: `path` and `content`. */
  | (Common & { readonly input: 'files' })
  | (Common & {
      readonly input: 'number';
      /** Used if the field is empty; absent = it is required. */
      readonly byDefault?: number;
      readonly unit?: string;
    })
  | (Common & { readonly input: 'flag'; readonly byDefault: boolean })
  | (Common & {
      readonly input: 'choice';
      /** The first is the default. `null` is written as ''. */
      readonly options: readonly (readonly [value: string, text: string])[];
    })
  /** Names and values, such as headers; locked values are masked. `isTemplate` is about the values. */
  | (Common & { readonly input: 'pairs'; readonly noun: string; readonly isTemplate?: true })
  | (Common & { readonly input: 'credentials' })
  /** The ID of a snippet of the account; null = none. */
  | (Common & { readonly input: 'snippet'; readonly help: string })
  | (Common & { readonly input: 'assertions'; readonly sources: readonly AssertionSourceForm[] });

/** Code that a person inserts into a script. */
export interface CodeSnippet {
  readonly label: string;
  readonly code: string;
  /** Whether it replaces the whole script. */
  readonly isWhole?: true;
}

/** A name that code can use. */
export interface CodeName {
  /** With dots: `request.headers`. */
  readonly path: string;
  readonly about: string;
}

/** A source of assertions in a form. */
export interface AssertionSourceForm {
  readonly source: string;
  readonly label: string;
  /** What selects one of its values; absent = it has one. */
  readonly property?: {
    readonly label: string;
    readonly placeholder: string;
    /** The only ones; absent = any text. */
    readonly options?: readonly string[];
  };
  /** Whether a regular expression can extract a part of the value before the comparison. */
  readonly hasRegex?: true;
  readonly comparisons: readonly string[];
  /** The comparison and target of a new assertion. */
  readonly first: readonly [comparison: string, target: string];
}

/** A part of a form that folds open. */
export interface FormSection {
  readonly title: string;
  readonly fields: readonly FormField[];
}
