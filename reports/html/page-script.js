// The one script of the page: filters the requirements, copies lines, opens what a link points to.
const all = (selector, within) => [...(within ?? document).querySelectorAll(selector)]

const chosen = (fields, name) =>
  all(`input[name="${name}"]:checked`, fields).map((input) => input.value)

const filter = (section) => {
  const fields = section.querySelector('[data-filters]')
  const text = fields.querySelector('[name=text]')
  const rows = all('[data-row]', section).map((row) => [row, row.textContent.toLowerCase()])
  const apply = () => {
    const outcomes = chosen(fields, 'outcome')
    const levels = chosen(fields, 'level')
    const words = text.value.toLowerCase().split(/\s+/).filter(Boolean)
    let shown = 0
    for (const [row, content] of rows) {
      const { outcome, level } = row.dataset
      const fits =
        (outcomes.length === 0 || outcomes.includes(outcome)) &&
        (levels.length === 0 || levels.includes(level)) &&
        words.every((word) => content.includes(word))
      row.hidden = !fits
      if (fits) shown += 1
    }
    for (const group of all('[data-group]', section)) {
      group.hidden = group.querySelector('[data-row]:not([hidden])') === null
      group.open = shown < rows.length || group.wasOpen
    }
    section.querySelector('[data-empty]').hidden = shown > 0
    section.querySelector('[data-shown]').textContent = `${shown} of ${rows.length} requirements`
  }
  for (const group of all('[data-group]', section)) group.wasOpen = group.open
  fields.hidden = false
  fields.addEventListener('input', apply)
  fields.querySelector('button').addEventListener('click', () => {
    for (const input of all('input:checked', fields)) input.checked = false
    text.value = ''
    apply()
  })
  apply()
}

/** Selects the line as well, so that it can be copied by hand where nothing else is allowed. */
const copy = async (button) => {
  const code = button.closest('.command').querySelector('code')
  getSelection().selectAllChildren(code)
  try {
    await navigator.clipboard.writeText(code.textContent)
    return true
  } catch {
    return document.execCommand('copy')
  }
}

const offerCopy = (button) => {
  const label = button.innerHTML
  button.hidden = false
  button.addEventListener('click', async () => {
    button.textContent = (await copy(button)) ? 'Copied' : 'Selected: press Ctrl+C'
    setTimeout(() => {
      button.innerHTML = label
    }, 2_000)
  })
}

const reveal = () => {
  const target = document.getElementById(location.hash.slice(1))
  if (!target) return
  for (const details of all('details', target).slice(0, 1)) details.open = true
  for (let at = target; at; at = at.parentElement) if (at.localName === 'details') at.open = true
  target.scrollIntoView()
}

for (const section of all('[data-filtered]')) filter(section)
for (const button of all('[data-copy]')) offerCopy(button)
addEventListener('hashchange', reveal)
if (location.hash !== '') reveal()

/** A sheet of paper has nothing to press: failures and requirements are printed unfolded. */
let opened = []
addEventListener('beforeprint', () => {
  opened = all('.card details, .before, .group').filter(({ open }) => !open)
  for (const details of opened) details.open = true
})
addEventListener('afterprint', () => {
  for (const details of opened) details.open = false
})
