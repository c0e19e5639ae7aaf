module;
#include <string>

module pecs.query;

namespace pecs::detail {

void throw_foreign_end() {
    throw error{
        "the loop over a query was given another end than it began with: use range-for, or keep the end in a "
        "variable"};
}

} // namespace pecs::detail
