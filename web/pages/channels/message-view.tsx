// A message as its receiver sees it: a mail with its HTML and text, or a text.
import { useEffect, useRef, useState } from 'react';
import type { AnswerOf } from '#contract/operations.ts';
import { Choice } from '../../ui/controls/field.tsx';
import { Fold } from '../../ui/form/fold.tsx';
import { Facts } from '../../ui/layout/page.tsx';
import { useTheme } from '../../ui/layout/theme.ts';
import { text } from './strings.ts';
import css from './channels.module.css';

type Answer = AnswerOf<'previewAlertChannel'>;
type View<Kind extends string> = Extract<NonNullable<Answer['view']>, { readonly kind: Kind }>;
type Look = keyof typeof text.mailLooks;

export function Mail({
  view: { subject, html },
  request: { headers, body },
}: {
  readonly view: View<'mail'>;
  readonly request: NonNullable<Answer['request']>;
}) {
  const theme = useTheme();
  const [look, setLook] = useState<Look>(() =>
    theme === 'dark' || (theme === 'system' && matchMedia('(prefers-color-scheme: dark)').matches) ? 'dark' : 'light',
  );
  return (
    <>
      <Facts
        facts={[
          [text.mailFrom, headers['From'] ?? ''],
          [text.mailTo, headers['To'] ?? ''],
          [text.mailSubject, <bdi key="subject">{subject}</bdi>],
        ]}
      />
      <Choice
        label={text.mailLook}
        value={look}
        options={Object.entries(text.mailLooks) as (readonly [Look, string])[]}
        onChange={setLook}
      />
      <MailFrame html={html} look={look} />
      <Fold title={text.mailText} isOpen={false}>
        <pre className={css['text']}>{body}</pre>
      </Fold>
    </>
  );
}

/** The HTML in a frame without scripts, which loads nothing: it has the policy of this page. */
function MailFrame({ html, look }: { readonly html: string; readonly look: Look }) {
  const frame = useRef<HTMLIFrameElement>(null);
  useEffect(() => {
    if (frame.current !== null) draw(frame.current, html, look === 'dark');
  }, [html, look]);
  return <iframe ref={frame} title={text.mailFrame} sandbox="allow-same-origin" className={css['mail']} />;
}

/** The policy of the page allows no styles in markup; those of the mail are set by script. */
function draw(frame: HTMLIFrameElement, html: string, isDark: boolean): void {
  const { contentDocument: document, contentWindow: window } = frame;
  if (document === null || window === null) return;
  const styles = /<style>([^<]*)<\/style>/;
  const inert = html.replace(styles, '').replaceAll(' style="', ' data-style="');
  const { body } = new DOMParser().parseFromString(inert, 'text/html');
  document.documentElement.lang = 'en';
  document.documentElement.style.colorScheme = isDark ? 'dark' : 'light';
  document.body.replaceWith(document.importNode(body, true));
  for (const element of document.querySelectorAll<HTMLElement>('[data-style]')) {
    element.style.cssText = element.dataset['style'] ?? '';
  }
  for (const link of document.querySelectorAll('a')) {
    link.title = link.href;
    link.removeAttribute('href');
  }
  const sheet = new (window as Window & typeof globalThis).CSSStyleSheet();
  sheet.replaceSync(styles.exec(html)?.[1] ?? '');
  for (const rule of sheet.cssRules) {
    if ('media' in rule && /color-scheme: dark/.test((rule as CSSMediaRule).media.mediaText)) {
      (rule as CSSMediaRule).media.mediaText = isDark ? 'all' : 'not all';
    }
  }
  document.adoptedStyleSheets = [sheet];
  frame.style.height = '0';
  frame.style.height = `${document.documentElement.scrollHeight}px`;
}

export function TextMessage({ view: { text: message, note } }: { readonly view: View<'text'> }) {
  return (
    <section aria-label={text.message}>
      <h3>{text.message}</h3>
      <pre className={css['text']}>{message}</pre>
      <p className="quiet">{note}</p>
    </section>
  );
}
