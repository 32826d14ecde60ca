#pragma once

namespace jettison {

// What every command ends with: 0 when it did what it was told.
inline constexpr int kExitFailed = 1;  // it could not
inline constexpr int kExitInvalidInput =
    2;  // it was told what makes no sense, by its arguments or files

}  // namespace jettison
