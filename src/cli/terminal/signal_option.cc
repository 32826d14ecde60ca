#include "cli/terminal/signal_option.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "core/model/signal.h"
#include "core/text/spelling.h"

namespace jettison {

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
