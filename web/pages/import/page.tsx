// Imports checks: lines, configurations of other products, and the commands for the rest.
import { Link, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Code } from '../../ui/controls/copy.tsx';
import { PageHead, Section } from '../../ui/layout/page.tsx';
import { LinesImport } from './lines.tsx';
import { type CommandProduct, commandProducts, lines, textProducts } from './products.ts';
import { text } from './strings.ts';
import { TextImportForm } from './text-import.tsx';
import parts from '../../ui/form/form.module.css';
import css from './import.module.css';

export function ImportPage() {
  const { from } = useSearch({ from: '/shell/import' });
  const textProduct = textProducts.find(({ id }) => id === from);
  const commandProduct = commandProducts.find(({ id }) => id === from);
  if (from === lines.id) {
    return (
      <Chosen title={lines.title}>
        <LinesImport />
      </Chosen>
    );
  }
  if (textProduct !== undefined) {
    return (
      <Chosen title={text.titleFrom(textProduct.label)}>
        <TextImportForm key={textProduct.id} product={textProduct} />
      </Chosen>
    );
  }
  if (commandProduct !== undefined) {
    return (
      <Chosen title={text.titleFrom(commandProduct.label)}>
        <Commands product={commandProduct} />
      </Chosen>
    );
  }
  return <Choice />;
}

function Chosen({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <>
      <PageHead
        title={title}
        above={
          <Link to="/import" search={{}}>
            {text.title}
          </Link>
        }
      />
      {children}
    </>
  );
}

function Choice() {
  return (
    <>
      <PageHead
        title={text.title}
        above={
          <Link to="/" search={{}}>
            {text.checks}
          </Link>
        }
      />
      <section aria-label={text.choose}>
        <h2 className={parts['choose']}>{text.choose}</h2>
        <ul className={parts['types']}>
          {[lines, ...textProducts, ...commandProducts].map(({ id, label, about }) => (
            <li key={id}>
              <Link to="/import" search={{ from: id }} className={parts['type']}>
                <strong>{label}</strong>
                <span className="quiet">{about}</span>
              </Link>
            </li>
          ))}
        </ul>
        <p className={css['below']}>
          <a href="/docs/importing.md">{text.docs}</a>
        </p>
      </section>
    </>
  );
}

function Commands({ product: { commands } }: { readonly product: CommandProduct }) {
  return (
    <Section title={text.commands}>
      <p className={css['help']}>{text.commandsHelp}</p>
      <Code label={text.commandLines} text={[`tocsin login ${location.origin}`, ...commands].join('\n')} />
      <p className={css['below']}>
        <a href="/docs/command-line.md">{text.install}</a> · <a href="/docs/importing.md">{text.docs}</a>
      </p>
    </Section>
  );
}
