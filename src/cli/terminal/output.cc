#include "cli/terminal/output.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "core/model/fault.h"
#include "core/text/printable.h"

namespace jettison {

std::string PrintableLines(std::string_view text) {
  std::string lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines += Printable(text.substr(begin, end - begin));
    if (end < text.size()) lines += '\n';
    begin = end + 1;
  }
  return lines;
}

int PrintText(std::string_view text) {
  return PrintData(PrintableLines(text));
}

int PrintData(std::string_view data) {
  if (std::fwrite(data.data(), 1, data.size(), stdout) == data.size() && std::fflush(stdout) == 0) {
    return 0;
  }
  PrintError("jettison: cannot write: {}\n", std::strerror(errno));
  return kExitFailed;
}

void WriteToStandardError(std::string_view text) {
  (void)std::fwrite(text.data(), 1, text.size(), stderr);
}

void HoldStandardStreams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) >= 0) continue;
    // The lowest number that is free, which is this one; it can do what the stream is not for.
    (void)::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

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
