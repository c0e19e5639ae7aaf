#!/usr/bin/env bash
# Checks that the modules are layered as designed: tools/check_layers.sh [ROOT]
#
#   - A unit is where its name says: pecs.core is modules/core.cppm, its partition :mask is modules/core/mask.cppm, and
#     its implementation units are src/core.cpp and src/core/*.cpp.
#   - Imports between modules point strictly down the list of layers below; partitions of a module form no cycle.
#   - Interface units include standard headers only. Third-party code belongs into implementation units.
#   - In every file, includes come before the module line and the imports.
#   - No header units, no private fragments, no implementation partitions.
#
# Prints one line per finding and fails if there is one.
set -euo pipefail
shopt -s globstar nullglob
cd "${1:-$(dirname "${BASH_SOURCE[0]}")/..}"

# Bottom first. Modules on one line may not import each other.
layers='
std span
core
archetype
relation
query
world
pecs
'

standard_headers='
algorithm any array atomic barrier bit bitset cassert cctype cerrno cfenv cfloat charconv chrono cinttypes climits
clocale cmath codecvt compare complex concepts condition_variable coroutine csetjmp csignal cstdarg cstddef cstdint
cstdio cstdlib cstring ctime cuchar cwchar cwctype deque exception execution filesystem format forward_list fstream
functional future initializer_list iomanip ios iosfwd iostream istream iterator latch limits list locale map memory
memory_resource mutex new numbers numeric optional ostream queue random ranges ratio regex scoped_allocator semaphore
set shared_mutex source_location span sstream stack stdexcept stop_token streambuf string string_view syncstream
system_error thread tuple type_traits typeindex typeinfo unordered_map unordered_set utility valarray variant vector
version
'

files=({modules,src,tests,bench,examples}/**/*.{cppm,cpp,hpp})
((${#files[@]})) || { echo "no sources found in $PWD" >&2 && exit 1; }

awk -v layers="$layers" -v standard="$standard_headers" '
function finding(text) { printf "%s:%d: %s\n", FILENAME, FNR, text; findings++ }

# The layer of "pecs.core" is the one of "core"; the umbrella is "pecs" itself. 0 if it has none.
function rank(module) { sub(/^pecs\./, "", module); return rank_of[module] }

# Removes comments; `open` remembers a block comment that goes on.
function code(line,    from, to) {
    while (1) {
        if (open) {
            if (!(to = index(line, "*/"))) return ""
            line = substr(line, to + 2)
            open = 0
        }
        sub(/\/\/.*/, "", line)
        if (!(from = index(line, "/*"))) return line
        if (to = index(substr(line, from + 2), "*/")) {
            line = substr(line, 1, from - 1) " " substr(line, from + to + 3)
        } else {
            open = 1
            return substr(line, 1, from - 1)
        }
    }
}

# The module, and partition, that a path stands for.
function place(path,    part, n) {
    interface = path ~ /^modules\//
    library = interface || path ~ /^src\//
    here = ""
    if (!library) return
    sub(/^[a-z]+\//, "", path)
    sub(/\.[a-z]+$/, "", path)
    n = split(path, part, "/")
    here = part[1] == "pecs" ? "pecs" : "pecs." part[1]
    if (n == 2 && interface) here = here ":" part[2]
    if (n > 2) finding("a unit lies at most one folder deep")
}

function declaration(name,    partition) {
    if (name == "") return # the global module fragment
    named = name
    if (!library) { finding("only files in modules/ and src/ belong to a module"); return }
    if (name ~ /^:/) { finding("a private module fragment is not allowed"); return }
    if (!interface && name ~ /:/) { finding("an implementation unit names its module only: module " here ";"); return }
    if (name != here) { finding("this file should be a unit of " here ", not of " name); return }
    if (!rank(module_of(name))) finding(name " is not in the list of layers in tools/check_layers.sh")
}

function module_of(unit) { sub(/:.*/, "", unit); return unit }

function import_of(name,    own) {
    imported = 1
    if (name ~ /^[<"]/) { finding("header units are not used: #include " name " instead"); return }
    if (!library) return
    own = module_of(here)
    if (name ~ /^:/) {
        if (interface) edges[here] = edges[here] " " own name "@" FILENAME ":" FNR
    } else if (name !~ /^pecs(\.|$)/) {
        finding("import of " name ": only modules of pecs are imported")
    } else if (!rank(name)) {
        finding("import of " name ", which is not in the list of layers in tools/check_layers.sh")
    } else if (rank(name) >= rank(own)) {
        finding(own " may not import " name ": imports point down the layers")
    }
}

# Follows the imports of a partition, depth first; a unit met again while it is on the way closes a cycle.
function walk(unit, at, way,    list, n, i, split_edge) {
    if (state[unit] == "done") return
    if (state[unit] == "open") {
        printf "%s: import cycle:%s%s\n", at, substr(way, index(way, " " unit " ")), unit
        findings++
        return
    }
    state[unit] = "open"
    n = split(edges[unit], list, " ")
    for (i = 1; i <= n; i++) {
        split(list[i], split_edge, "@")
        walk(split_edge[1], split_edge[2], way unit " ")
    }
    state[unit] = "done"
}

BEGIN {
    lines = split(layers, line, "\n")
    for (i = 1; i <= lines; i++) {
        names = split(line[i], name, " ")
        for (j = 1; j <= names; j++) rank_of[name[j]] = i
    }
    names = split(standard, name, /[ \n]+/)
    for (i = 1; i <= names; i++) is_standard[name[i]] = 1
}

FNR == 1 {
    open = imported = 0
    named = ""
    place(FILENAME)
    if (library) units[FILENAME] = ""
}

{
    text = code($0)
    if (text ~ /^[ \t]*#[ \t]*include/) {
        header = text
        sub(/^[ \t]*#[ \t]*include[ \t]*/, "", header)
        sub(/[ \t]+$/, "", header)
        if (named != "") finding("#include after the module line")
        else if (imported) finding("#include after an import")
        bare = substr(header, 2, length(header) - 2)
        if (interface && (header !~ /^</ || !(bare in is_standard)))
            finding("an interface unit includes standard headers only, not " header)
    } else if (text ~ /^[ \t]*(export[ \t]+)?module([ \t;:]|$)/) {
        sub(/^[ \t]*(export[ \t]+)?module[ \t]*/, "", text)
        sub(/[ \t]*;.*/, "", text)
        declaration(text)
        if (library) units[FILENAME] = units[FILENAME] text
    } else if (text ~ /^[ \t]*(export[ \t]+)?import[ \t<":]/) {
        sub(/^[ \t]*(export[ \t]+)?import[ \t]*/, "", text)
        sub(/[ \t]*;.*/, "", text)
        import_of(text)
    }
}

END {
    for (file in units) if (units[file] == "") { printf "%s:1: no module line\n", file; findings++ }
    for (unit in edges) walk(unit, "", " ")
    exit findings > 0
}
' "${files[@]}"
