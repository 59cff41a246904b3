// The code editor of scripts and templates: CodeMirror, loaded when a form first shows one.
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { setDiagnostics } from '@codemirror/lint';
import { EditorState, type Extension } from '@codemirror/state';
import { drawSelection, EditorView, keymap, placeholder } from '@codemirror/view';

/** A problem at a position of a text; line and column start at 1. */
export interface Mark {
  readonly line: number;
  readonly column: number;
  readonly message: string;
  readonly isWarning?: boolean;
}

export interface CodeEditor {
  readonly focus: () => void;
  /** Shows a text that was not typed here. */
  readonly show: (text: string) => void;
  /** @param isFound whether the page scrolls to the first, unless the text is being edited */
  readonly mark: (marks: readonly Mark[], isFound: boolean) => void;
  /** Replaces the selection, or everything; can be undone. */
  readonly insert: (text: string, isWhole: boolean) => void;
  readonly destroy: () => void;
}

export interface EditorOptions {
  readonly label: string;
  readonly text: string;
  readonly example: string;
  /** Where the cursor is. */
  readonly cursor: number;
  readonly onChange: (text: string) => void;
}

const look = EditorView.theme({
  '&': {
    color: 'var(--text)',
    backgroundColor: 'var(--surface)',
    borderRadius: '5px',
    maxHeight: '60dvh',
    fontSize: 'inherit',
  },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-1px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.5', minHeight: '120px' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': {
    color: 'var(--text-2)',
    backgroundColor: 'var(--sunken)',
    borderRight: '1px solid var(--line)',
    borderRadius: '5px 0 0 5px',
  },
  '.cm-placeholder': { color: 'var(--text-2)' },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--accent-soft)' },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
    backgroundColor: 'var(--accent-soft)',
  },
  '.cm-tooltip': { color: 'var(--text)', backgroundColor: 'var(--surface)', border: '1px solid var(--line-strong)' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'inherit', maxWidth: 'min(520px, 92vw)', minWidth: '0' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '4px 8px', overflow: 'hidden', textOverflow: 'ellipsis' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { color: 'var(--text)', background: 'var(--accent-soft)' },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '700' },
  '.cm-completionDetail': { marginLeft: '12px', color: 'var(--text-2)', fontStyle: 'normal' },
  // On a narrow screen it would cover the list.
  '.cm-tooltip.cm-completionInfo-right-narrow, .cm-tooltip.cm-completionInfo-left-narrow': { display: 'none' },
  '.cm-tooltip.cm-completionInfo': { padding: '6px 8px', maxWidth: 'min(320px, 80vw)' },
  '.cm-diagnostic': { maxWidth: '480px', whiteSpace: 'pre-wrap' },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--failing)' },
  '.cm-diagnostic-warning': { borderLeftColor: 'var(--degraded)' },
  '.cm-lintRange': { backgroundImage: 'none', textUnderlineOffset: '3px' },
  '.cm-lintRange-error': { textDecoration: 'underline wavy var(--failing)' },
  '.cm-lintRange-warning': { textDecoration: 'underline wavy var(--degraded)' },
});

/** Creates the editor in an element. Its styles are in a shadow root, because the page allows no style elements. */
export function createCodeEditor(
  host: HTMLElement,
  { label, text, example, cursor, onChange }: EditorOptions,
  extensions: Extension,
): CodeEditor {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  let isShowing = false;
  const view = new EditorView({
    root,
    state: EditorState.create({
      doc: text,
      selection: { anchor: Math.min(cursor, text.length) },
      extensions: [
        extensions,
        history(),
        drawSelection(),
        placeholder(example),
        look,
        keymap.of([...defaultKeymap, ...historyKeymap]),
        EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
        EditorView.domEventHandlers({ blur: (_, blurred) => blurred.setTabFocusMode(true), beforeinput: typeOver }),
        EditorView.updateListener.of(({ docChanged, state }) => {
          if (!docChanged || isShowing) return;
          // Tab passes through an editor in which nothing was typed; Escape lets it leave.
          view.setTabFocusMode(false);
          onChange(state.doc.toString());
        }),
      ],
    }),
  });
  root.append(view.dom);
  view.setTabFocusMode(true);
  const replace = (from: number, to: number, insert: string): void =>
    view.dispatch({ changes: { from, to, insert }, selection: { anchor: from + insert.length }, scrollIntoView: true });
  return {
    focus: () => view.focus(),
    show(next) {
      if (next === view.state.doc.toString()) return;
      isShowing = true;
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next } });
      isShowing = false;
    },
    mark(marks, isFound) {
      const { doc } = view.state;
      const diagnostics = marks.map(({ line, column, message, isWarning = false }) => {
        const found = doc.line(Math.min(Math.max(line, 1), doc.lines));
        const from = Math.min(found.from + Math.max(column - 1, 0), found.to);
        const word = /^(?:\{\{[^}]*\}*|[\w$.]+)/.exec(doc.sliceString(from, found.to))?.[0] ?? ' ';
        const to = Math.min(from + word.length, found.to);
        return { from, to, severity: isWarning ? ('warning' as const) : ('error' as const), message };
      });
      const [first] = diagnostics;
      const isSeen = first === undefined || !isFound || view.hasFocus;
      const effects = isSeen ? [] : [EditorView.scrollIntoView(first.from, { y: 'center' })];
      view.dispatch(setDiagnostics(view.state, diagnostics), { effects });
    },
    insert(code, isWhole) {
      const { from, to } = isWhole ? { from: 0, to: view.state.doc.length } : view.state.selection.main;
      replace(from, to, code);
      view.focus();
    },
    destroy: () => view.destroy(),
  };
}

/** Replaces the selection here: Chromium would give the new text inline styles, which the page does not allow. */
function typeOver(event: InputEvent, view: EditorView): boolean {
  if (event.inputType !== 'insertText' || event.data === null || view.state.selection.main.empty) return false;
  event.preventDefault();
  view.dispatch(view.state.replaceSelection(event.data), { userEvent: 'input.type', scrollIntoView: true });
  return true;
}
