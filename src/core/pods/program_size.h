#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "core/model/pod.h"
#include "core/units/result.h"

namespace jettison {

// What Linux takes of a program's environment and arguments (execve(2)): of one string its bytes
// with the NUL behind them (MAX_ARG_STRLEN); of all strings, with a pointer to each, a quarter of
// the stack's limit, which is 8 MiB. A page is left for what the runtime adds.
inline constexpr std::size_t kMostStringBytes = std::size_t{128} << 10;
inline constexpr std::size_t kMostProgramBytes = (std::size_t{2} << 20) - 4096;

// Where a container asks for more than that.
struct ProgramFault {
  std::string_view field;  // "env", "command" or "args"
  std::size_t index = 0;   // in it
  std::string message;     // what it would have, and what is allowed
};

// Whether variables, command and arguments are small enough once they are expanded; the first that
// is not, or with which all of them are too many. Sizes are worked out, nothing is expanded.
[[nodiscard]] std::optional<ProgramFault> ProgramFaultOf(const Container& container);

// The same as an error that names the container; to be asked before anything is expanded.
[[nodiscard]] Result<void> CheckProgram(const Container& container);

}  // namespace jettison
