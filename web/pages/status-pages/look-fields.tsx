// Fields of a status page: its images, colours, links and footer.
import { Plus, X } from 'lucide-react';
import { useState } from 'react';
import { FileTrigger } from 'react-aria-components';
import { contrastOf, largestImage, leastContrast, pageBackgrounds } from '#domain/status-pages/status-page.ts';
import type { FieldsOfDraft } from '../../ui/check-settings/section.ts';
import { Button, IconButton } from '../../ui/controls/button.tsx';
import { Choice } from '../../ui/controls/field.tsx';
import { textOf } from '../../ui/form/draft.ts';
import { itemsOf, withItem, withoutItem } from '../../ui/form/pairs.tsx';
import { Flag, TextInput, useFault } from '../../ui/form/text.tsx';
import { text } from './strings.ts';
import parts from '../../ui/form/form.module.css';
import css from './status-pages.module.css';

export function LookFields(fields: FieldsOfDraft) {
  const { draft, onChange } = fields;
  return (
    <div className={css['pair']}>
      <ImageField {...fields} path="logo" label={text.logo} />
      <ImageField {...fields} path="favicon" label={text.favicon} />
      <TextInput
        name="redirectTo"
        label={text.redirectTo}
        placeholder={text.redirectExample}
        value={textOf(draft['redirectTo'])}
        onChange={(value) => onChange('redirectTo', value)}
      />
      <Choice
        label={text.theme}
        value={textOf(draft['defaultTheme'])}
        options={text.themes}
        onChange={(value) => onChange('defaultTheme', value)}
      />
      <ColorField {...fields} path="light" label={text.light} />
      <ColorField {...fields} path="dark" label={text.dark} />
    </div>
  );
}

function ImageField({
  draft,
  onChange,
  path,
  label,
}: FieldsOfDraft & { readonly path: 'logo' | 'favicon'; readonly label: string }) {
  const [isTooLarge, setTooLarge] = useState(false);
  const { fault, answer } = useFault(path);
  const url = textOf(draft[path]);
  const read = (file: File | undefined): void => {
    setTooLarge(file !== undefined && file.size > largestImage);
    if (file === undefined || file.size > largestImage) return;
    const reader = new FileReader();
    reader.addEventListener('load', () => {
      answer();
      if (typeof reader.result === 'string') onChange(path, reader.result);
    });
    reader.readAsDataURL(file);
  };
  return (
    <div className={css['image']} role="group" aria-label={label}>
      <span className={parts['label']}>{label}</span>
      {url !== '' && <img src={url} alt={label} />}
      <span className={css['buttons']}>
        <FileTrigger
          acceptedFileTypes={['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/x-icon']}
          onSelect={(files) => read(files?.[0])}
        >
          <Button aria-label={text.chooseFile(label)}>{text.choose}</Button>
        </FileTrigger>
        {url !== '' && (
          <IconButton label={text.removeFile(label)} onPress={() => onChange(path, null)}>
            <X size={15} />
          </IconButton>
        )}
      </span>
      <span className={parts['help']}>{text.imageHelp}</span>
      {(isTooLarge || fault !== undefined) && (
        <span className={parts['fault']} role="alert">
          {isTooLarge ? text.tooLarge : fault}
        </span>
      )}
    </div>
  );
}

/** Accents of a page without colours of its own. */
const plainAccents = { light: '#0a58ca', dark: '#8ab4f8' } as const;

function ColorField({
  draft,
  onChange,
  path,
  label,
}: FieldsOfDraft & { readonly path: 'light' | 'dark'; readonly label: string }) {
  const color = textOf(draft[path]);
  const isColor = /^#[0-9a-f]{6}$/i.test(color);
  const write = (value: string): void => onChange(path, value);
  return (
    <div className={css['color']}>
      <TextInput
        name={`themeColors.${path}`}
        label={label}
        placeholder={text.colorExample}
        help={isColor ? <Contrast color={color} background={pageBackgrounds[path]} /> : text.colorHelp}
        value={color}
        onChange={write}
      />
      <input
        type="color"
        aria-label={text.pick(label)}
        value={isColor ? color.toLowerCase() : plainAccents[path]}
        onChange={({ currentTarget }) => write(currentTarget.value)}
      />
    </div>
  );
}

function Contrast({ color, background }: { readonly color: string; readonly background: string }) {
  // Rounded down, so that 4.46 does not look like enough.
  const ratio = Math.floor(contrastOf(color, background) * 10) / 10;
  return ratio >= leastContrast ? text.contrast(ratio) : <span className={css['low']}>{text.lowContrast(ratio)}</span>;
}

const mostLinks = 8;

export function FooterFields({ draft, onChange }: FieldsOfDraft) {
  const links = itemsOf(draft['links']);
  return (
    <>
      <fieldset className={parts['list']}>
        <legend>{text.links}</legend>
        <div className={css['links']}>
          {links.map((link, index) => (
            <div key={index} className={parts['row']}>
              <TextInput
                name={`links[${index}].label`}
                label={text.linkLabel(index + 1)}
                isLabelHidden
                placeholder={text.linkLabelExample}
                value={textOf(link['label'])}
                onChange={(label) => onChange('links', withItem(links, index, { label }))}
              />
              <TextInput
                name={`links[${index}].url`}
                label={text.linkUrl(index + 1)}
                isLabelHidden
                placeholder={text.linkUrlExample}
                value={textOf(link['url'])}
                onChange={(url) => onChange('links', withItem(links, index, { url }))}
              />
              <IconButton
                label={text.removeLink(index + 1)}
                onPress={() => onChange('links', withoutItem(links, index))}
              >
                <X size={15} />
              </IconButton>
            </div>
          ))}
        </div>
        {links.length < mostLinks && (
          <Button kind="quiet" onPress={() => onChange('links', [...links, { label: '', url: '' }])}>
            <Plus size={15} aria-hidden /> {text.addLink}
          </Button>
        )}
      </fieldset>
      <TextInput
        name="footerText"
        label={text.footerText}
        value={textOf(draft['footerText'])}
        onChange={(value) => onChange('footerText', value)}
      />
      <Flag
        label={text.showResponseTimes}
        value={draft['showResponseTimes'] === true}
        onChange={(value) => onChange('showResponseTimes', value)}
      />
    </>
  );
}
