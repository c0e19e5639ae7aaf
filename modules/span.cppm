// What a loop over a `std::span` needs: the comparison of its iterators. Queries hand out spans, and a user's file that
// includes nothing must be able to go through them.
module;
#include <span>

export module pecs.span;

export namespace std {
using std::operator==;
}
#if defined(_GLIBCXX_RELEASE) && _GLIBCXX_RELEASE < 16 // later ones find them by themselves
export namespace __gnu_cxx {
using __gnu_cxx::operator==;
}
#endif
