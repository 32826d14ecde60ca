#pragma once

#include <string_view>

#include "core/shadow/shadow_pairing.h"
#include "core/units/result.h"

namespace jettison {

// What ShadowJson has written, as a value, but for the classes of leads. Fields that an older or
// newer agent does not send are absent; kInvalidArgument where the text is no such comparison.
[[nodiscard]] Result<ShadowView> ReadShadow(std::string_view json);

}  // namespace jettison
