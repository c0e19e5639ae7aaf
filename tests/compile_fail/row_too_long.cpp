// error: rows have at most 12 values. use each.. for more
import pecs;

template <int> struct C {
    int number;
};

void use(pecs::world& w) {
    for (auto row :
         w.query<C<1>, C<2>, C<3>, C<4>, C<5>, C<6>, C<7>, C<8>, C<9>, C<10>, C<11>, C<12>, C<13>>())
        (void)row;
}
