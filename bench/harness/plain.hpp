// What hand-written code would use instead of an ECS: plain vectors, with records for those who need handles. The
// floors of the scenarios are written with these.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bench::plain {

struct handle {
    std::uint32_t index;
    std::uint32_t generation;
};

struct record {
    std::uint32_t row;
    std::uint32_t generation;
};

struct position {
    float x, y, z;
};
struct velocity {
    float x, y, z;
};

// Two components in arrays, handles with generations, removal by moving the last row into the gap.
struct table {
    std::vector<record> records;
    std::vector<std::uint32_t> free;
    std::vector<handle> handles;
    std::vector<position> positions;
    std::vector<velocity> velocities;

    handle insert(position p, velocity v) {
        handle made{static_cast<std::uint32_t>(records.size()), 1};
        const auto row = static_cast<std::uint32_t>(handles.size());
        if (free.empty()) {
            records.push_back({row, 1});
        } else {
            made = {free.back(), records[free.back()].generation};
            free.pop_back();
            records[made.index].row = row;
        }
        handles.push_back(made);
        positions.push_back(p);
        velocities.push_back(v);
        return made;
    }

    bool erase(handle gone) {
        if (gone.index >= records.size() || records[gone.index].generation != gone.generation) return false;
        const std::uint32_t row = records[gone.index].row;
        handles[row] = handles.back();
        positions[row] = positions.back();
        velocities[row] = velocities.back();
        records[handles[row].index].row = row;
        handles.pop_back();
        positions.pop_back();
        velocities.pop_back();
        ++records[gone.index].generation;
        free.push_back(gone.index);
        return true;
    }
};

} // namespace bench::plain
