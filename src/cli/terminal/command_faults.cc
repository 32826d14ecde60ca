#include "cli/terminal/command_faults.h"

#include <algorithm>
#include <utility>

#include "cli/terminal/exit_status.h"
#include "cli/terminal/output.h"
#include "core/model/fault.h"

namespace jettison {

void CommandFaults::Add(const std::string& fault) {
  if (!fault.empty()) Add(Error{ErrorCode::kInvalidArgument, fault});
}

void CommandFaults::Add(const Error& error) {
  PrintError("jettison: {}\n", error.message);
  status_ = std::max(status_, ExitStatusOf(error));
}

void LineFaults::Add(std::size_t line, const std::string& fault) {
  if (times_ == 0 || fault != fault_) {
    Say();
    fault_ = fault;
    first_ = line;
  }
  last_ = line;
  ++times_;
}

void LineFaults::Say() {
  const std::size_t times = std::exchange(times_, 0);
  if (times == 0) return;
  if (said_ == kMostFaults) {
    unsaid_ += times;
    return;
  }
  ++said_;
  if (times == 1) {
    PrintError("jettison: {}:{}: {}\n", name_, first_, fault_);
  } else {
    PrintError("jettison: {}:{}: {} (and the same with {} more lines, up to {})\n", name_, first_,
               fault_, times - 1, last_);
  }
}

bool LineFaults::Close() {
  Say();
  if (unsaid_ > 0) PrintError("jettison: {}: and {} more lines have faults\n", name_, unsaid_);
  return said_ > 0;
}

}  // namespace jettison
