// Everything that a target sends becomes text: no markup, no control characters.
import { expect, test } from 'vitest'
import { html, lines, ownText, prose } from './markup.ts'

test('a value is escaped, in text and in an attribute', () => {
  const hostile = `"><script>alert('x')</script>&`
  expect(html`<p title="${hostile}">${hostile}</p>`.markup).toBe(
    '<p title="&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;">' +
      '&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;</p>',
  )
})

test('markup goes into markup as it is, lists and nothing too', () => {
  const items = ['<a>', 'b'].map((each) => html`<li>${each}</li>`)
  expect(html`<ul>${items}${false}${null}${undefined}</ul>${3}`.markup).toBe(
    '<ul><li>&lt;a&gt;</li><li>b</li></ul>3',
  )
  expect(prose('a `<b>` c').markup).toBe('a <code>&lt;b&gt;</code> c')
  expect(html`${ownText('<b>')}`.markup).toBe('<b>')
})

test('control characters are spelt out', () => {
  expect(html`${'a\u202eb\u001b[2J\n\ud800'}`.markup).toBe('a\\u{202e}b\\u{1b}[2J\\n\\u{d800}')
})

test('a body keeps its lines, and what was spelt out differs from what was written', () => {
  expect(lines('a\n\tb\u202e\u0000c \\u{202e} <i>\r\n').markup).toBe(
    'a\n\tb<span class="spelt">\\u{202e}\\u{0}</span>c \\u{202e} &lt;i&gt;' +
      '<span class="spelt">\\r</span>\n',
  )
})
