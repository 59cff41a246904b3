// Template helpers that return text.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileTemplate } from './compile.ts';
import { cut, textHelpers } from './text-helpers.ts';

const values = {
  NAME: '  Shop & "Till"\n',
  LOW: 'straße',
  WORDS: 'a,b,c',
  N: 42,
  NO: false,
  TAGS: ['env:prod', 'team=core', 'plain', 'env:second'],
  EMPTY: '',
  NOTHING: undefined,
};

const table: readonly (readonly [source: string, text: string])[] = [
  ['{{uppercase LOW}}', 'STRASSE'],
  ['{{uppercase N}}', ''],
  ['{{#uppercase}}x {{LOW}}{{/uppercase}}', 'X STRASSE'],
  ['{{#if (eq (uppercase LOW) "STRASSE")}}same{{/if}}', 'same'],
  ['{{lowercase "ABC"}}', 'abc'],
  ['{{#lowercase}}AB{{/lowercase}}', 'ab'],
  ['{{capitalize LOW}}', 'Straße'],
  ['{{capitalize EMPTY}}', ''],
  ['{{{trim NAME}}}', 'Shop & "Till"'],
  ['{{trim NOTHING}}', ''],
  ['{{truncate WORDS 3}}', 'a,b'],
  ['{{truncate WORDS 4 "…"}}', 'a,b…'],
  ['{{truncate WORDS 99 "…"}}', 'a,b,c'],
  ['{{truncate WORDS 2 "..."}}', '..'],
  ['{{truncate N 1}}', ''],
  ['{{replace "a-a" "a" "b"}}', 'b-b'],
  ['{{replace "a-a" "a"}}', '-'],
  ['{{replace "a-a" ""  "b"}}', 'a-a'],
  ['{{replace NOTHING "a" "b"}}', ''],
  ['{{#each (split WORDS)}}[{{this}}]{{/each}}', '[a][b][c]'],
  ['{{split "a b" " "}}', 'a,b'],
  ['{{split "a,b,c" "," 1}}', 'a,b,c'],
  ['{{lookup (split "a,b,c" ",") 1}}', 'b'],
  ['{{split N}}', ''],
  ['{{join (split WORDS) "-"}}', 'a-b-c'],
  ['{{join (split WORDS)}}', 'a, b, c'],
  ['{{join WORDS}}', 'a,b,c'],
  ['{{join N}}', ''],
  ['{{length TAGS}} {{length WORDS}} {{length N}} {{length NOTHING}}', '4 5 0 0'],
  ['{{#if (gt (length TAGS) 3)}}many{{/if}}', 'many'],
  ['{{tagValue TAGS "env"}}', 'prod'],
  ['{{tagValue TAGS "team"}}', 'core'],
  ['{{tagValue TAGS "plain" "none"}}', 'none'],
  ['{{tagValue TAGS "owner"}}', ''],
  ['{{tagValue NOTHING "owner" "ops"}}', 'ops'],
  ['{{default NOTHING "x"}}', 'x'],
  ['{{default EMPTY "x"}}', ''],
  ['{{default NO "x"}}', 'false'],
  ['{{default NOTHING NOTHING N}}', '42'],
  ['{{default @root "x"}}', '[object Object]'],
  ['{{json NAME}}', String.raw`"  Shop & \"Till\"\n"`],
  ['{{{json NAME}}}', String.raw`"  Shop & \"Till\"\n"`],
  ['{{json TAGS}}', '["env:prod","team=core","plain","env:second"]'],
  ['{{json N}} {{json NO}} {{json NOTHING}}', '42 false null'],
  ['"{{jsonString NAME}}"', String.raw`"  Shop & \"Till\"\n"`],
  ['{{jsonString N}}{{jsonString NOTHING}}', '42'],
  ['"{{#jsonString}}{{{NAME}}}!{{/jsonString}}"', String.raw`"  Shop & \"Till\"\n!"`],
  ['{{uppercase (json LOW)}}', '&quot;STRASSE&quot;'],
  ['{{urlencode NAME}}', '%20%20Shop%20%26%20%22Till%22%0A'],
  ['{{urlencode "it\'s"}}', "it's"],
  ['{{urlencode TAGS}}', 'env%3Aprod%2Cteam%3Dcore%2Cplain%2Cenv%3Asecond'],
];

for (const [source, text] of table) {
  test(`${source} prints ${JSON.stringify(text)}`, () => {
    assert.equal(compileTemplate(source).render(values, 0), text);
  });
}

test('tests every text helper', () => {
  const missing = Object.keys(textHelpers).filter((name) => !table.some(([source]) => source.includes(name)));
  assert.deepEqual(missing, []);
});

test('never cuts an emoji in half', () => {
  assert.equal(cut('ab🔥', 3), 'ab');
  assert.equal(cut('ab🔥', 4), 'ab🔥');
});

test('half an emoji in a value does not break urlencode', () => {
  assert.equal(compileTemplate('{{urlencode X}}').render({ X: 'a\ud83d' }, 0), 'a%EF%BF%BD');
});
