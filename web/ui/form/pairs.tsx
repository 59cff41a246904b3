// Lists of names and values, and credentials.
import { Plus, X } from 'lucide-react';
import type { FormValue } from '#lib/schema/form.ts';
import { Button, IconButton } from '../controls/button.tsx';
import { type Draft, textOf, withValue } from './draft.ts';
import { TemplateInput } from './template.tsx';
import { Flag, TextInput } from './text.tsx';
import css from './form.module.css';

export interface ListProps {
  readonly path: string;
  readonly label: string;
  readonly value: FormValue | undefined;
  readonly onChange: (value: FormValue) => void;
}

/** The items of a list in a draft. */
export function itemsOf(value: FormValue | undefined): readonly Draft[] {
  return Array.isArray(value) ? (value as readonly Draft[]) : [];
}

/** The list without the item at an index. */
export function withoutItem(items: readonly Draft[], index: number): readonly Draft[] {
  return items.filter((_, at) => at !== index);
}

/** The list with a changed item. */
export function withItem(items: readonly Draft[], index: number, change: Draft): readonly Draft[] {
  return items.map((item, at) => (at === index ? { ...item, ...change } : item));
}

export function PairList({
  path,
  label,
  noun,
  isTemplate = false,
  value,
  onChange,
}: ListProps & { readonly noun: string; readonly isTemplate?: boolean }) {
  const items = itemsOf(value);
  const Value = isTemplate ? TemplateInput : TextInput;
  return (
    <fieldset className={css['list']}>
      <legend>{label}</legend>
      {items.map((item, index) => (
        <div key={index} className={css['row']}>
          <TextInput
            name={`${path}[${index}].key`}
            label={`Name of ${noun} ${index + 1}`}
            placeholder="Name"
            isLabelHidden
            value={textOf(item['key'])}
            onChange={(key) => onChange(withItem(items, index, { key }))}
          />
          <Value
            name={`${path}[${index}].value`}
            label={`Value of ${noun} ${index + 1}`}
            placeholder="Value"
            isLabelHidden
            value={textOf(item['value'])}
            onChange={(text) => onChange(withItem(items, index, { value: text }))}
          />
          <Flag
            label="Hide"
            value={item['locked'] === true}
            onChange={(locked) => onChange(withItem(items, index, { locked }))}
          />
          <IconButton label={`Remove ${noun} ${index + 1}`} onPress={() => onChange(withoutItem(items, index))}>
            <X size={15} />
          </IconButton>
        </div>
      ))}
      <Button kind="quiet" onPress={() => onChange([...items, { key: '', value: '', locked: false }])}>
        <Plus size={15} aria-hidden /> Add {noun}
      </Button>
    </fieldset>
  );
}

export function Credentials({ path, label, value, onChange }: ListProps) {
  const given: Draft = typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Draft) : {};
  const change = (name: string, text: string): void => {
    const next = withValue({ username: '', password: '', ...given }, name, text);
    onChange(next['username'] === '' && next['password'] === '' ? null : next);
  };
  return (
    <fieldset className={css['list']}>
      <legend>{label}</legend>
      <div className={css['row']}>
        <TextInput
          name={`${path}.username`}
          label="User name"
          placeholder="User name"
          isLabelHidden
          value={textOf(given['username'])}
          onChange={(text) => change('username', text)}
        />
        <TextInput
          name={`${path}.password`}
          label="Password"
          placeholder="Password"
          isLabelHidden
          type="password"
          value={textOf(given['password'])}
          onChange={(text) => change('password', text)}
        />
      </div>
    </fieldset>
  );
}

/** Environment variables. A secret's value is never shown again; left empty, it stays. */
export function VariableList({ path, label, value, onChange }: ListProps) {
  const items = itemsOf(value);
  return (
    <fieldset className={css['list']}>
      <legend>{label}</legend>
      {items.map((item, index) => {
        const isSecret = item['secret'] === true;
        return (
          <div key={index} className={css['row']}>
            <TextInput
              name={`${path}[${index}].key`}
              label={`Name of variable ${index + 1}`}
              placeholder="NAME"
              isLabelHidden
              value={textOf(item['key'])}
              onChange={(key) => onChange(withItem(items, index, { key }))}
            />
            <TextInput
              name={`${path}[${index}].value`}
              label={`Value of variable ${index + 1}`}
              placeholder={isSecret && item['value'] === null ? 'Unchanged' : 'Value'}
              isLabelHidden
              type={isSecret ? 'password' : 'text'}
              value={textOf(item['value'])}
              onChange={(text) => onChange(withItem(items, index, { value: text }))}
            />
            <Flag label="Secret" value={isSecret} onChange={(secret) => onChange(withItem(items, index, { secret }))} />
            <IconButton label={`Remove variable ${index + 1}`} onPress={() => onChange(withoutItem(items, index))}>
              <X size={15} />
            </IconButton>
          </div>
        );
      })}
      <Button kind="quiet" onPress={() => onChange([...items, { key: '', value: '', locked: false, secret: false }])}>
        <Plus size={15} aria-hidden /> Add variable
      </Button>
    </fieldset>
  );
}
