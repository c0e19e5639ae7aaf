#error "a user of PECS must not need Boost"
