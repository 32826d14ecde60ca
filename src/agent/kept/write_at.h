#pragma once

#include <cstddef>
#include <string_view>

#include "core/units/result.h"

namespace jettison {

// Writes all of the text at that offset of an open file. Fails with what the kernel answers; a part
// may have been written then.
[[nodiscard]] Result<void> WriteAt(int fd, std::string_view text, std::size_t at);

}  // namespace jettison
