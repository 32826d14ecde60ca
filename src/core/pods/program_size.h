#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "core/model/pod.h"
#include "core/units/result.h"

namespace jettison {

// Linux' limits for a program's environment and arguments (execve(2)): one string with its NUL has
// at most MAX_ARG_STRLEN bytes; all strings, with a pointer to each, have at most a quarter of the
// stack limit of 8 MiB. One page is reserved for what the runtime adds.
inline constexpr std::size_t kMostStringBytes = std::size_t{128} << 10;
inline constexpr std::size_t kMostProgramBytes = (std::size_t{2} << 20) - 4096;

// A violation of these limits by a container.
struct ProgramFault {
  std::string_view field;  // "env", "command" or "args"
  std::size_t index = 0;   // in it
  std::string message;     // the size that it would have, and the allowed one
};

// Checks the sizes of variables, command and arguments after their expansion. Returns the first
// string that is too long, or with which the sum is too large. Computes sizes only, without
// expanding anything.
[[nodiscard]] std::optional<ProgramFault> ProgramFaultOf(const Container& container);

// The same as an error that names the container; to be asked before anything is expanded.
[[nodiscard]] Result<void> CheckProgram(const Container& container);

}  // namespace jettison
