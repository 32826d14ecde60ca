#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "core/units/result.h"

namespace jettison::kernel {

// The functions that VisitGroups calls. An empty one is not called.
struct GroupVisit {
  // Called with each open group, before the groups below it.
  std::function<Result<void>(int group)> enter = nullptr;
  // Called with each group except the top, after the groups below it. `group` and `parent`, which
  // contains it, are open directories.
  std::function<Result<void>(int parent, const std::string& name, int group)> leave = nullptr;
};

// Visits the open group and all groups below it. A pod may nest its groups to any depth, so at most
// kOpenGroups descriptors are open, beside two for listing, and the stack does not grow. A group
// that vanishes meanwhile is left out. The first failure ends the visit.
inline constexpr std::size_t kOpenGroups = 8;
[[nodiscard]] Result<void> VisitGroups(int top, const GroupVisit& visit);

}  // namespace jettison::kernel
