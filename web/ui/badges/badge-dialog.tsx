// The badge of a check or group: a preview, how it looks, and code that embeds it.
import { useState } from 'react';
import type { InputOf } from '#contract/operations.ts';
import { useRead } from '../../api/query.ts';
import { Button } from '../controls/button.tsx';
import { Code } from '../controls/copy.tsx';
import { Panel } from '../controls/dialog.tsx';
import { Choice } from '../controls/field.tsx';
import { Flag } from '../form/text.tsx';
import { LoadError, Skeleton } from '../layout/feedback.tsx';
import { text } from './strings.ts';
import css from './badges.module.css';

interface BadgeProps {
  readonly name: string;
  readonly onClose: () => void;
}

export function CheckBadge({ checkId, ...props }: BadgeProps & { readonly checkId: string }) {
  return <BadgePanel {...props} link={useRead('getCheckBadgeLink', { params: { checkId } })} />;
}

export function GroupBadge({ groupId, ...props }: BadgeProps & { readonly groupId: number }) {
  return <BadgePanel {...props} link={useRead('getGroupBadgeLink', { params: { groupId } })} />;
}

type Link = ReturnType<typeof useRead<'getCheckBadgeLink'>>;

function BadgePanel({ name, link, onClose }: BadgeProps & { readonly link: Link }) {
  return (
    <Panel title={text.title(name)} isOpen onClose={onClose}>
      <p className="quiet">{text.help}</p>
      {link.data !== undefined ? (
        <Badge name={name} url={link.data.url} />
      ) : link.error ? (
        <LoadError error={link.error} onRetry={() => void link.refetch()} />
      ) : (
        <Skeleton lines={6} />
      )}
      <div className={css['actions']}>
        <Button onPress={onClose}>{text.close}</Button>
      </div>
    </Panel>
  );
}

type Look = Pick<InputOf<'getCheckBadge'>['query'], 'style' | 'theme' | 'responseTime'>;

const usual: Look = { style: 'flat', theme: 'default', responseTime: false };

function Badge({ name, url }: { readonly name: string; readonly url: string }) {
  const [look, setLook] = useState(usual);
  const address = addressOf(url, look);
  // From this server, also if its public address is another one.
  const { pathname, search } = new URL(address);
  return (
    <>
      <div className={css['preview']} data-theme={look.theme}>
        <img src={pathname + search} alt={`${text.preview}: ${name}`} />
      </div>
      <div className={css['choices']}>
        <Choice
          label={text.style}
          value={look.style}
          options={optionsOf(text.styles)}
          onChange={(style) => setLook({ ...look, style })}
        />
        <Choice
          label={text.theme}
          value={look.theme}
          options={optionsOf(text.themes)}
          onChange={(theme) => setLook({ ...look, theme })}
        />
      </div>
      <Flag
        label={text.responseTime}
        value={look.responseTime}
        onChange={(responseTime) => setLook({ ...look, responseTime })}
      />
      <BadgeSnippets name={name} address={address} />
    </>
  );
}

/** Code that shows an image, to copy. */
export function BadgeSnippets({ name, address }: { readonly name: string; readonly address: string }) {
  return <Snippets snippets={snippetsOf(name, address)} />;
}

/** Titled pieces of code to copy. */
export function Snippets({ snippets }: { readonly snippets: readonly (readonly [title: string, code: string])[] }) {
  return snippets.map(([title, code]) => (
    <div key={title}>
      <p className={css['label']}>{title}</p>
      <Code label={title} text={code} />
    </div>
  ));
}

function optionsOf<Value extends string>(
  texts: Readonly<Record<Value, string>>,
): readonly (readonly [Value, string])[] {
  return Object.entries(texts) as [Value, string][];
}

/** The address of a badge that looks like that. */
function addressOf(url: string, look: Look): string {
  const address = new URL(url);
  for (const [key, value] of Object.entries(look)) {
    if (value !== usual[key as keyof Look]) address.searchParams.set(key, String(value));
  }
  return address.href;
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** A text within HTML. */
export function escaped(part: string): string {
  return part.replaceAll(/[&<>"]/g, (character) => entities[character] ?? '');
}

function snippetsOf(name: string, address: string): readonly (readonly [title: string, code: string])[] {
  return [
    [text.markdown, `![${name.replaceAll(/[\\[\]`*_<!]/g, String.raw`\$&`)}](${address})`],
    [text.html, `<img src="${escaped(address)}" alt="${escaped(name)}">`],
    [text.address, address],
  ];
}
