// Draws the fields that a form describes as data.
import type { FormField, FormValue } from '#lib/schema/form.ts';
import { Choice } from '../controls/field.tsx';
import { AssertionList } from './assertions.tsx';
import { CodeInput } from './code.tsx';
import { FileList } from './files.tsx';
import { Credentials, PairList } from './pairs.tsx';
import { type Draft, textOf, valueAt } from './draft.ts';
import { SnippetChoice } from './snippet-choice.tsx';
import { TemplateInput } from './template.tsx';
import { Flag, TextInput } from './text.tsx';
import css from './form.module.css';

interface FieldsProps {
  readonly fields: readonly FormField[];
  readonly draft: Draft;
  readonly onChange: (path: string, value: FormValue) => void;
}

export function FormFields({ fields, draft, onChange }: FieldsProps) {
  return (
    <div className={css['fields']}>
      {fields.map((field) => (
        <div key={field.path} className={css['cell']} data-input={field.input}>
          <OneField
            field={field}
            value={valueAt(draft, field.path)}
            onChange={(value) => onChange(field.path, value)}
          />
        </div>
      ))}
    </div>
  );
}

interface OneProps<Field> {
  readonly field: Field;
  readonly value: FormValue | undefined;
  readonly onChange: (value: FormValue) => void;
}

function OneField({ field, value, onChange }: OneProps<FormField>) {
  const { path, label, help } = field;
  const common = { name: path, label, ...(help !== undefined && { help }) };
  const textField = (empty: null | '' = '') => ({
    ...common,
    value: textOf(value),
    onChange: (text: string) => onChange(text === '' ? empty : text),
  });
  switch (field.input) {
    case 'text':
      if (field.isTemplate) return <TemplateInput {...textField(field.empty)} placeholder={field.placeholder} />;
      return (
        <TextInput
          {...textField(field.empty)}
          isRequired={field.isRequired ?? false}
          {...(field.placeholder !== undefined && { placeholder: field.placeholder })}
        />
      );
    case 'code':
      return (
        <CodeInput
          {...common}
          value={textOf(value)}
          onChange={onChange}
          placeholder={field.placeholder}
          {...(field.names !== undefined && { names: field.names })}
          {...(field.snippets !== undefined && { snippets: field.snippets })}
        />
      );
    case 'files':
      return <FileList path={path} label={label} value={value} onChange={onChange} />;
    case 'area':
      if (field.isTemplate) {
        return <TemplateInput {...textField(field.empty)} placeholder={field.placeholder} hasLines />;
      }
      return (
        <TextInput
          {...textField(field.empty)}
          lines="text"
          {...(field.placeholder !== undefined && { placeholder: field.placeholder })}
        />
      );
    case 'number':
      return (
        <TextInput
          {...common}
          isNumber
          value={textOf(value)}
          onChange={(text) => onChange(numberOf(text))}
          isRequired={field.byDefault === undefined}
          {...(field.byDefault !== undefined && { placeholder: String(field.byDefault) })}
          {...(field.unit !== undefined && { unit: field.unit })}
        />
      );
    case 'flag':
      return (
        <Flag
          label={label}
          help={help}
          value={typeof value === 'boolean' ? value : field.byDefault}
          onChange={onChange}
        />
      );
    case 'choice':
      return (
        <div className={css['field']}>
          <Choice
            label={label}
            value={typeof value === 'string' ? value : (field.options[0]?.[0] ?? '')}
            options={field.options}
            onChange={(chosen) => onChange(chosen === '' ? null : chosen)}
          />
          {help !== undefined && <span className={css['help']}>{help}</span>}
        </div>
      );
    case 'pairs':
      return <PairList {...field} value={value} onChange={onChange} />;
    case 'credentials':
      return <Credentials path={path} label={label} value={value} onChange={onChange} />;
    case 'snippet':
      return <SnippetChoice label={label} help={field.help} value={value} onChange={onChange} />;
    case 'assertions':
    default:
      return <AssertionList path={path} label={label} sources={field.sources} value={value} onChange={onChange} />;
  }
}

/** What is no number stays as it is, so that the server says what would be right. */
function numberOf(text: string): FormValue {
  if (text.trim() === '') return null;
  const number = Number(text);
  return Number.isNaN(number) ? text : number;
}

/** What the fields hold, defaults included, in a line: `GET · Follow redirects`. */
export function summaryOf(fields: readonly FormField[], draft: Draft): string {
  const all = fields.flatMap((field) => held(field, valueAt(draft, field.path)));
  return (all.length > 8 ? [...all.slice(0, 4), '…'] : all).join(' · ');
}

function held(field: FormField, value: FormValue | undefined): string[] {
  const count = Array.isArray(value) ? value.length : 0;
  switch (field.input) {
    case 'choice':
      return [field.options.find(([option]) => option === value)?.[1] ?? field.options[0]?.[1] ?? ''];
    case 'flag':
      return (typeof value === 'boolean' ? value : field.byDefault) ? [field.label] : [];
    case 'number': {
      const shown = textOf(value) || textOf(field.byDefault);
      return [`${field.label} ${shown}${field.unit === undefined ? '' : ` ${field.unit}`}`];
    }
    case 'pairs':
      return count === 0 ? [] : [count === 1 ? `1 ${field.noun}` : `${count} ${field.noun}s`];
    case 'files':
      return count === 0 ? [] : [count === 1 ? '1 file' : `${count} files`];
    case 'assertions':
      return [count === 0 ? 'None' : count === 1 ? '1 assertion' : `${count} assertions`];
    case 'text':
    case 'area':
    case 'code':
    case 'credentials':
    case 'snippet':
    default:
      return textOf(value) === '' ? [] : [field.label];
  }
}
