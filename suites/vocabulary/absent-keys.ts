// Keys that are none, as programs send them by mistake.

/** What programs send in place of a key by mistake: values that are none. None was ever issued. */
export const keysOfNoValue: readonly string[] = [
  ...['undefined', 'null', 'None', 'nil', 'NaN', 'false', 'true', '0', '1', '{}', '[]', '*', '-'],
  ...['[object Object]', '[object Promise]', 'Optional("key")', '(null)', '%s', '""', "''"],
]

/** Likewise: placeholders that nothing has filled in; none looks like a key that was masked. */
export const placeholderKeys: readonly string[] = [
  ...['$API_KEY', `\${API_KEY}`, '%API_KEY%', '{{API_KEY}}', '{{ apiKey }}', '<API_KEY>'],
  ...['<%= key %>', '$(API_KEY)', `\${{ secrets.API_KEY }}`, 'YOUR_API_KEY', 'changeme'],
  ...['Bearer', 'Bearer undefined', 'test', 'admin', 'secret', 'e30.e30.'],
]
