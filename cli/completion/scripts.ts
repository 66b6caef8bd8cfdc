// What a shell is told so that it asks petvet how a command line may go on.

export const shells = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof shells)[number]

/** The word before a command line that is to be completed; it is no command to be typed. */
export const askWord = '__complete'

/** From bash 3.2 on, which has neither \`mapfile\` nor \`compopt\`. */
const bash = `# petvet completion for bash: eval "$(petvet completion bash)" in ~/.bashrc
_petvet() {
  local kind='' line
  COMPREPLY=()
  while IFS= read -r line; do
    if [ -z "$kind" ]; then kind=$line; else COMPREPLY+=("\${line%%$'\\t'*}"); fi
  done < <("\${COMP_WORDS[0]}" ${askWord} bash "$COMP_LINE" "$COMP_POINT" "$COMP_WORDBREAKS" \\
    2>/dev/null </dev/null)
  case $kind in
    files)
      compopt -o default 2>/dev/null ||
        COMPREPLY=($(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}"))
      ;;
    open) compopt -o nospace 2>/dev/null ;;
  esac
  return 0
}
complete -F _petvet petvet
`

const zsh = `#compdef petvet
# petvet completion for zsh: eval "$(petvet completion zsh)" in ~/.zshrc, after compinit;
# or as a file named _petvet in a folder of $fpath.
_petvet() {
  local -a lines texts
  local line kind
  line=$("\${(Q)words[1]}" ${askWord} zsh "\${(@Q)words[2,CURRENT]}" 2>/dev/null </dev/null)
  lines=("\${(@f)line}")
  kind=\${lines[1]}
  case $kind in
    files) _files; return ;;
    words | open) ;;
    *) return 1 ;;
  esac
  local -a found
  for line in "\${(@)lines[2,-1]}"; do
    found+=("\${line%%$'\\t'*}")
    texts+=("\${line/$'\\t'/  }")
  done
  (( $#found )) || return 1
  if [[ $kind == open ]]; then
    compadd -S '' -l -d texts -a found
  else
    compadd -l -d texts -a found
  fi
}
if [[ \${zsh_eval_context[-1]} == loadautofunc ]]; then
  _petvet "$@"
else
  compdef _petvet petvet
fi
`

const fish = `# petvet completion for fish:
# petvet completion fish > ~/.config/fish/completions/petvet.fish
function __petvet_complete
  set -l words (commandline -opc)
  set -l word (commandline -ct)
  set -l lines ($words[1] ${askWord} fish $words[2..-1] "$word" \\
    2>/dev/null </dev/null)
  switch "$lines[1]"
    case files
      __fish_complete_path "$word"
    case words open
      printf '%s\\n' $lines[2..-1]
  end
end
complete -c petvet -f -a '(__petvet_complete)'
`

export const scriptOf: Readonly<Record<Shell, string>> = { bash, zsh, fish }
