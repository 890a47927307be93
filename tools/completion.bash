# Completion of the tools of ARMCI-RMA for bash: options and words that --help lists, then file names.
_armci_tool()
{
    local known
    known=$("$1" --help 2>/dev/null | grep -oE -e '^  [a-z]+ ' -e '--[a-z][a-z-]+')
    mapfile -t COMPREPLY < <(compgen -W "$known" -- "$2")
}
complete -o default -F _armci_tool armci-bench armci-doctor armci-info armci-stats
