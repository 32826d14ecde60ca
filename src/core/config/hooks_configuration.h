#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/thresholds/fields.h"
#include "core/units/duration.h"

namespace jettison {

// The events that a hook may be called for.
enum class Occasion : std::uint8_t {
  kConditionChange,  // a condition of the node has changed
  kBeforeEviction,   // a pod has just been told to end; the eviction does not wait for the hook
  kAfterEviction,    // the evicted pod is gone from the node, or the wait for it is over
};
inline constexpr std::array kAllOccasions = {Occasion::kConditionChange, Occasion::kBeforeEviction,
                                             Occasion::kAfterEviction};
// "ConditionChange", "BeforeEviction", "AfterEviction".
[[nodiscard]] std::string_view NameOf(Occasion occasion);

// A program or a URL that is called when something happens on the node. Either `exec` or `url` is
// set.
struct HookConfig {
  std::string name;               // for the log
  std::vector<Occasion> when;     // never empty
  std::vector<std::string> exec;  // a program's absolute path and its arguments
  std::string url;                // "http://host:port/path", "https://..."
  Duration timeout = std::chrono::seconds(5);
  Duration min_interval = std::chrono::seconds(1);  // between two calls, after a burst
  friend bool operator==(const HookConfig&, const HookConfig&) = default;
};

// Reads the list `hooks`; every fault is noted.
[[nodiscard]] std::vector<HookConfig> ReadHooks(const Fields& fields);

}  // namespace jettison
