// The editor of templates: highlights what is in braces and completes it.
import { acceptCompletion, autocompletion, type Completion, type CompletionSource } from '@codemirror/autocomplete';
import { EditorState, type Extension } from '@codemirror/state';
import { Decoration, EditorView, keymap, MatchDecorator, ViewPlugin, type ViewUpdate } from '@codemirror/view';
import { type CodeEditor, createCodeEditor, type EditorOptions } from './code-editor.ts';
import { placeAt, type TemplatePlace } from './template-place.ts';
import type { TemplateNames } from './template.tsx';

/** @param names what can be used, as known at the time @param hasLines whether the text may have several lines */
export function createTemplateEditor(names: () => TemplateNames, hasLines: boolean) {
  return (host: HTMLElement, options: EditorOptions): CodeEditor =>
    createCodeEditor(host, options, [
      autocompletion({ override: [completionsOf(names)], icons: false, interactionDelay: 0 }),
      keymap.of([{ key: 'Tab', run: acceptCompletion }]),
      braces,
      look,
      EditorView.lineWrapping,
      cursorInSight,
      ...(hasLines ? [] : [oneLine(host)]),
    ]);
}

/** Completes while a name is typed in braces, and anywhere on request. */
function completionsOf(names: () => TemplateNames): CompletionSource {
  return ({ state, pos, explicit }) => {
    const place = placeAt(state.doc.toString(), pos);
    if (place === null || (place.what === 'text' && !explicit)) return null;
    const options = optionsAt(place, names());
    return options.length === 0 ? null : { from: place.from, options, validFor: /^[\w$#/]*$/ };
  };
}

/** The completions that fit at a place. */
function optionsAt(place: TemplatePlace, { variables, helpers }: TemplateNames): readonly Completion[] {
  const { what, close, block, call } = place;
  const named = variables.map(({ name, about, example }): Completion => {
    const insert = what === 'text' ? `{{${name}}}` : `${name}${endOf(place, helpers)}`;
    return { label: name, detail: example ?? '', info: about ?? 'Your own variable', apply: insert };
  });
  const inline = helpers
    .filter(({ use }) => use !== 'block')
    .map(({ name, about, example, least }): Completion => {
      const insert = least === 0 && what === 'head' ? `${name}${close}` : `${name} `;
      return { label: name, detail: about, info: example, apply: insert, boost: -1 };
    });
  const blocks = (mark: '' | '#') =>
    helpers.map(({ name, about, example }): Completion => {
      const end = `${close}{{/${name}}}`;
      const insert = `${mark}${name} `;
      const apply = close === '' ? insert : around(insert, end);
      return { label: `${mark}${name}`, detail: about, info: example, apply, boost: -2 };
    });
  const end = (mark: '' | '/'): Completion[] =>
    block === null ? [] : [{ label: `${mark}${block}`, detail: 'ends the block', apply: `${mark}${block}${close}` }];
  switch (what) {
    case 'head': {
      const others: Completion[] = block === null ? [] : [{ label: 'else', apply: `else${close}`, boost: -1 }];
      const only = blocks('#').filter(({ label }) => isBlock(label.slice(1), helpers));
      return [...named, ...inline, ...only, ...others, ...end('/')];
    }
    case 'block':
      return blocks('');
    case 'end':
      return end('');
    case 'call':
      return inline;
    case 'argument':
      return call === null ? [] : named;
    case 'text':
    default:
      return named;
  }
}

/** Whether a helper is offered as a block before a # is typed. */
function isBlock(name: string, helpers: TemplateNames['helpers']): boolean {
  return helpers.some((each) => each.name === name && each.use !== 'value');
}

/** What follows a variable: the braces, unless its helper needs more arguments. */
function endOf({ what, close, call }: TemplatePlace, helpers: TemplateNames['helpers']): string {
  if (what !== 'argument' || call === null) return close;
  const least = helpers.find(({ name }) => name === call.name)?.least ?? 1;
  return call.index + 1 < least ? ' ' : close;
}

/** Inserts a text with another one behind the cursor. */
function around(before: string, after: string): NonNullable<Completion['apply']> {
  return (view, _completion, from, to) =>
    view.dispatch({
      changes: { from, to, insert: `${before}${after}` },
      selection: { anchor: from + before.length },
      userEvent: 'input.complete',
    });
}

const matcher = new MatchDecorator({
  regexp: /\{\{\{?[^{}]*\}?\}\}/g,
  decoration: Decoration.mark({ class: 'cm-braces' }),
});
const braces = ViewPlugin.define(
  (view) => ({
    marks: matcher.createDeco(view),
    update(update: ViewUpdate) {
      this.marks = matcher.updateDeco(update, this.marks);
    },
  }),
  { decorations: ({ marks }) => marks },
);

/** Height of what covers the bottom of the page, with room for completions, px. */
const covered = 200;

/** Scrolls the page so that nothing at its bottom covers the cursor. */
const cursorInSight = EditorView.updateListener.of(({ view, docChanged, selectionSet }) => {
  if (!view.hasFocus || !(docChanged || selectionSet)) return;
  view.requestMeasure({
    read: ({ state }) => view.coordsAtPos(state.selection.main.head),
    write: (at) => {
      const hidden = (at?.bottom ?? 0) + covered - window.innerHeight;
      if (hidden > 0) window.scrollBy(0, hidden);
    },
  });
});

const look = EditorView.theme({
  '&': { maxHeight: '45dvh' },
  '.cm-braces': { color: 'var(--accent)' },
});

/** A text without line breaks: Enter submits the form, as in other fields. */
function oneLine(host: HTMLElement): Extension {
  return [
    EditorState.transactionFilter.of((change) => {
      if (change.newDoc.lines === 1) return change;
      const insert = change.newDoc.toString().replaceAll(/\s*\n\s*/g, '');
      return [{ changes: { from: 0, to: change.startState.doc.length, insert }, selection: { anchor: insert.length } }];
    }),
    keymap.of([
      {
        key: 'Enter',
        run: () => {
          host.closest('form')?.requestSubmit();
          return true;
        },
      },
    ]),
    EditorView.contentAttributes.of({ 'aria-multiline': 'false' }),
    EditorView.theme({ '.cm-scroller': { minHeight: '0' }, '.cm-content': { padding: '6px 0' } }),
  ];
}
