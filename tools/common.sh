# shellcheck shell=bash
# What every part of ./dev shares: progress lines, failure, and running a noisy program quietly.
# Sourced, never run. `root` is the top of the source tree, `deps` the folder for fetched parts.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck disable=SC2034 # used by the files that source this one
deps=$root/.deps

say() { printf '==> %s\n' "$*"; }
note() { printf '    %s\n' "$*"; }
die() {
    printf 'dev: %s\n' "$1" >&2
    shift
    if (($#)); then printf '     %s\n' "$@" >&2; fi
    exit 1
}
usage_error() {
    printf 'dev: %s\n     See ./dev help.\n' "$*" >&2
    exit 2
}

is_root() { [[ $(id -u) == 0 ]]; }
have() { command -v "$1" >/dev/null 2>&1; }

# version_at_least HAVE WANT: compares dotted numbers.
version_at_least() { [[ $(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1) == "$2" ]]; }

# quietly LOG COMMAND...: on a terminal the command speaks for itself; elsewhere its output goes to LOG and is
# shown, whole, only when it fails.
quietly() {
    local log=$1
    shift
    if [[ -t 1 ]]; then
        "$@"
        return
    fi
    mkdir -p "$(dirname "$log")"
    local status=0
    "$@" >"$log" 2>&1 </dev/null || status=$?
    if ((status)); then cat "$log" >&2; fi
    return "$status"
}
