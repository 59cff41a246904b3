// Fields of a form for templates of alerts: an editor that completes variables and helpers.
import { useCallback, useEffect, useRef } from 'react';
import type { AnswerOf } from '#contract/operations.ts';
import { useRead } from '../../api/query.ts';
import { EditorInput } from './code.tsx';

/** What templates can use. */
export type TemplateNames = AnswerOf<'getTemplateNames'>;

const none: TemplateNames = { variables: [], helpers: [] };

interface TemplateInputProps {
  /** Path in the body, by which an error finds its field. */
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly help?: string;
  readonly placeholder?: string | undefined;
  readonly isLabelHidden?: boolean;
  readonly hasLines?: boolean;
}

export function TemplateInput({ hasLines = false, placeholder = '', ...props }: TemplateInputProps) {
  const { data = none } = useRead('getTemplateNames');
  const names = useRef(data);
  useEffect(() => {
    names.current = data;
  }, [data]);
  const load = useCallback(async () => {
    const { createTemplateEditor } = await import('./template-editor.ts');
    return createTemplateEditor(() => names.current, hasLines);
  }, [hasLines]);
  return <EditorInput {...props} placeholder={placeholder} load={load} size={hasLines ? 'text' : 'line'} />;
}
