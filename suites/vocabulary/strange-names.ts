// Ordinary names that programs have lost or changed: the Big List of Naughty Strings, and shapes
// that stores, spreadsheets, templates, loggers and encoders react to. A valid creation may have
// each. Not here: characters that Unicode has not assigned, and those that end a line.

import naughtyStrings from './naughty-strings.json' with { type: 'json' }

const shapes = [
  // Formulas of spreadsheets, and what an export to CSV takes for its own.
  ...['=1+1', '+1', '-1+2', '@SUM(1)', 'a,b;c|d', '"a"', `it''s`, '0x1F', '1e5', '1_000', 'MAR1'],
  // Templates, loggers, format strings, paths, patterns.
  ...[`\${name}`, '#{name}', '{{7*7}}', '<%= 1 %>', '%1$s', '%n', '{0}', '$1', '\\1', '%00', '%2F'],
  ...['..', '.', '~', '*', '?', '/', 'C:\\pets', '.htaccess', 'a/../b', '[a-z]+', '(', '^$', '|'],
  // Escapes that are text here, of line ends and others.
  ...[
    '\\r\\n',
    '\\u0000',
    '\\x00',
    '&#10;',
    '&#x0;',
    '%0D%0A',
    '\\',
    '\\\\',
    '\\"',
    "\\'",
    '&nbsp;',
  ],
  // Words that are values, keywords or properties elsewhere.
  ...['undefined', 'None', 'nil', 'N/A', 'no', 'on', 'off', 'yes', 'NaN', '-0', '-Infinity', '1.0'],
  ...['select', 'where', 'hasOwnProperty', 'toString', 'length', 'id', 'name', 'status', 'default'],
  ...[
    '[object Object]',
    '{}',
    '[]',
    '{"name":"a"}',
    '2024-02-30',
    '12:30',
    '1/2',
    'TRUE',
    '00',
    '٣',
  ],
  // Unicode: case, width, order, joining, invisible characters, planes, normal forms.
  ...['İstanbul', 'ıI', 'ẞß', 'ς', 'Ǆ', 'ﬀ', 'Å', '\u212b', '\u1e9b\u0323', '가', '\u1100\u1161'],
  ...[
    'a\u200bb',
    'a\u00adb',
    'a\u2060b',
    'a\u180eb',
    'a\ufeffb',
    'a\u00a0b',
    'a\u3000b',
    'a\u2003b',
  ],
  ...['a\u202eb', 'a\u2066b\u2069', 'a\u034fb', 'a\ufe0f', '☺\ufe0e', '1\ufe0f\u20e3'],
  ...['\ufffd', '\ufffc'],
  ...[
    '\u{1f3f4}\u{e0067}\u{e0062}\u{e007f}',
    '👨‍👩‍👧‍👦',
    '👍🏿',
    '🇩🇪🇫',
    'ཧཱུྃ',
    'נָ',
    'ﷺ',
    'ก็',
    'ഴ്‍',
    'ｱ',
    '㍿',
  ],
]

export const strangeNames: readonly string[] = [...new Set([...naughtyStrings.strings, ...shapes])]
