// Form fields: label above, help and errors below.
import { Search } from 'lucide-react';
import type { ReactNode, Ref } from 'react';
import {
  Button as AriaButton,
  ComboBox,
  FieldError,
  Input,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  SearchField as AriaSearchField,
  Select as AriaSelect,
  SelectValue,
  Text,
  TextField,
  type TextFieldProps,
} from 'react-aria-components';
import { ChevronDown } from 'lucide-react';
import css from './field.module.css';

export function Field({
  label,
  help,
  ...props
}: Omit<TextFieldProps, 'className' | 'style'> & { readonly label: string; readonly help?: ReactNode }) {
  return (
    <TextField {...props} className={css['field'] ?? ''}>
      <Label>{label}</Label>
      <Input className={css['input'] ?? ''} />
      {/* Reserves two lines, so that an error does not move the button below a finger. */}
      <div className={css['messages']}>
        <FieldError className={css['fault'] ?? ''} />
        {help !== undefined && (
          <Text slot="description" className={css['help'] ?? ''}>
            {help}
          </Text>
        )}
      </div>
    </TextField>
  );
}

export function SearchBox({
  label,
  value,
  onChange,
  inputRef,
}: {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly inputRef?: Ref<HTMLInputElement>;
}) {
  return (
    <AriaSearchField aria-label={label} value={value} onChange={onChange} className={css['search'] ?? ''}>
      <Search size={15} aria-hidden />
      <Input {...(inputRef !== undefined && { ref: inputRef })} placeholder={label} className={css['input'] ?? ''} />
    </AriaSearchField>
  );
}

/** One choice of a few. */
export function Choice<Value extends string>({
  label,
  value,
  options,
  onChange,
  isLabelHidden = false,
}: {
  readonly label: string;
  readonly value: Value;
  readonly options: readonly (readonly [value: Value, text: string])[];
  readonly onChange: (value: Value) => void;
  readonly isLabelHidden?: boolean;
}) {
  return (
    <AriaSelect
      value={value}
      onChange={(key) => onChange(key as Value)}
      className={css['select'] ?? ''}
      {...(isLabelHidden && { 'aria-label': label })}
    >
      {!isLabelHidden && <Label className={css['label'] ?? ''}>{label}</Label>}
      <AriaButton className={css['selectButton'] ?? ''}>
        <SelectValue />
        <ChevronDown size={14} aria-hidden />
      </AriaButton>
      <Popover className={css['popover'] ?? ''}>
        <ListBox className={css['list'] ?? ''}>
          {options.map(([id, text]) => (
            <ListBoxItem key={id} id={id} className={css['option'] ?? ''}>
              {text}
            </ListBoxItem>
          ))}
        </ListBox>
      </Popover>
    </AriaSelect>
  );
}

/** One choice of many, found by typing a part of it. */
export function SearchChoice({
  label,
  help,
  value,
  options,
  onChange,
  none,
}: {
  readonly label: string;
  readonly help: ReactNode;
  readonly value: string;
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly onChange: (value: string) => void;
  /** Shown if no option has the typed text. */
  readonly none: string;
}) {
  return (
    <ComboBox
      selectedKey={value}
      onSelectionChange={(key) => key !== null && key !== value && onChange(String(key))}
      defaultItems={options.map(([id, text]) => ({ id, text }))}
      allowsEmptyCollection
      menuTrigger="focus"
      className={css['field'] ?? ''}
    >
      <Label>{label}</Label>
      <div className={css['combined']}>
        <Input className={css['input'] ?? ''} onFocus={({ currentTarget }) => currentTarget.select()} />
        <AriaButton className={css['open'] ?? ''}>
          <ChevronDown size={14} aria-hidden />
        </AriaButton>
      </div>
      <Text slot="description" className={css['help'] ?? ''}>
        {help}
      </Text>
      <Popover className={css['popover'] ?? ''}>
        <ListBox<{ readonly id: string; readonly text: string }>
          className={css['list'] ?? ''}
          renderEmptyState={() => <p className={css['none']}>{none}</p>}
        >
          {({ id, text }) => (
            <ListBoxItem id={id} className={css['option'] ?? ''}>
              {text}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </ComboBox>
  );
}
