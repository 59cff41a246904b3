// Fields of a form for code and templates: an editor, or a plain field until it has loaded.
import { ChevronDown } from 'lucide-react';
import { createContext, use, useCallback, useEffect, useEffectEvent, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import type { CodeName, CodeSnippet } from '#lib/schema/form.ts';
import { useRead } from '../../api/query.ts';
import { Button } from '../controls/button.tsx';
import { ActionMenu } from '../controls/menu.tsx';
import type { CodeEditor, EditorOptions, Mark } from './code-editor.ts';
import { TextInput, useFault } from './text.tsx';
import css from './form.module.css';

/** Problems that a run or a preview found in scripts and templates, by the path of the field. */
export const MarksContext = createContext<Readonly<Record<string, readonly Mark[]>>>({});

const noMarks: readonly Mark[] = [];

interface CodeInputProps {
  /** Path in the body, by which an error finds its field. */
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly help?: string;
  readonly placeholder?: string;
  readonly snippets?: readonly CodeSnippet[];
}

type Create = (host: HTMLElement, options: EditorOptions) => CodeEditor;

const noNames: readonly CodeName[] = [];

/** A script. @param names what the editor completes beside the variables of the account; always the same list */
export function CodeInput({ names = noNames, ...props }: CodeInputProps & { readonly names?: readonly CodeName[] }) {
  const { data } = useRead('listVariables', { query: { limit: 100 } });
  const variables = useRef<readonly CodeName[]>([]);
  useEffect(() => {
    variables.current = (data ?? []).map(({ key }) => ({ path: `process.env.${key}`, about: 'Variable' }));
  }, [data]);
  const load = useCallback(async () => {
    const { createScriptEditor } = await import('./script-editor.ts');
    return createScriptEditor(() => [...names, ...variables.current]);
  }, [names]);
  return <EditorInput {...props} size="code" load={load} />;
}

/** @param load loads the editor; always the same function @param size of the plain field and the editor */
export function EditorInput({
  snippets = [],
  load,
  size,
  isLabelHidden = false,
  ...props
}: CodeInputProps & {
  readonly load: () => Promise<Create>;
  readonly size: 'line' | 'text' | 'code';
  readonly isLabelHidden?: boolean;
}) {
  const { name, label, value, onChange, help, placeholder = '' } = props;
  const { fault, answer } = useFault(name);
  const marks = use(MarksContext)[name] ?? noMarks;
  const { editor, host, field } = useEditor(load, {
    label,
    text: value,
    example: placeholder,
    onChange: (text) => {
      answer();
      onChange(text);
    },
  });
  useEffect(() => editor?.show(value), [editor, value]);
  useEffect(() => editor?.mark([...placeOf(fault), ...marks], size === 'code'), [editor, fault, marks, size]);
  // A template shows its errors as they are typed; those of a script are beside the result of its trial.
  const shown = fault ?? (size === 'code' ? undefined : marks.find(({ isWarning }) => !isWarning)?.message);
  const plain = { ...props, isLabelHidden, ...(size !== 'line' && { lines: size }) };
  return (
    <div className={css['field']} ref={field}>
      {editor === null && <TextInput {...plain} />}
      {editor !== null && !isLabelHidden && <Head label={label} snippets={snippets} editor={editor} />}
      <div
        ref={host}
        className={css['code']}
        data-size={size}
        hidden={editor === null}
        data-invalid={fault !== undefined}
      />
      {editor !== null && (
        <>
          {help !== undefined && <span className={css['help']}>{help}</span>}
          {size === 'code' && (
            <span className={css['help']}>Tab indents after you type. Press Escape, then Tab to leave.</span>
          )}
          {shown !== undefined && <span className={css['fault']}>{shown}</span>}
        </>
      )}
    </div>
  );
}

/** The editor in place of the plain field, once it has loaded. */
function useEditor(load: () => Promise<Create>, { onChange, ...options }: Omit<EditorOptions, 'cursor'>) {
  const host = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLDivElement>(null);
  const [editor, setEditor] = useState<CodeEditor | null>(null);
  const changed = useEffectEvent(onChange);
  const create = useEffectEvent((createEditor: Create): CodeEditor | null => {
    if (host.current === null) return null;
    const focused = field.current?.contains(document.activeElement) === true ? document.activeElement : null;
    const cursor = (focused as Partial<HTMLInputElement> | null)?.selectionStart ?? options.text.length;
    const created = createEditor(host.current, { ...options, cursor, onChange: changed });
    // At once, so that nothing that is typed meanwhile is lost.
    flushSync(() => setEditor(created));
    if (focused !== null) created.focus();
    return created;
  });
  useEffect(() => {
    let isGone = false;
    let created: CodeEditor | null = null;
    // Without the editor, the plain field stays.
    load().then(
      (createEditor) => {
        if (!isGone) created = create(createEditor);
      },
      () => undefined,
    );
    return () => {
      isGone = true;
      created?.destroy();
    };
  }, [load]);
  return { editor, host, field };
}

function Head({
  label,
  snippets,
  editor,
}: {
  readonly label: string;
  readonly snippets: readonly CodeSnippet[];
  readonly editor: CodeEditor;
}) {
  return (
    <span className={css['codeHead']}>
      <span className={css['label']}>{label}</span>
      {snippets.length > 0 && (
        <ActionMenu
          label={`Examples of ${label}`}
          trigger={
            <Button kind="quiet">
              Examples <ChevronDown size={14} aria-hidden />
            </Button>
          }
          actions={snippets.map(({ label: title, code, isWhole = false }) => ({
            id: title,
            label: title,
            run: () => editor.insert(code, isWhole),
          }))}
        />
      )}
    </span>
  );
}

/** The position that a message of the server ends with. */
function placeOf(fault: string | undefined): readonly Mark[] {
  const [, line, column] = /\(line (\d+), column (\d+)\)$/.exec(fault ?? '') ?? [];
  return line === undefined ? [] : [{ line: Number(line), column: Number(column), message: fault ?? '' }];
}
