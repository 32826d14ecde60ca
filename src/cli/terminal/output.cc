#include "cli/terminal/output.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "cli/terminal/exit_status.h"
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

}  // namespace jettison
