// Markdown as status pages show it: rendered by their own code, and built anew from the elements that it may contain.
import { createElement, type ReactNode, useMemo } from 'react';
import { renderMarkdown } from '#publish/markdown.ts';
import css from './markdown.module.css';

const allowed: ReadonlySet<string> = new Set(['p', 'ul', 'ol', 'li', 'strong', 'em', 'code', 'br', 'a']);

export function Markdown({ text }: { readonly text: string }) {
  const nodes = useMemo(() => {
    const { body } = new DOMParser().parseFromString(renderMarkdown(text).text, 'text/html');
    return [...body.childNodes].map(nodeOf);
  }, [text]);
  return (
    <div className={css['markdown']} dir="auto">
      {nodes}
    </div>
  );
}

function nodeOf(node: Node, index: number): ReactNode {
  if (!(node instanceof Element)) return node.textContent;
  const children = [...node.childNodes].map(nodeOf);
  if (!allowed.has(node.localName)) return children;
  const link = node.localName === 'a' && { href: node.getAttribute('href'), target: '_blank', rel: 'noreferrer' };
  return createElement(node.localName, { key: index, ...link }, ...children);
}
