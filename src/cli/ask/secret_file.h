#pragma once

#include <string>
#include <string_view>

#include "core/units/result.h"

namespace jettison {

// A token or a password, which stands alone in its file; blanks around it are not of it. `what` is
// what the file is, for errors: "token file". Fails where the file cannot be read or is empty.
[[nodiscard]] Result<std::string> SecretIn(const std::string& path, std::string_view what);

}  // namespace jettison
