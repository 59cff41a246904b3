// Opens a text file: with a button, or dropped beside it.
import { type ReactNode, useState } from 'react';
import { FileTrigger } from 'react-aria-components';
import { Button } from '../../ui/controls/button.tsx';
import css from './import.module.css';

interface OpenFileProps {
  readonly label: string;
  /** Media types, and ends of names. */
  readonly types: readonly string[];
  /** Largest file, MB. */
  readonly mostMb: number;
  readonly onText: (text: string) => void;
  /** What a file can be dropped on. */
  readonly children?: ReactNode;
}

export function OpenFile({ label, types, mostMb, onText, children }: OpenFileProps) {
  const [isTooLarge, setTooLarge] = useState(false);
  const [isOver, setOver] = useState(false);
  const open = (file: File | undefined): void => {
    if (file === undefined) return;
    const isTooMuch = file.size > mostMb * 1_000_000;
    setTooLarge(isTooMuch);
    if (!isTooMuch) void file.text().then(onText);
  };
  return (
    <div
      className={css['openFile']}
      data-over={isOver ? '' : undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        open(event.dataTransfer.files[0]);
      }}
    >
      {children}
      <div>
        <FileTrigger acceptedFileTypes={[...types]} onSelect={(files) => open(files?.[0])}>
          <Button>{label}</Button>
        </FileTrigger>
        {isTooLarge && <p role="alert">The file is larger than {mostMb} MB.</p>}
      </div>
    </div>
  );
}
