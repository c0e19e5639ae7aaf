#include "json.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <format>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <variant>

namespace bench {
namespace {

// --- Writing ---

std::string quoted(std::string_view text) {
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            (result += '\\') += c;
        } else if (static_cast<unsigned char>(c) < 0x20) {
            result += std::format("\\u{:04x}", static_cast<unsigned>(c));
        } else {
            result += c;
        }
    }
    return result + '"';
}

std::string number(double value) {
    constexpr double exact = 1e15;
    return value == std::floor(value) && std::abs(value) < exact ? std::format("{:.0f}", value)
                                                                 : std::format("{:.6g}", value);
}

class object {
public:
    void add(std::string_view key, const std::string& json) {
        text_ += std::format("{}{}: {}", text_.empty() ? "" : ", ", quoted(key), json);
    }
    void add(std::string_view key, const std::optional<double>& value) {
        if (value && std::isfinite(*value)) add(key, number(*value));
    }
    void add(std::string_view key, const std::optional<std::size_t>& value) {
        if (value) add(key, std::format("{}", *value));
    }
    [[nodiscard]] std::string text() const { return "{" + text_ + "}"; }

private:
    std::string text_;
};

std::string json_of(const row& row) {
    object object;
    object.add("scenario", quoted(row.scenario));
    object.add("variant", quoted(row.variant));
    object.add("n", row.n);
    object.add("fanout", row.fanout);
    if (!row.order.empty()) object.add("order", quoted(row.order));
    object.add("ns", row.ns);
    object.add("ratio", row.ratio);
    object.add("limit", row.limit);
    if (row.met) object.add("met", *row.met ? "true" : "false");
    object.add("bytes", row.bytes);
    object.add("err", row.err);
    if (row.sum && row.sum->is_real()) {
        if (std::isfinite(row.sum->real())) object.add("checksum", std::format("{:.12g}", row.sum->real()));
    } else if (row.sum) {
        object.add("checksum", std::format("{}", row.sum->whole()));
    }
    return object.text();
}

// --- Reading ---

using scalar = std::variant<std::monostate, bool, double, std::string>;

class reader {
public:
    explicit reader(std::string_view text) : text_{text} {}

    std::vector<row> rows() {
        std::vector<row> rows;
        list('[', ']', [&] { rows.push_back(next_row()); });
        skip_space();
        if (at_ != text_.size()) fail("something follows after the end");
        return rows;
    }

private:
    [[noreturn]] void fail(const std::string& problem) const {
        const auto line = 1 + std::ranges::count(text_.substr(0, at_), '\n');
        throw json_error{
            std::format("line {}: {}", line, at_ == text_.size() ? "the file ends too early" : problem)};
    }

    void skip_space() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }

    bool accept(char c) {
        skip_space();
        if (at_ == text_.size() || text_[at_] != c) return false;
        ++at_;
        return true;
    }

    void expect(char c) {
        if (!accept(c)) fail(std::format("expected '{}'", c));
    }

    template <typename Item> void list(char open, char close, Item item) {
        expect(open);
        if (accept(close)) return;
        do item();
        while (accept(','));
        expect(close);
    }

    row next_row() {
        row row;
        list('{', '}', [&] {
            skip_space();
            const std::string key = string();
            expect(':');
            assign(row, key, next_scalar());
        });
        if (row.scenario.empty() || row.variant.empty()) fail("a row without a scenario or a variant");
        return row;
    }

    scalar next_scalar() {
        skip_space();
        if (at_ == text_.size()) fail("");
        if (text_[at_] == '"') return string();
        for (const auto& [word, meaning] :
             {std::pair<std::string_view, scalar>{"true", true}, {"false", false}, {"null", {}}}) {
            if (text_.substr(at_).starts_with(word)) {
                at_ += word.size();
                return meaning;
            }
        }
        return real();
    }

    double real() {
        const std::size_t end = std::min(text_.find_first_not_of("+-.0123456789eE", at_), text_.size());
        const std::string digits{text_.substr(at_, end - at_)};
        char* rest = nullptr;
        const double result = std::strtod(digits.c_str(), &rest);
        if (digits.empty() || *rest != '\0' || !std::isfinite(result)) {
            fail("expected a text, a number, true, false or null");
        }
        at_ = end;
        return result;
    }

    std::string string() {
        if (at_ == text_.size() || text_[at_] != '"') fail("expected a text in quotes");
        ++at_;
        std::string result;
        while (at_ != text_.size() && text_[at_] != '"') {
            result += text_[at_] == '\\' ? escaped() : text_[at_++];
        }
        if (at_ == text_.size()) fail("");
        ++at_;
        return result;
    }

    char escaped() {
        constexpr std::string_view letters = "\"\\/bfnrt";
        constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
        constexpr std::size_t code_length = 4;
        ++at_;
        if (at_ == text_.size()) fail("");
        const char letter = text_[at_++];
        if (const std::size_t i = letters.find(letter); i != std::string_view::npos) return meanings[i];
        const std::string code{text_.substr(at_, code_length)};
        char* rest = nullptr;
        const unsigned long c = std::strtoul(code.c_str(), &rest, 16);
        if (letter != 'u' || code.size() != code_length || *rest != '\0' || c > 0x7f)
            fail("unknown escape in a text");
        at_ += code_length;
        return static_cast<char>(c);
    }

    template <typename T>
    [[nodiscard]] T as(const std::string& key, const scalar& value, std::string_view what) const {
        const T* held = std::get_if<T>(&value);
        if (held == nullptr) fail(std::format("'{}' should be {}", key, what));
        return *held;
    }

    void assign(row& row, const std::string& key, const scalar& value) const {
        const auto text = [&] { return as<std::string>(key, value, "a text"); };
        const auto real = [&] { return as<double>(key, value, "a number"); };
        const auto whole = [&] {
            constexpr double most = 9007199254740992; // beyond it, a double skips whole numbers
            const double number = real();
            if (number < 0 || number > most || number != std::floor(number)) {
                fail(std::format("'{}' should be a whole number", key));
            }
            return static_cast<std::size_t>(number);
        };
        if (std::holds_alternative<std::monostate>(value)) return;
        if (key == "scenario") row.scenario = text();
        if (key == "variant") row.variant = text();
        if (key == "n") row.n = whole();
        if (key == "fanout") row.fanout = whole();
        if (key == "order") row.order = text();
        if (key == "ns") row.ns = real();
        if (key == "ratio") row.ratio = real();
        if (key == "limit") row.limit = real();
        if (key == "met") row.met = as<bool>(key, value, "true or false");
        if (key == "bytes") row.bytes = real();
        if (key == "err") row.err = real();
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

} // namespace

void write_json(std::ostream& out, std::span<const row> rows) {
    out << '[';
    for (const row& row : rows) out << (&row == rows.data() ? "\n  " : ",\n  ") << json_of(row);
    out << (rows.empty() ? "]\n" : "\n]\n");
}

std::vector<row> read_json(std::string_view text) { return reader{text}.rows(); }

} // namespace bench
