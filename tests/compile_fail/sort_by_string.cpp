// error: the key of each_sorted must be trivially copyable
import pecs;

struct Position {
    float x, y;
};
struct Text {
    Text(const Text&);
    ~Text();
    bool operator<(const Text&) const;
};

void use(pecs::world& w, const Text& text) {
    w.query<Position>().each_sorted([&](const Position&) { return text; }, [](Position&) {});
}
