#pragma once

#include <string_view>

#include "core/units/result.h"

namespace jettison {

// How a control group ends: its processes, and then the group itself. Paths are those of Cgroups.
class GroupEnd {
 public:
  virtual ~GroupEnd() = default;

  // Sends a signal to every process of the group and below.
  [[nodiscard]] virtual Result<void> Signal(std::string_view path, int signal) = 0;
  // Ends every process of the group and below, those forked meanwhile included; thaws frozen ones.
  [[nodiscard]] virtual Result<void> Kill(std::string_view path) = 0;
  // Removes the group and everything below it in every hierarchy; one that is gone is a success.
  // Fails while processes live there. kUnavailable where something of the group, its page cache for
  // example, is still being given back: to be asked again.
  [[nodiscard]] virtual Result<void> Remove(std::string_view path) = 0;
};

}  // namespace jettison
