// The editor of scripts: TypeScript with highlighting and line numbers.
import { acceptCompletion, autocompletion, type Completion, type CompletionSource } from '@codemirror/autocomplete';
import { indentWithTab } from '@codemirror/commands';
import { javascript } from '@codemirror/lang-javascript';
import {
  bracketMatching,
  defaultHighlightStyle,
  HighlightStyle,
  indentOnInput,
  syntaxHighlighting,
} from '@codemirror/language';
import { lintGutter } from '@codemirror/lint';
import { keymap, lineNumbers } from '@codemirror/view';
import type { CodeName } from '#lib/schema/form.ts';
import { type CodeEditor, createCodeEditor, type EditorOptions } from './code-editor.ts';

/** Our tokens, light and dark, for the colours of CodeMirror's own style. */
const tokens: Readonly<Record<string, string>> = {
  '#708': 'var(--accent)',
  '#219': 'var(--degraded)',
  '#164': 'var(--degraded)',
  '#a11': 'var(--passing)',
  '#e40': 'var(--passing)',
  '#085': 'var(--maintenance)',
  '#167': 'var(--maintenance)',
  '#940': 'var(--text-2)',
  '#f00': 'var(--failing)',
};
const colours = HighlightStyle.define(
  defaultHighlightStyle.specs.map(({ color, ...spec }) => ({ ...spec, color: tokens[String(color)] ?? 'inherit' })),
);

/** @param names what is completed, as known at the time */
export function createScriptEditor(names: () => readonly CodeName[]) {
  return (host: HTMLElement, options: EditorOptions): CodeEditor =>
    createCodeEditor(host, options, [
      autocompletion({ override: [completionsOf(names)], icons: false, interactionDelay: 0 }),
      keymap.of([{ key: 'Tab', run: acceptCompletion }]),
      lineNumbers(),
      lintGutter(),
      indentOnInput(),
      bracketMatching(),
      javascript({ typescript: true }),
      syntaxHighlighting(colours),
      keymap.of([indentWithTab]),
    ]);
}

/** Completes after a dot while a name is typed, and anywhere on request. */
function completionsOf(names: () => readonly CodeName[]): CompletionSource {
  return (context) => {
    const typed = context.matchBefore(/[\w$.]*/);
    if (typed === null) return null;
    const dot = typed.text.lastIndexOf('.') + 1;
    if (dot === 0 && !context.explicit) return null;
    const prefix = typed.text.slice(0, dot);
    const found = names().filter(({ path }) => path.startsWith(prefix));
    const options = found.map(({ path, about }): Completion => {
      const [label = '', ...rest] = path.slice(prefix.length).split('.');
      return rest.length === 0 ? { label, detail: about } : { label };
    });
    // Several names begin with the same word.
    const distinct = [...new Map(options.map((option) => [option.label, option])).values()];
    return distinct.length === 0 ? null : { from: typed.from + dot, options: distinct, validFor: /^[\w$]*$/ };
  };
}
