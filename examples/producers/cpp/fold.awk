# SPDX-License-Identifier: Apache-2.0
# Folds `perf script -F comm,ip,sym` into collapsed stacks: process;root;...;leaf count
function flush_stack() {
    if (stack != "") count[process stack]++
    stack = ""
}
/^[^ \t]/ { flush_stack(); process = $1; next }
/^$/ { flush_stack(); next }
{
    $1 = "" # the address
    sub(/^ +/, "")
    gsub(/;/, ":")
    stack = ";" $0 stack
}
END {
    flush_stack()
    for (folded in count) print folded, count[folded] | "LC_ALL=C sort"
}
