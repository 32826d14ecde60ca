#include "machine/log/log_output.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>
#include <string_view>
#include <utility>

#include "machine/log/journal.h"
#include "machine/log/log_writer.h"

namespace jettison {
namespace {

constexpr std::string_view kLost = "log lines were lost, because nobody read them in time";

bool WriteText(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {
      // Another process that shares the open file has made it non-blocking.
      pollfd room = {.fd = STDERR_FILENO, .events = POLLOUT, .revents = 0};
      ::poll(&room, 1, -1);
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

bool WriteLine(const LogLine& line) {
  for (const std::string& text : line) {
    if (!WriteText(text)) return false;
  }
  return true;
}

LogLine LineOf(std::string_view text) {
  return {std::string(text).append(1, '\n')};
}

// The log itself cannot report this.
void SayThatThereIsNoThread() {
  (void)WriteText(
      "jettison: the thread that writes the log cannot be started; log lines wait until it can. "
      "Raise pids.max of the agent's group (TasksMax= of its unit)\n");
}

}  // namespace

std::unique_ptr<Log> OpenLog(const LogOutput& output, const Clock& clock) {
  const LogFormat format = output.format;
  const auto make = [&](Log::Sink sink) {
    auto log = std::make_unique<Log>(format, clock, std::move(sink), output.dry_run);
    log->SetLeast(output.least);
    return log;
  };
  if (output.sink) return make(output.sink);
  const bool journal = StandardErrorIsJournal();
  const auto gap = [format, journal, &clock](std::uint64_t lost) -> LogLine {
    const std::string count = fmt::to_string(lost);
    const std::array<LogField, 1> fields = {{{"count", count}}};
    if (journal) return JournalEntries(LogLevel::kWarning, kLost, fields);
    return LineOf(FormatLine(format, clock.Wall(), LogLevel::kWarning, kLost, fields));
  };
  const auto writer = std::make_shared<LogWriter>(journal ? SendToJournal : WriteLine, gap);
  if (!writer->running()) SayThatThereIsNoThread();
  auto log = make([writer](std::string_view line) { writer->Put(LineOf(line)); });
  if (journal) {
    log->SendFieldsTo(
        [writer](LogLevel level, std::string_view message, std::span<const LogField> fields) {
          writer->Put(JournalEntries(level, message, fields));
        });
  }
  log->CountLostWith([writer] { return writer->lost(); });
  return log;
}

}  // namespace jettison
