// The scenario's side of the harness: collecting variants, measuring them, keeping the rows.
#include <algorithm>
#include <format>
#include <ostream>
#include <stdexcept>

#include "bench.hpp"
#include "table.hpp"

namespace bench {
namespace {

std::vector<scenario>& registry() {
    static std::vector<scenario> all;
    return all;
}

// "EnTT" of "EnTT, view".
std::string_view library_of(std::string_view variant) { return variant.substr(0, variant.find(',')); }

std::string title(const shape& shape) {
    std::string text;
    if (shape.n) text += " n=" + short_number(*shape.n);
    if (shape.fanout) text += " fan-out=" + short_number(*shape.fanout);
    if (!shape.order.empty()) text += " order=" + shape.order;
    return text;
}

} // namespace

entry& group::add(entry entry) {
    if (std::ranges::find(entries_, entry.name, &entry::name) != entries_.end()) {
        throw std::invalid_argument{std::format("a group has two variants named '{}'", entry.name)};
    }
    if (entry.floor && std::ranges::find(entries_, true, &entry::floor) != entries_.end()) {
        throw std::invalid_argument{"a group has two floors"};
    }
    return entries_.emplace_back(std::move(entry));
}

std::vector<timing> group::time() const {
    std::vector<work*> works(entries_.size());
    std::ranges::transform(entries_, works.begin(), [](const entry& each) { return each.job.get(); });
    return bench::measure(works, context_->settings_.quick ? quick_pace : full_pace, shape_.drift);
}

void group::measure() {
    if (entries_.empty()) throw std::logic_error{"a group without variants, or measured twice"};
    std::ostream& progress = *context_->progress_;
    const std::string name = context_->scenario_ + title(shape_);
    const double items = shape_.items.value_or(static_cast<double>(shape_.n.value_or(1)));
    progress << std::format("  {} ({} variants)\n", name, entries_.size()) << std::flush;

    const std::vector<timing> timings = time();
    std::vector<row> rows = judge(entries_, timings, items);
    const bool wrong = std::ranges::any_of(rows, &row::wrong);
    for (int retry = 1; retry <= context_->settings_.retries && !wrong && std::ranges::any_of(rows, fails);
         ++retry) {
        progress << std::format("  {} missed a limit: measuring it again ({} of {})\n", name, retry,
                                context_->settings_.retries)
                 << std::flush;
        std::vector<timing> again = time();
        if (shape_.drift) { // by now, every variant has gone its own way
            for (std::size_t i = 0; i != again.size(); ++i) again[i].sum = timings[i].sum;
        }
        rows = better(std::move(rows), judge(entries_, again, items));
    }
    for (row& row : rows) {
        row.scenario = context_->scenario_;
        row.n = shape_.n;
        row.fanout = shape_.fanout;
        row.order = shape_.order;
        row.scored = !shape_.rivals;
        row.rival = shape_.rivals && library_of(row.variant) != library_of(entries_[0].name);
        context_->rows_.push_back(std::move(row));
    }
    entries_.clear();
    --context_->unmeasured_;
}

std::vector<std::size_t> context::sizes(std::initializer_list<std::size_t> all) const {
    std::vector<std::size_t> chosen{all};
    if (settings_.quick && chosen.size() > 1) chosen.pop_back();
    return chosen;
}

bench::group context::group(shape shape) {
    ++unmeasured_;
    return {*this, std::move(shape)};
}

void context::value(std::string variant, figure figure) {
    row row{.scenario = scenario_, .variant = std::move(variant)};
    row.n = figure.n;
    row.fanout = figure.fanout;
    row.order = std::move(figure.order);
    row.bytes = figure.bytes;
    row.ratio = figure.ratio;
    row.limit = figure.limit;
    if (figure.limit) {
        if (!figure.ratio && !figure.bytes)
            throw std::invalid_argument{"a limit of a figure that is not there"};
        row.met = figure.ratio.value_or(figure.bytes.value_or(0)) <= *figure.limit;
    }
    rows_.push_back(std::move(row));
}

void context::note(const std::string& text) { *progress_ << std::format("  {}: {}\n", scenario_, text); }

std::vector<row> context::take() {
    if (unmeasured_ != 0) throw std::logic_error{"a group was never measured: call its measure()"};
    return std::exchange(rows_, {});
}

scenario::scenario(std::string_view called, std::string_view about, std::function<void(context&)> body,
                   visibility shown)
    : name{called}, description{about}, run{std::move(body)}, visible{shown} {
    registry().push_back(*this);
}

std::vector<scenario> scenarios() {
    std::vector<scenario> all = registry();
    std::ranges::sort(all, {}, &scenario::name);
    return all;
}

} // namespace bench
