// Text to copy: a button, and a block of code with one.
import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { IconButton } from './button.tsx';
import css from './copy.module.css';

export function CopyButton({ text, label = 'Copy' }: { readonly text: string; readonly label?: string }) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setCopied(false), 2000);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
  };
  return (
    <IconButton label={isCopied ? 'Copied' : label} onPress={() => void copy()}>
      {isCopied ? <Check size={16} /> : <Copy size={16} />}
    </IconButton>
  );
}

/** A block of text as it was sent or is to be pasted. */
export function Code({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <div className={css['block']}>
      {/* Scrolls, so that it must be reachable by keyboard. */}
      <pre tabIndex={0} role="region" aria-label={label}>
        {text}
      </pre>
      <div className={css['copy']}>
        <CopyButton text={text} />
      </div>
    </div>
  );
}
