#include "machine/log/log_output.h"

// All lines are sent from the same place in the source, so that place is left out.
#define SD_JOURNAL_SUPPRESS_LOCATION
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <syslog.h>
#include <systemd/sd-journal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "machine/log/log_writer.h"

namespace jettison {
namespace {

int PriorityOf(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug: return LOG_DEBUG;
    case LogLevel::kInfo: return LOG_INFO;
    case LogLevel::kWarning: return LOG_WARNING;
    case LogLevel::kError: return LOG_ERR;
  }
  __builtin_unreachable();
}

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

LogLine JournalEntries(LogLevel level, std::string_view message, std::span<const LogField> fields) {
  LogLine entries = {
      "MESSAGE=" + FormatMessage(message, fields),
      fmt::format("PRIORITY={}", PriorityOf(level)),
      "SYSLOG_IDENTIFIER=jettison",
  };
  for (const LogField& field : fields) {
    entries.push_back(fmt::format("{}={}", JournalNameOf(field.key), field.value));
  }
  return entries;
}

bool SendToJournal(const LogLine& entries) {
  std::vector<iovec> parts;
  for (const std::string& entry : entries) {
    parts.push_back({const_cast<char*>(entry.data()), entry.size()});  // sendv only reads it
  }
  return ::sd_journal_sendv(parts.data(), static_cast<int>(parts.size())) >= 0;
}

bool StandardErrorIsJournal() {
  const char* stream = std::getenv("JOURNAL_STREAM");
  struct stat status {};
  if (stream == nullptr || fstat(STDERR_FILENO, &status) != 0) return false;
  return fmt::format("{}:{}", status.st_dev, status.st_ino) == stream;
}

std::string JournalNameOf(std::string_view key) {
  std::string name = "JETTISON_";
  for (const char c : key) {
    const bool upper = c >= 'A' && c <= 'Z';
    const bool lower = c >= 'a' && c <= 'z';
    const bool digit = c >= '0' && c <= '9';
    if (upper) name.push_back('_');
    if (lower) {
      name.push_back(static_cast<char>(c - 'a' + 'A'));
    } else {
      name.push_back(upper || digit ? c : '_');
    }
  }
  return name;
}

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
