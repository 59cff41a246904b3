// The bodies of the presets. Whatever a value holds stays text in them, and fits into what the receiver takes.

const isRecovery = "(contains ALERT_TYPE 'RECOVERY')";
const color = (down: string, slow: string, up: string): string =>
  `{{#if ${isRecovery}}}${up}{{else eq ALERT_TYPE 'ALERT_FAILURE'}}${down}{{else}}${slow}{{/if}}`;
/** A value as JSON text of at most `most` characters. */
const short = (name: string, most: number): string => `{{json (truncate ${name} ${most} '…')}}`;
const figures = `{{#if CHECK_ERROR_MESSAGE}}{{truncate CHECK_ERROR_MESSAGE 500 '…'}}{{else}}{{default RESPONSE_TIME 0}} ms{{/if}}`;

/** Slack reads <…> as links and mentions: its three characters are escaped, and nothing else is. */
const slackText = (name: string, most: number): string =>
  `{{json (replace (replace (replace (truncate ${name} ${most} '…') '&' '&amp;') '<' '&lt;') '>' '&gt;')}}`;
/** A mark of no width: what stands on both sides of it is not read together. */
const gap = '\u200b';
/** An expression without what Markdown needs to hide an address behind words or a picture. */
const unlinked = (expression: string): string =>
  ['(', '[', ':'].reduce((text, mark) => `(replace ${text} ']${mark}' ']${gap}${mark}')`, expression);
/** An expression without names that call people. */
const uncalling = (expression: string): string => `(replace ${expression} '@' '@${gap}')`;
/** At most `most` characters, marks included; cut before, too, so that little is changed. */
const fitted = (name: string, most: number, change: (expression: string) => string): string =>
  `(truncate ${change(`(truncate ${name} ${most} '…')`)} ${most} '…')`;
/** As `short`, where Markdown is read. */
const markdown = (name: string, most: number): string => `{{json ${fitted(name, most, unlinked)}}}`;
/** The same where names call people as well. */
const mattermost = (name: string, most: number): string =>
  `{{json ${fitted(name, most, (expression) => uncalling(unlinked(expression)))}}}`;
/** Inside the quotes of a text in which names call people. */
const telegram = (name: string, most: number): string => `{{jsonString ${fitted(name, most, uncalling)}}}`;
const aboutHtml =
  "{{truncate CHECK_NAME 150 '…'}}{{#if GROUP_NAME}} · {{truncate GROUP_NAME 150 '…'}}{{/if}}" +
  "{{#if TAGS}} · {{truncate (join TAGS ', ') 300 '…'}}{{/if}} · {{STARTED_AT}}";
/** Escaped for HTML, then for JSON. */
const html = (template: string): string => `"{{#jsonString}}${template}{{/jsonString}}"`;

/** The title of an alert as JSON text, from its template as JSON text; says whether it is a replay. */
const titled = (jsonText: string): string =>
  jsonText.replace(/^\{\{json (.*)\}\}$/s, '"{{jsonString $1}}{{#if IS_REPLAY}} (replayed){{/if}}"');
const inline = (name: string, most: number): string => `{{jsonString (truncate ${name} ${most} '…')}}`;
/**
 * Which check, group and tags it is about, and when it happened: inside the quotes of a text.
 *
 * @param change inserts a value of at most so many characters, escaped for the receiver
 */
const about = (change: (name: string, most: number) => string): string =>
  `${change('CHECK_NAME', 150)}{{#if GROUP_NAME}} · ${change('GROUP_NAME', 150)}{{/if}}` +
  `{{#if TAGS}} · ${change("(join TAGS ', ')", 300)}{{/if}} · {{jsonString STARTED_AT}}`;

function lines(...all: readonly string[]): string {
  return all.join('\n');
}

