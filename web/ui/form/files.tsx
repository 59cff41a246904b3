// The files beside a script: a path and a text each.
import { Plus, X } from 'lucide-react';
import { useState } from 'react';
import { Button, IconButton } from '../controls/button.tsx';
import { CodeInput } from './code.tsx';
import { type Draft, textOf } from './draft.ts';
import { itemsOf, type ListProps, withItem, withoutItem } from './pairs.tsx';
import { TextInput } from './text.tsx';
import css from './form.module.css';

export function FileList({ path, label, value, onChange }: ListProps) {
  const items = itemsOf(value);
  return (
    <fieldset className={css['list']}>
      <legend>{label}</legend>
      {items.map((item, index) => (
        <OneFile
          key={index}
          name={`${path}[${index}]`}
          number={index + 1}
          item={item}
          onChange={(change) => onChange(withItem(items, index, change))}
          onRemove={() => onChange(withoutItem(items, index))}
        />
      ))}
      <Button kind="quiet" onPress={() => onChange([...items, { path: '', content: '' }])}>
        <Plus size={15} aria-hidden /> Add file
      </Button>
    </fieldset>
  );
}

function OneFile({
  name,
  number,
  item,
  onChange,
  onRemove,
}: {
  readonly name: string;
  readonly number: number;
  readonly item: Draft;
  readonly onChange: (change: Draft) => void;
  readonly onRemove: () => void;
}) {
  // The texts of many files are drawn only when they are read.
  const [isOpen, setOpen] = useState(item['content'] === '');
  return (
    <div className={css['file']} role="group" aria-label={`File ${number}`}>
      <div className={css['row']}>
        <TextInput
          name={`${name}.path`}
          label={`Path of file ${number}`}
          placeholder="shop/cart.ts"
          isLabelHidden
          value={textOf(item['path'])}
          onChange={(path) => onChange({ path })}
        />
        <Button kind="quiet" aria-expanded={isOpen} onPress={() => setOpen(!isOpen)}>
          {isOpen ? 'Hide text' : 'Show text'}
        </Button>
        <IconButton label={`Remove file ${number}`} onPress={onRemove}>
          <X size={15} />
        </IconButton>
      </div>
      {isOpen && (
        <CodeInput
          name={`${name}.content`}
          label={`Text of file ${number}`}
          value={textOf(item['content'])}
          onChange={(content) => onChange({ content })}
        />
      )}
    </div>
  );
}
