# judge.sh - what the check scripts share: a line PASS or FAIL for each result, and the count behind them. To be read by `.`, with the
# folder $work made; $log has the output of what was judged last.
passed=0 failed=0 log=$work/log note=

# judge WHAT COMMAND...: a result, which is the status, too: whether the command succeeds. Its output, or the file $shown, follows a failure.
judge() {
    what=$1; shift
    if "$@" >"$log" 2>&1; then
        passed=$((passed + 1)); echo "PASS $what${note:+: $note}"; note=
    else
        failed=$((failed + 1)); echo "FAIL $what"; tail -n 60 "${shown:-$log}" | sed 's/^/    /'; note=
        return 1
    fi
}

# prints TEXT COMMAND...: run a command; true if it prints a line with that text, which becomes the note of the result.
prints() {
    text=$1; shift
    "$@"
    note=$(grep "$text" "$log" | tail -n 1)
    [ -n "$note" ]
}

# tally: the last line of a check script, "N passed, N failed"; true if nothing failed.
tally() {
    echo "$passed passed, $failed failed"
    [ $failed -eq 0 ]
}
