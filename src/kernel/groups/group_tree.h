#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "core/units/result.h"

namespace jettison::kernel {

// What is done with the groups of a tree; what is empty is not called.
struct GroupVisit {
  // With each open group, before those below it.
  std::function<Result<void>(int group)> enter = nullptr;
  // With each group but the top, after those below it; `group` is open in `parent`, which is.
  std::function<Result<void>(int parent, const std::string& name, int group)> leave = nullptr;
};

// Visits the open group and all below it. A pod may nest its groups as deep as it likes: so many
// descriptors are open at most, beside two for listing, and the stack does not grow. What vanishes
// meanwhile is left out; the first failure ends it.
inline constexpr std::size_t kOpenGroups = 8;
[[nodiscard]] Result<void> VisitGroups(int top, const GroupVisit& visit);

}  // namespace jettison::kernel
