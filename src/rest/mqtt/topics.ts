// Topics of messages about test sessions, and the filters that select them (MQTT 3.1.1, section 4.7).

/** What a topic names. */
export interface TestTopic {
  readonly accountId: string;
  readonly suiteId: string;
  /** The run. */
  readonly sequenceId: string;
  readonly checkRunId: string;
  readonly kind: string;
}

const family = 'ad-hoc-check-results';

export function topicOf({ accountId, suiteId, sequenceId, checkRunId, kind }: TestTopic): string {
  return `account/${accountId}/${family}/${suiteId}/${sequenceId}/${checkRunId}/${kind}`;
}

/** Which messages a filter may select. */
export interface FilterScope {
  /** null = those of all suites. */
  readonly suiteId: string | null;
}

/** Maximum length of a filter, characters. */
const maxLength = 500;

/** What a filter of an account selects; null = it is outside of `account/<own account>/`, or invalid. */
export function scopeOf(filter: string, accountId: string): FilterScope | null {
  const [root, account, , suiteId] = filter.split('/');
  const isOwn = root === 'account' && account === accountId;
  if (!isOwn || filter.length > maxLength || !isValid(filter)) return null;
  const isNamed = suiteId !== undefined && suiteId !== '' && suiteId !== '+' && suiteId !== '#';
  return { suiteId: isNamed ? suiteId : null };
}

/** Wildcards stand for whole levels, and `#` comes last. */
function isValid(filter: string): boolean {
  const levels = filter.split('/');
  return levels.every((level, index) => {
    if (level === '#') return index === levels.length - 1;
    return level === '+' || !/[+#\0]/.test(level);
  });
}

/** Whether a valid filter selects a topic. */
export function isSelected(topic: string, filter: string): boolean {
  const levels = topic.split('/');
  const wanted = filter.split('/');
  for (const [index, level] of wanted.entries()) {
    if (level === '#') return true;
    if (index >= levels.length || (level !== '+' && level !== levels[index])) return false;
  }
  return wanted.length === levels.length;
}

/** Whether a text can be a level of a topic. */
export function isTopicLevel(text: string): boolean {
  return /^[\w.~:-]{1,100}$/.test(text);
}
