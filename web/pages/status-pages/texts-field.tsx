// Texts of a status page that replace those of its language.
import { X } from 'lucide-react';
import { english, type TextKey } from '#domain/status-pages/page-texts.ts';
import { german } from '#publish/texts/german.ts';
import type { FieldsOfDraft } from '../../ui/check-settings/section.ts';
import { IconButton } from '../../ui/controls/button.tsx';
import { SearchChoice } from '../../ui/controls/field.tsx';
import { textOf } from '../../ui/form/draft.ts';
import { TextInput } from '../../ui/form/text.tsx';
import { text } from './strings.ts';
import parts from '../../ui/form/form.module.css';
import css from './status-pages.module.css';

const defaults: Readonly<Record<string, Readonly<Record<TextKey, string>>>> = { en: english, de: german };
const keys = Object.keys(english) as TextKey[];

export function TextsField({ draft, onChange }: FieldsOfDraft) {
  const own = (draft['texts'] ?? {}) as Readonly<Record<string, string>>;
  const given = defaults[textOf(draft['language'])] ?? english;
  const used = keys.filter((key) => Object.hasOwn(own, key));
  const write = (texts: Readonly<Record<string, string>>): void => onChange('texts', texts);
  return (
    <div className={css['form']}>
      <ul className={css['texts']} aria-label={text.texts}>
        {used.map((key) => (
          <li key={key} className={css['line']}>
            <OwnText
              name={`texts.${key}`}
              given={given[key]}
              value={own[key] ?? ''}
              onChange={(value) => write({ ...own, [key]: value })}
            />
            <IconButton
              label={text.removeText(given[key])}
              onPress={() => write(Object.fromEntries(Object.entries(own).filter(([each]) => each !== key)))}
            >
              <X size={15} />
            </IconButton>
          </li>
        ))}
      </ul>
      <SearchChoice
        key={used.join()}
        label={text.replaceText}
        help={text.replaceTextHelp}
        value=""
        none={text.noText}
        options={keys.filter((key) => !used.includes(key)).map((key) => [key, given[key]] as const)}
        onChange={(key) => write({ ...own, [key]: given[key as TextKey] })}
      />
    </div>
  );
}

function OwnText({
  name,
  given,
  value,
  onChange,
}: {
  readonly name: string;
  readonly given: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  const known = wordsOf(given);
  const unknown = wordsOf(value).filter((word) => !known.includes(word));
  return (
    <div>
      <TextInput
        name={name}
        label={given}
        help={known.length > 0 ? text.filledIn(known.join(', ')) : undefined}
        value={value}
        onChange={onChange}
      />
      {unknown.length > 0 && (
        <span className={parts['fault']} role="alert">
          {text.unknownWords(unknown.join(', '))}
        </span>
      )}
    </div>
  );
}

/** Words in braces, which are filled in. */
function wordsOf(value: string): readonly string[] {
  return [...new Set(value.match(/\{[^{}]*\}/g) ?? [])];
}
