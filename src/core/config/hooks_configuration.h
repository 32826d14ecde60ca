#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/thresholds/fields.h"
#include "core/units/duration.h"

namespace jettison {

// What a hook may be told of.
enum class Occasion : std::uint8_t {
  kConditionChange,  // a condition of the node has changed
  kBeforeEviction,   // a pod has been told to end; nobody waits for the hook
  kAfterEviction,    // nothing of it is on the node any more, or the wait for that is over
};
inline constexpr std::array kAllOccasions = {Occasion::kConditionChange, Occasion::kBeforeEviction,
                                             Occasion::kAfterEviction};
// "ConditionChange", "BeforeEviction", "AfterEviction".
[[nodiscard]] std::string_view NameOf(Occasion occasion);

// A program, or an address, that is told what happens on the node. One of `exec` and `url` is set.
struct HookConfig {
  std::string name;               // for the log
  std::vector<Occasion> when;     // never empty
  std::vector<std::string> exec;  // a program's absolute path and its arguments
  std::string url;                // "http://host:port/path", "https://..."
  Duration timeout = std::chrono::seconds(5);
  Duration min_interval = std::chrono::seconds(1);  // between calls, where there are many
};

// Reads the list `hooks`; every fault is noted.
[[nodiscard]] std::vector<HookConfig> ReadHooks(const Fields& fields);

}  // namespace jettison
