// The editor of scripts: TypeScript with highlighting and line numbers.
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

export function createScriptEditor(host: HTMLElement, options: EditorOptions): CodeEditor {
  return createCodeEditor(host, options, [
    lineNumbers(),
    lintGutter(),
    indentOnInput(),
    bracketMatching(),
    javascript({ typescript: true }),
    syntaxHighlighting(colours),
    keymap.of([indentWithTab]),
  ]);
}
