#include "cli/terminal/option_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <vector>

#include "core/model/signal.h"
#include "core/text/spelling.h"

namespace jettison {
namespace {

template <typename T>
std::optional<T> Read(const std::string& text) {
  T number{};
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return number;
}

template <typename T>
std::function<std::string(const std::string&)> Within(std::string_view what, T least, T most) {
  return [what, least, most](const std::string& text) -> std::string {
    const auto number = Read<T>(text);
    // Of nan neither comparison is true.
    if (number && *number >= least && *number <= most) return "";
    return fmt::format("{}: must be {} from {} to {}", text, what, least, most);
  };
}

}  // namespace

std::function<std::string(const std::string&)> WholeNumber(std::uint64_t least,
                                                           std::uint64_t most) {
  return Within("a whole number", least, most);
}

std::function<std::string(const std::string&)> Number(double least, double most) {
  return Within("a number", least, most);
}

std::function<std::string(const std::string&)> KnownSignal() {
  return [](const std::string& text) -> std::string {
    std::vector<std::string_view> names;
    for (const Signal signal : kAllSignals) names.push_back(NameOf(signal));
    if (std::ranges::find(names, text) != names.end()) return "";
    return fmt::format("{}: there is no such signal{}; allowed: {}", text, DidYouMean(text, names),
                       Alternatives(names));
  };
}

}  // namespace jettison
