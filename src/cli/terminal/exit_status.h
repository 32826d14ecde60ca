#pragma once

#include "core/units/result.h"

namespace jettison {

// What every command ends with: 0 when it did what it was told.
inline constexpr int kExitFailed = 1;  // it could not
inline constexpr int kExitInvalidInput =
    2;  // it was told what makes no sense, by its arguments or files

// What a command ends with that could not begin for this reason: input that is wrong, or anything
// else, such as a file that cannot be read.
[[nodiscard]] inline int ExitStatusOf(const Error& error) {
  return error.code == ErrorCode::kInvalidArgument ? kExitInvalidInput : kExitFailed;
}

}  // namespace jettison
