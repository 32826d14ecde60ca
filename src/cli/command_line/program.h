#pragma once

#include <string>

namespace jettison {

// The whole program: reads the command line and does what it says. Returns the exit status, 1 also
// where what was written did not reach standard output, and where an exception was left to nobody.
[[nodiscard]] int RunProgram(const std::string& version, int argc, const char* const* argv);

}  // namespace jettison
