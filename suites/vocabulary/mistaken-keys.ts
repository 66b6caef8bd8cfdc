// What programs send in place of a key by mistake: values that are none, and placeholders that
// nothing has filled in. None was ever issued.

export const mistakenKeys: readonly string[] = [
  ...['undefined', 'null', 'None', 'nil', 'NaN', 'false', 'true', '0', '1', '{}', '[]', '*', '-'],
  ...['[object Object]', '[object Promise]', 'Optional("key")', '(null)', '%s', '""', "''"],
  ...['$API_KEY', `\${API_KEY}`, '%API_KEY%', '{{API_KEY}}', '{{ apiKey }}', '<API_KEY>'],
  ...['<%= key %>', '$(API_KEY)', `\${{ secrets.API_KEY }}`, 'YOUR_API_KEY', 'changeme'],
  ...['Bearer', 'Bearer undefined', 'test', 'admin', 'secret', 'xxxxxxxx', '********', 'e30.e30.'],
]
