# shellcheck shell=bash
# The guided tour: a few of the examples, each with some words before it. On a terminal it leaves time to read, and one
# of the examples is an animation; elsewhere everything is plain text. It ends by itself, in under a minute.

# chapter TITLE EXAMPLE LINE...: shows the lines, then runs the example.
chapter() {
    local title=$1 example=$2
    shift 2
    printf '\n--- %s\n' "$title"
    printf '    %s\n' "$@"
    printf '\n'
    pause 3
    "build/dev/examples/$example" || die "the example '$example' failed."
    pause 3
}

# pause SECONDS: for readers; a log needs none.
pause() { if [[ -t 1 ]]; then sleep "$1"; fi; }

demo() {
    setup
    build dev scene_graph relations flock representations

    chapter 'A tree' scene_graph \
        'A scene graph: children relate to their parents. Positions flow from the top' \
        'down, parts change parents, and whoever loses its parent is gone as well.' \
        '(examples/scene_graph.cpp)'
    chapter 'Relations' relations \
        'A relation is a component with a target. An entity may have many of them;' \
        'queries ask for one target, any, none, or for what the target has.' \
        '(examples/relations.cpp)'
    chapter 'A loop' flock \
        '10,000 birds follow 4 leaders (@). A bird reads the components of its leader in' \
        'the same query as its own. When a leader leaves, its whole flock gets another' \
        'target in one call. (examples/flock.cpp)'
    chapter 'What it costs' representations \
        'For every parent, a sum over its children; 100,000 children in random order.' \
        'Three ways that programs use where there are no relations, then two ways with' \
        'them. Measured here and now. With one child each, a handle in the child does as' \
        'well; from a few on, relations win. (examples/representations.cpp)'

    printf '\n--- Next\n'
    printf '    %s\n' 'docs/quickstart.md: your own program. docs/cheatsheet.md: one task, one snippet.' \
        'examples/: all programs, with their output.'
}
