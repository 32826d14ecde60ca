#pragma once

#include <string_view>

#include "core/units/result.h"

namespace jettison {

// Ends the processes of a control group and then removes the group. Paths are as in Cgroups.
class GroupEnd {
 public:
  virtual ~GroupEnd() = default;

  // Sends a signal to every process of the group and below.
  [[nodiscard]] virtual Result<void> Signal(std::string_view path, int signal) = 0;
  // Kills every process of the group and below, including those that are forked meanwhile. Frozen
  // processes are thawed.
  [[nodiscard]] virtual Result<void> Kill(std::string_view path) = 0;
  // Whether a signal to the group, or to a group above it, is still on its way to some process.
  [[nodiscard]] virtual bool IsSignalling(std::string_view /*path*/) { return false; }
  // Removes the group and everything below it in every hierarchy. A group that is gone already is a
  // success. Fails while processes live in it. kUnavailable while something of the group, its page
  // cache for example, is still being freed: the caller then calls again.
  [[nodiscard]] virtual Result<void> Remove(std::string_view path) = 0;
};

}  // namespace jettison
