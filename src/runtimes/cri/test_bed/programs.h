#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "core/units/result.h"

namespace jettison {

// The program of that name in $PATH or where administrators' programs are; kNotFound where there is
// none.
[[nodiscard]] Result<std::string> FindProgram(const std::string& name);

// Runs a program (a path and its arguments) to its end, without input, and answers what it printed.
// One that fails, or cannot be started, is an error with its last line.
[[nodiscard]] Result<std::string> RunProgram(const std::vector<std::string>& arguments);

// Starts a program that goes on running, at the longest as long as this thread; what it prints goes
// to the end of a file. It is the caller's to end and to wait for.
[[nodiscard]] Result<pid_t> StartProgram(const std::vector<std::string>& arguments,
                                         const std::string& output_file);

}  // namespace jettison
