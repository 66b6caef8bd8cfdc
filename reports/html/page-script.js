// The one script of the page: filters the requirements, copies lines, opens what a link points to.
const all = (selector, within) => [...(within ?? document).querySelectorAll(selector)]

const filter = (section) => {
  const fields = section.querySelector('[data-filters]')
  const rows = all('[data-row]', section)
  const groups = all('[data-group]', section).map((group) => [group, group.open])
  const apply = () => {
    const given = new FormData(fields)
    const words = given.get('text').toLowerCase().split(/\s+/)
    const fits = (name, value) => !given.has(name) || given.getAll(name).includes(value)
    for (const row of rows) {
      const text = row.textContent.toLowerCase()
      const { outcome, level } = row.dataset
      const isChosen = fits('outcome', outcome) && fits('level', level)
      row.hidden = !isChosen || !words.every((word) => text.includes(word))
    }
    const shown = rows.filter((row) => !row.hidden).length
    for (const [group, wasOpen] of groups) {
      group.hidden = group.querySelector('[data-row]:not([hidden])') === null
      group.open = wasOpen || shown < rows.length
    }
    section.querySelector('[data-empty]').hidden = shown > 0
    section.querySelector('[data-shown]').textContent = `${shown} of ${rows.length} requirements`
  }
  fields.hidden = false
  fields.addEventListener('input', apply)
  fields.addEventListener('submit', (event) => event.preventDefault())
  fields.addEventListener('reset', () => setTimeout(apply))
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
