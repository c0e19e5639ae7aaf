#include "options.hpp"

#include <algorithm>
#include <cstddef>
#include <format>

namespace bench {

options parse(std::span<const std::string_view> arguments) {
    options options;
    for (std::size_t i = 0; i != arguments.size(); ++i) {
        const std::string_view argument = arguments[i];
        const auto file = [&] {
            if (i + 1 == arguments.size() || arguments[i + 1].empty() || arguments[i + 1].starts_with('-')) {
                throw usage_error{std::format("{} needs a file", argument)};
            }
            return std::string{arguments[++i]};
        };
        if (argument == "--quick")
            options.quick = true;
        else if (argument == "--check")
            options.check = true;
        else if (argument == "--list")
            options.list = true;
        else if (argument == "--help" || argument == "-h")
            options.help = true;
        else if (argument == "--json")
            options.json = file();
        else if (argument == "--baseline")
            options.baseline = file();
        else if (argument.empty() || argument.starts_with('-'))
            throw usage_error{std::format("unknown option '{}'", argument)};
        else if (std::ranges::find(options.scenarios, argument) == options.scenarios.end())
            options.scenarios.emplace_back(argument);
    }
    return options;
}

} // namespace bench
