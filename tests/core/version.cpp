#include <boost/ut.hpp>

import pecs;

int main() {
    using namespace boost::ut;

    "versions are ordered as releases are"_test = [] {
        static_assert(pecs::version_number{0, 1, 0} < pecs::version_number{0, 1, 1});
        static_assert(pecs::version_number{0, 9, 9} < pecs::version_number{1, 0, 0});
        expect(pecs::library_version >= pecs::version_number{0, 1, 0});
    };
}
