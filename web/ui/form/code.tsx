// Fields of a form for code: an editor, or a plain field until it has loaded.
import { ChevronDown } from 'lucide-react';
import { createContext, use, useEffect, useEffectEvent, useRef, useState } from 'react';
import type { CodeSnippet } from '#lib/schema/form.ts';
import { Button } from '../controls/button.tsx';
import { ActionMenu } from '../controls/menu.tsx';
import type { CodeEditor, createCodeEditor as CreateEditor, Mark } from './code-editor.ts';
import { TextInput, useFault } from './text.tsx';
import css from './form.module.css';

/** Problems that a run found in scripts, by the path of the field. */
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

export function CodeInput({ snippets = [], ...props }: CodeInputProps) {
  const { name, label, value, onChange, help, placeholder = '' } = props;
  const { fault, answer } = useFault(name);
  const marks = use(MarksContext)[name] ?? noMarks;
  const host = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLDivElement>(null);
  const [editor, setEditor] = useState<CodeEditor | null>(null);
  const changed = useEffectEvent((text: string) => {
    answer();
    onChange(text);
  });
  const create = useEffectEvent((createCodeEditor: typeof CreateEditor): CodeEditor | null => {
    if (host.current === null) return null;
    const hadFocus = field.current?.contains(document.activeElement) === true;
    const created = createCodeEditor(host.current, { label, text: value, example: placeholder, onChange: changed });
    setEditor(created);
    if (hadFocus) requestAnimationFrame(created.focus);
    return created;
  });
  useEffect(() => {
    let isGone = false;
    let created: CodeEditor | null = null;
    // Without the editor, the plain field stays.
    import('./code-editor.ts').then(
      ({ createCodeEditor }) => {
        if (!isGone) created = create(createCodeEditor);
      },
      () => undefined,
    );
    return () => {
      isGone = true;
      created?.destroy();
    };
  }, []);
  useEffect(() => editor?.show(value), [editor, value]);
  useEffect(() => editor?.mark([...placeOf(fault), ...marks]), [editor, fault, marks]);
  return (
    <div className={css['field']} ref={field}>
      {editor === null && <TextInput {...props} lines="code" />}
      {editor !== null && (
        <span className={css['codeHead']}>
          <span className={css['label']}>{label}</span>
          {snippets.length > 0 && (
            <ActionMenu
              label={`Snippets of ${label}`}
              trigger={
                <Button kind="quiet">
                  Snippets <ChevronDown size={14} aria-hidden />
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
      )}
      <div ref={host} className={css['code']} hidden={editor === null} data-invalid={fault !== undefined} />
      {editor !== null && (
        <>
          {help !== undefined && <span className={css['help']}>{help}</span>}
          <span className={css['help']}>Tab indents after you type. Press Escape, then Tab to leave.</span>
          {fault !== undefined && <span className={css['fault']}>{fault}</span>}
        </>
      )}
    </div>
  );
}

/** The position that a message of the server ends with. */
function placeOf(fault: string | undefined): readonly Mark[] {
  const [, line, column] = /\(line (\d+), column (\d+)\)$/.exec(fault ?? '') ?? [];
  return line === undefined ? [] : [{ line: Number(line), column: Number(column), message: fault ?? '' }];
}
