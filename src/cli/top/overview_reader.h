#pragma once

#include <string_view>

#include "api/overview/overview.h"
#include "core/units/result.h"

namespace jettison {

inline constexpr const char* kOverviewPath = "/api/v1/overview";

// What kOverviewPath answered, as a value. Fields that an older or newer agent does not send are
// absent; kInvalidArgument where the text is no overview.
[[nodiscard]] Result<Overview> ReadOverview(std::string_view json);

}  // namespace jettison
