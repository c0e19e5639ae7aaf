// error: for an array use std::array or a struct
import pecs;

auto use() { return pecs::id_of<int[3]>(); }
