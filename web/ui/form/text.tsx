// Fields of a form for texts, numbers, code and yes or no.
import { Check } from 'lucide-react';
import { createContext, type ReactNode, use, useState } from 'react';
import { Checkbox, FieldError, Input, Label, Text, TextArea, TextField } from 'react-aria-components';
import css from './form.module.css';

/** What is wrong, by the path of the field. */
export type Faults = Readonly<Record<string, string>>;

/** Faults of the last attempt. Each is shown until its field changes, not until it loses focus: a button must not move. */
export const FaultsContext = createContext<Faults>({});

/** What is wrong with a field, and what its change calls. @param name path in the body */
export function useFault(name: string): { readonly fault: string | undefined; readonly answer: () => void } {
  const faults = use(FaultsContext);
  const [answered, setAnswered] = useState<Faults | null>(null);
  return { fault: answered === faults ? undefined : faults[name], answer: () => setAnswered(faults) };
}

interface TextProps {
  /** Path in the body, by which an error finds its field. */
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly help?: ReactNode;
  readonly placeholder?: string;
  readonly isRequired?: boolean;
  readonly isLabelHidden?: boolean;
  readonly unit?: string;
  readonly type?: 'text' | 'password' | 'date' | 'datetime-local';
  readonly isNumber?: boolean;
  /** Several lines; `code` in a fixed-width font. */
  readonly lines?: 'text' | 'code';
}

export function TextInput({
  label,
  help,
  placeholder = '',
  isLabelHidden = false,
  unit,
  lines,
  isNumber = false,
  isRequired = false,
  onChange,
  ...props
}: TextProps) {
  const { fault, answer } = useFault(props.name);
  return (
    <TextField
      {...props}
      onChange={(value) => {
        answer();
        onChange(value);
      }}
      isRequired={isRequired}
      isInvalid={fault !== undefined}
      validationBehavior="aria"
      className={css['field'] ?? ''}
      {...(isLabelHidden && { 'aria-label': label })}
    >
      {!isLabelHidden && <Label>{label}</Label>}
      {lines === undefined ? (
        <span className={css['withUnit']}>
          <Input
            className={css['input'] ?? ''}
            placeholder={placeholder}
            autoComplete="off"
            {...(isNumber && { inputMode: 'decimal' as const, 'data-number': '' })}
          />
          {unit !== undefined && <span className={css['unit']}>{unit}</span>}
        </span>
      ) : (
        <TextArea
          className={css['area'] ?? ''}
          data-lines={lines}
          rows={lines === 'code' ? 14 : 4}
          placeholder={placeholder}
          spellCheck={false}
        />
      )}
      {help !== undefined && (
        <Text slot="description" className={css['help'] ?? ''}>
          {help}
        </Text>
      )}
      <FieldError className={css['fault'] ?? ''}>{fault}</FieldError>
    </TextField>
  );
}

export function Flag({
  label,
  help,
  value,
  onChange,
}: {
  readonly label: ReactNode;
  readonly help?: string | undefined;
  readonly value: boolean;
  readonly onChange: (value: boolean) => void;
}) {
  return (
    <div className={css['field']}>
      <Checkbox isSelected={value} onChange={onChange} className={css['flag'] ?? ''}>
        <span className={css['box']}>{value && <Check size={13} aria-hidden />}</span>
        {label}
      </Checkbox>
      {help !== undefined && <span className={css['help']}>{help}</span>}
    </div>
  );
}
