/**
 * The scripts ask `loan-orders complete` for each word, so they contain no command names. A line of its answer is a word, a tab and a
 * description; or `:files` or `:folders`, whose names the shell completes.
 */

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** Also for bash 3.2, which macOS has: without `mapfile` and, there, without `compopt`. */
const bash = `_loan_orders() {
  local current="\${COMP_WORDS[COMP_CWORD]}" line path kind
  [[ $current == '=' ]] && current=''
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      '') ;;
      :files | :folders)
        kind=-f
        [[ $line == :folders ]] && kind=-d
        compopt -o filenames 2>/dev/null
        while IFS= read -r path; do COMPREPLY+=("$path"); done < <(compgen "$kind" -- "$current")
        ;;
      *) COMPREPLY+=("\${line%%$'\\t'*}") ;;
    esac
  done < <(command loan-orders complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _loan_orders loan-orders`;

const zsh = `#compdef loan-orders
_loan_orders() {
  local line kind
  local -a candidates
  while IFS= read -r line; do
    case $line in
      '') ;;
      :files | :folders) kind=$line ;;
      *) candidates+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}") ;;
    esac
  done < <(command loan-orders complete -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)
  (( $#candidates )) && _describe 'loan-orders' candidates
  case $kind in
    :files) _files ;;
    :folders) _files -/ ;;
  esac
}
if [[ $funcstack[1] == _loan_orders ]]; then
  _loan_orders "$@"
else
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
  compdef _loan_orders loan-orders
fi`;

const fish = `function __loan_orders_words
  set -l typed (commandline -opc)
  set -e typed[1]
  set -l current (commandline -ct)
  for line in (command loan-orders complete -- $typed "$current" 2>/dev/null)
    switch $line
      case ''
      case :files
        __fish_complete_path "$current"
      case :folders
        __fish_complete_directories "$current" ''
      case '*'
        echo $line
    end
  end
end
complete -c loan-orders -f -a '(__loan_orders_words)'`;

export const completionScripts: Record<Shell, string> = { bash, zsh, fish };
