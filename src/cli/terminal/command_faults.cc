#include "cli/terminal/command_faults.h"

#include <algorithm>

#include "cli/terminal/exit_status.h"
#include "cli/terminal/output.h"

namespace jettison {

void CommandFaults::Add(const std::string& fault) {
  if (!fault.empty()) Add(Error{ErrorCode::kInvalidArgument, fault});
}

void CommandFaults::Add(const Error& error) {
  PrintError("jettison: {}\n", error.message);
  status_ = std::max(status_, ExitStatusOf(error));
}

}  // namespace jettison
