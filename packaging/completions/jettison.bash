# bash completion for jettison. The program itself says what may stand next.
_jettison() {
  local IFS=$'\n' line current=${COMP_WORDS[COMP_CWORD]}
  [ "$current" = = ] && current=
  COMPREPLY=()
  for line in $("${COMP_WORDS[0]}" complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null); do
    if [ "$line" = :files ]; then
      compopt -o filenames 2>/dev/null
      COMPREPLY+=($(compgen -f -- "$current"))
    else
      line=${line%%$'\t'*}
      [[ $line == *= ]] && compopt -o nospace 2>/dev/null
      COMPREPLY+=("$line")
    fi
  done
}
complete -F _jettison jettison