/** webhookType → template. */
export const presetTemplates = {
  WEBHOOK_DISCORD: lines(
    '{',
    '  "allowed_mentions": { "parse": [] },',
    '  "embeds": [',
    '    {',
    `      "title": ${titled(markdown('ALERT_TITLE', 240))},`,
    `      "description": ${markdown("(default CHECK_ERROR_MESSAGE '')", 2000)},`,
    '      "url": {{json RESULT_LINK}},',
    `      "color": ${color('15158332', '15844367', '3066993')},`,
    '      "timestamp": {{json STARTED_AT}},',
    '      "fields": [',
    `        { "name": "Check", "value": ${markdown('CHECK_NAME', 250)}, "inline": true },`,
    `        {{#if GROUP_NAME}}{ "name": "Group", "value": ${markdown('GROUP_NAME', 250)}, "inline": true },{{/if}}`,
    `        {{#if TAGS}}{ "name": "Tags", "value": ${markdown("(join TAGS ', ')", 900)}, "inline": true },{{/if}}`,
    `        { "name": "Location", "value": ${markdown('RUN_LOCATION', 250)}, "inline": true },`,
    '        { "name": "Response time", "value": "{{default RESPONSE_TIME 0}} ms", "inline": true }',
    '      ]',
    '    }',
    '  ]',
    '}',
  ),
  WEBHOOK_GOOGLECHAT: lines(
    '{',
    '  "cardsV2": [',
    '    {',
    '      "cardId": {{json CHECK_ID}},',
    '      "card": {',
    `        "header": { "title": ${titled(short('ALERT_TITLE', 250))}, "subtitle": ${short('RUN_LOCATION', 250)} },`,
    '        "sections": [',
    '          {',
    '            "widgets": [',
    `              { "textParagraph": { "text": ${html(figures)} } },`,
    `              { "textParagraph": { "text": ${html(aboutHtml)} } },`,
    '              { "buttonList": { "buttons": [{ "text": "Open the result", "onClick": { "openLink": { "url": {{json RESULT_LINK}} } } }] } }',
    '            ]',
    '          }',
    '        ]',
    '      }',
    '    }',
    '  ]',
    '}',
  ),
  WEBHOOK_INCIDENTIO: lines(
    '{',
    `  "title": ${titled(short('ALERT_TITLE', 250))},`,
    `  "description": ${markdown("(default CHECK_ERROR_MESSAGE '')", 2000)},`,
    `  "status": "{{#if ${isRecovery}}}resolved{{else}}firing{{/if}}",`,
    '  "deduplication_key": {{json CHECK_ID}},',
    '  "source_url": {{json RESULT_LINK}},',
    '  "metadata": {',
    `    "check": ${short('CHECK_NAME', 250)},`,
    `    "group": ${short("(default GROUP_NAME '')", 250)},`,
    '    "alert_type": {{json ALERT_TYPE}},',
    `    "location": ${short('RUN_LOCATION', 250)},`,
    `    "tags": ${short("(join TAGS ', ')", 1000)},`,
    '    "started_at": {{json STARTED_AT}},',
    '    "response_time_ms": {{default RESPONSE_TIME 0}}',
    '  }',
    '}',
  ),
  WEBHOOK_MATTERMOST: lines(
    '{',
    '  "attachments": [',
    '    {',
    `      "fallback": ${titled(mattermost('ALERT_TITLE', 250))},`,
    `      "color": "${color('#d24b4e', '#f2b93b', '#3fb950')}",`,
    `      "title": ${titled(mattermost('ALERT_TITLE', 250))},`,
    '      "title_link": {{json RESULT_LINK}},',
    `      "text": ${mattermost("(default CHECK_ERROR_MESSAGE '')", 2000)},`,
    '      "fields": [',
    `        { "short": true, "title": "Check", "value": ${mattermost('CHECK_NAME', 250)} },`,
    `        {{#if GROUP_NAME}}{ "short": true, "title": "Group", "value": ${mattermost('GROUP_NAME', 250)} },{{/if}}`,
    `        {{#if TAGS}}{ "short": true, "title": "Tags", "value": ${mattermost("(join TAGS ', ')", 900)} },{{/if}}`,
    '        { "short": true, "title": "Started", "value": {{json STARTED_AT}} },',
    `        { "short": true, "title": "Location", "value": ${mattermost('RUN_LOCATION', 250)} },`,
    '        { "short": true, "title": "Response time", "value": "{{default RESPONSE_TIME 0}} ms" }',
    '      ]',
    '    }',
    '  ]',
    '}',
  ),
  WEBHOOK_MSTEAMS: lines(
    '{',
    '  "type": "message",',
    '  "attachments": [',
    '    {',
    '      "contentType": "application/vnd.microsoft.card.adaptive",',
    '      "contentUrl": null,',
    '      "content": {',
    '        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",',
    '        "type": "AdaptiveCard",',
    '        "version": "1.4",',
    '        "body": [',
    `          { "type": "TextBlock", "size": "Medium", "weight": "Bolder", "wrap": true, "color": "${color('Attention', 'Warning', 'Good')}", "text": ${titled(markdown('ALERT_TITLE', 250))} },`,
    `          { "type": "TextBlock", "wrap": true, "text": ${markdown("(default CHECK_ERROR_MESSAGE '')", 2000)} },`,
    '          { "type": "FactSet", "facts": [',
    `            { "title": "Check", "value": ${markdown('CHECK_NAME', 250)} },`,
    `            {{#if GROUP_NAME}}{ "title": "Group", "value": ${markdown('GROUP_NAME', 250)} },{{/if}}`,
    `            {{#if TAGS}}{ "title": "Tags", "value": ${markdown("(join TAGS ', ')", 900)} },{{/if}}`,
    `            { "title": "Location", "value": ${markdown('RUN_LOCATION', 250)} },`,
    '            { "title": "Response time", "value": "{{default RESPONSE_TIME 0}} ms" },',
    '            { "title": "Started", "value": {{json STARTED_AT}} }',
    '          ] }',
    '        ],',
    '        "actions": [{ "type": "Action.OpenUrl", "title": "Open the result", "url": {{json RESULT_LINK}} }]',
    '      }',
    '    }',
    '  ]',
    '}',
  ),
  WEBHOOK_NTFY: lines(
    '{',
    '  "topic": {{json NTFY_TOPIC}},',
    `  "title": ${titled(short('ALERT_TITLE', 250))},`,
    `  "message": "{{#if CHECK_ERROR_MESSAGE}}${inline('CHECK_ERROR_MESSAGE', 900)}\\n{{/if}}${about(inline)}",`,
    `  "priority": ${color('5', '4', '3')},`,
    `  "tags": ["${color('rotating_light', 'warning', 'white_check_mark')}"],`,
    '  "click": {{json RESULT_LINK}}',
    '}',
  ),
  WEBHOOK_OPSGENIE: lines(
    `{{#if ${isRecovery}}}{ "source": "Tocsin", "note": ${titled(short('ALERT_TITLE', 250))} }`,
    '{{else}}{',
    `  "message": ${titled(short('ALERT_TITLE', 115))},`,
    '  "alias": {{json CHECK_ID}},',
    `  "description": ${short("(default CHECK_ERROR_MESSAGE '')", 5000)},`,
    '  "source": "Tocsin",',
    `  "entity": ${short('CHECK_NAME', 250)},`,
    `  "priority": "{{#eq ALERT_TYPE 'ALERT_FAILURE'}}P2{{else}}P4{{/eq}}",`,
    '  "details": {',
    `    "group": ${short("(default GROUP_NAME '')", 250)},`,
    `    "location": ${short('RUN_LOCATION', 250)},`,
    `    "tags": ${short("(join TAGS ', ')", 1000)},`,
    '    "started": {{json STARTED_AT}},',
    '    "result": {{json RESULT_LINK}}',
    '  }',
    '}{{/if}}',
  ),
  WEBHOOK_PAGERDUTY: lines(
    '{',
    '  "routing_key": {{json PAGERDUTY_ROUTING_KEY}},',
    `  "event_action": "{{#if ${isRecovery}}}resolve{{else}}trigger{{/if}}",`,
    '  "dedup_key": {{json CHECK_ID}},',
    '  "client": "Tocsin",',
    '  "client_url": {{json RESULT_LINK}},',
    '  "payload": {',
    `    "summary": ${titled(short('ALERT_TITLE', 1000))},`,
    `    "source": ${short('CHECK_NAME', 250)},`,
    `    "severity": "{{#eq ALERT_TYPE 'ALERT_FAILURE'}}critical{{else}}warning{{/eq}}",`,
    '    "timestamp": {{json STARTED_AT}},',
    `    "component": ${short('RUN_LOCATION', 250)},`,
    `    "group": ${short("(default GROUP_NAME '')", 250)},`,
    '    "custom_details": {',
    `      "error": ${short("(default CHECK_ERROR_MESSAGE '')", 5000)},`,
    '      "response_time_ms": {{default RESPONSE_TIME 0}},',
    `      "tags": ${short("(join TAGS ', ')", 1000)}`,
    '    }',
    '  }',
    '}',
  ),
  WEBHOOK_SLACK: lines(
    '{',
    `  "text": ${titled(slackText('ALERT_TITLE', 250))},`,
    '  "attachments": [',
    '    {',
    `      "color": "${color('#d24b4e', '#f2b93b', '#3fb950')}",`,
    '      "blocks": [',
    `        { "type": "section", "text": { "type": "plain_text", "text": ${titled(short('ALERT_TITLE', 250))} } },`,
    `        { "type": "context", "elements": [{ "type": "plain_text", "text": "{{jsonString (truncate RUN_LOCATION 100 '…')}} · {{default RESPONSE_TIME 0}} ms" }] },`,
    `        { "type": "context", "elements": [{ "type": "plain_text", "text": "${about(inline)}" }] },`,
    `        {{#if CHECK_ERROR_MESSAGE}}{ "type": "section", "text": { "type": "plain_text", "text": ${short('CHECK_ERROR_MESSAGE', 2000)} } },{{/if}}`,
    '        { "type": "actions", "elements": [{ "type": "button", "text": { "type": "plain_text", "text": "Open the result" }, "url": {{json RESULT_LINK}} }] }',
    '      ]',
    '    }',
    '  ]',
    '}',
  ),
  WEBHOOK_TELEGRAM: lines(
    '{',
    '  "chat_id": {{json TELEGRAM_CHAT_ID}},',
    `  "text": "${telegram('ALERT_TITLE', 250)}{{#if IS_REPLAY}} (replayed){{/if}}\\n${about(telegram)}\\n{{#if CHECK_ERROR_MESSAGE}}${telegram('CHECK_ERROR_MESSAGE', 2000)}\\n{{/if}}{{jsonString RESULT_LINK}}",`,
    '  "link_preview_options": { "is_disabled": true }',
    '}',
  ),
} as const;
