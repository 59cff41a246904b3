// Imports a configuration: paste or open it, preview, import.
import { Link } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { Form, ProgressBar } from 'react-aria-components';
import { Button } from '../../ui/controls/button.tsx';
import { Code } from '../../ui/controls/copy.tsx';
import { Fold } from '../../ui/form/fold.tsx';
import { TextInput } from '../../ui/form/text.tsx';
import { Section } from '../../ui/layout/page.tsx';
import type { Compared, Entered } from './import-text.ts';
import { OpenFile } from './open-file.tsx';
import { countsOf, Preview } from './preview.tsx';
import type { TextInputWords, TextProduct } from './products.ts';
import { text } from './strings.ts';
import { type Stage, useImport } from './use-import.ts';
import parts from '../../ui/form/form.module.css';
import css from './import.module.css';

/** Largest file, MB: a deployment has at most 12. */
const mostMb = 5;

/** What is entered is not stored in the browser: configurations contain secrets. */
export function TextImportForm({ product }: { readonly product: TextProduct }) {
  const [entered, setEntered] = useState<Entered>({
    format: product.id,
    text: '',
    targets: '',
    baseUrl: '',
    variables: {},
    project: product.id,
  });
  const { stage, compare, apply, restart } = useImport();
  const [names, setNames] = useState<readonly string[]>([]);
  const compared = 'compared' in stage ? stage.compared : null;
  const needed = compared?.read.variables ?? names;
  const change = (changed: Partial<Entered>): void => {
    setNames(needed);
    setEntered((now) => ({ ...now, ...changed }));
    restart();
  };
  const isComplete = entered.text.trim() !== '' && (product.targets === undefined || entered.targets.trim() !== '');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setNames(needed);
    if (isComplete) void compare({ ...entered, project: entered.project.trim() || product.id });
  };
  if (stage.name === 'applied') {
    return <Applied compared={stage.compared} onMore={() => change({ text: '', targets: '', variables: {} })} />;
  }
  return (
    <Form className={css['form'] ?? ''} validationBehavior="aria" onSubmit={submit}>
      {product.export !== undefined && <Code label={text.commandLines} text={product.export} />}
      <TextField words={product.input} value={entered.text} onChange={(value) => change({ text: value })} />
      {product.targets !== undefined && (
        <TextField words={product.targets} value={entered.targets} onChange={(value) => change({ targets: value })} />
      )}
      {product.hasUrl === true && (
        <TextInput
          name="baseUrl"
          label={text.url}
          help={text.urlHelp}
          placeholder="https://staging.shop.example"
          value={entered.baseUrl}
          onChange={(baseUrl) => change({ baseUrl })}
        />
      )}
      {needed.length > 0 && (
        <Variables
          names={needed}
          values={entered.variables}
          onChange={(name, value) => change({ variables: { ...entered.variables, [name]: value } })}
        />
      )}
      <Fold title={text.options} note={text.optionsNote} isOpen={false}>
        <TextInput
          name="project"
          label={text.project}
          help={text.projectHelp}
          value={entered.project}
          onChange={(project) => change({ project })}
        />
      </Fold>
      {compared !== null && !isMissing(compared, entered) && (
        <Arrival>
          <Preview compared={compared} isApplied={false} />
        </Arrival>
      )}
      <Said stage={stage} />
      <Actions
        stage={stage}
        isComplete={isComplete}
        onApply={() => compared !== null && void apply(entered.project.trim() || product.id, compared)}
      />
    </Form>
  );
}

/** Whether a variable has no value yet. */
function isMissing({ read }: Compared, { variables }: Entered): boolean {
  return read.variables.some((name) => (variables[name] ?? '') === '');
}

function Variables({
  names,
  values,
  onChange,
}: {
  readonly names: readonly string[];
  readonly values: Entered['variables'];
  readonly onChange: (name: string, value: string) => void;
}) {
  return (
    <Arrival>
      <Section title={text.variables}>
        <p className={css['help']}>{text.variablesHelp}</p>
        <div className={parts['fields']}>
          {names.map((name) => (
            <TextInput
              key={name}
              name={`variables.${name}`}
              label={name}
              value={values[name] ?? ''}
              onChange={(value) => onChange(name, value)}
            />
          ))}
        </div>
      </Section>
    </Arrival>
  );
}

/** Scrolls to what appears. */
function Arrival({
  block = 'nearest',
  children,
}: {
  readonly block?: 'nearest' | 'start';
  readonly children: ReactNode;
}) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // In braces: newer browsers return a promise, which an effect must not.
    place.current?.scrollIntoView({ block });
  }, [block]);
  return (
    <div ref={place} className={css['arrival']}>
      {children}
    </div>
  );
}

function TextField({
  words: { label, file, types, example },
  value,
  onChange,
}: {
  readonly words: TextInputWords;
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  return (
    <OpenFile label={text.file(file)} types={types} mostMb={mostMb} onText={onChange}>
      <TextInput name={file} label={label} lines="code" placeholder={example} value={value} onChange={onChange} />
    </OpenFile>
  );
}

/** What is in progress, or what is wrong. */
function Said({ stage }: { readonly stage: Stage }) {
  if (stage.name === 'comparing') {
    return (
      <p className="quiet" role="status">
        {text.comparing}
      </p>
    );
  }
  if (stage.name === 'applying') {
    return (
      <ProgressBar aria-label={text.applying} value={stage.done} maxValue={Math.max(1, stage.total)}>
        {({ percentage = 0 }) => (
          <div className={css['bar']}>
            <div style={{ width: `${percentage}%` }} />
          </div>
        )}
      </ProgressBar>
    );
  }
  const fault = 'fault' in stage ? stage.fault : null;
  if (fault === null) return null;
  return (
    <p role="alert" className={css['fault']}>
      {fault}
    </p>
  );
}

function Actions({
  stage,
  isComplete,
  onApply,
}: {
  readonly stage: Stage;
  readonly isComplete: boolean;
  readonly onApply: () => void;
}) {
  const compared = stage.name === 'compared' ? stage.compared : null;
  const { created, updated } = compared === null ? { created: 0, updated: 0 } : countsOf(compared);
  const count = created + updated;
  const isRight = compared !== null && compared.faults.size === 0 && compared.refusal === null;
  return (
    <div className={parts['actions']}>
      <Button
        type="submit"
        kind={count === 0 ? 'primary' : 'plain'}
        isDisabled={!isComplete || stage.name === 'comparing' || stage.name === 'applying'}
      >
        {text.preview}
      </Button>
      {compared !== null && count > 0 && (
        <Button kind="primary" isDisabled={!isRight} onPress={onApply}>
          {text.import(count)}
        </Button>
      )}
      {stage.name === 'applying' && <span role="status">{text.applying}</span>}
    </div>
  );
}

function Applied({ compared, onMore }: { readonly compared: Compared; readonly onMore: () => void }) {
  const { created, updated } = countsOf(compared);
  const isNew = (type: string): boolean =>
    compared.diff.some((entry) => entry.action === 'CREATE' && entry.type === type);
  return (
    <Arrival block="start">
      <Section title={text.applied}>
        <p role="status">{text.appliedCounts(created, updated)}</p>
        {isNew('alert-channel') && (
          <p className={css['help']}>
            {text.channelsOff} <Link to="/channels">{text.openChannels}</Link>
          </p>
        )}
        <div className={css['next']}>
          <Link to="/" search={{}}>
            {text.openChecks}
          </Link>
          <Button onPress={onMore}>{text.again}</Button>
        </div>
      </Section>
      <Preview compared={compared} isApplied />
    </Arrival>
  );
}
