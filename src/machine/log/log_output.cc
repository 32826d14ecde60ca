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
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

// The name that the journal has for a field of the log: JETTISON_GRACE_PERIOD for "gracePeriod".
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

// A line as the journal takes it: MESSAGE as in a log of text, PRIORITY, and each field.
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

// May wait for the journal; false: it did not take the line.
bool SendToJournal(const LogLine& entries) {
  std::vector<iovec> parts;
  for (const std::string& entry : entries) {
    parts.push_back({const_cast<char*>(entry.data()), entry.size()});  // sendv only reads it
  }
  return ::sd_journal_sendv(parts.data(), static_cast<int>(parts.size())) >= 0;
}

// Whether standard error is connected to systemd's journal (JOURNAL_STREAM, systemd.exec(5)). If
// so, lines are sent to the journal with their fields, so that each field can be searched for.
bool StandardErrorIsJournal() {
  const char* stream = std::getenv("JOURNAL_STREAM");
  struct stat status {};
  if (stream == nullptr || fstat(STDERR_FILENO, &status) != 0) return false;
  return fmt::format("{}:{}", status.st_dev, status.st_ino) == stream;
}

// How long the end of the log waits for its lines to be written.
constexpr Duration kPatienceAtEnd = std::chrono::seconds(1);

std::size_t BytesOf(const LogLine& line) {
  std::size_t bytes = sizeof(LogLine);
  for (const std::string& part : line) bytes += sizeof(std::string) + part.size();
  return bytes;
}

}  // namespace

struct LogWriter::Shared {
  const Write write;
  const Gap gap;
  const std::size_t most_bytes;
  std::atomic<std::size_t> bytes = 0;      // of lines that wait
  std::atomic<std::uint64_t> lost = 0;     // in total
  std::atomic<std::uint64_t> refused = 0;  // for lack of space, since the last line that found some
  std::uint64_t untold = 0;                // of the jobs: lost, and not reported yet

  Shared(Write how, Gap say, std::size_t most)
      : write(std::move(how)), gap(std::move(say)), most_bytes(most) {}

  void WriteLine(const LogLine& line, std::uint64_t lost_before) {
    Report(lost_before);
    if (!write(line)) {
      ++lost;
      ++untold;
    }
    if (bytes == 0) Report(refused.exchange(0));
  }
  // If there is no reader, the next line causes the next try.
  void Report(std::uint64_t more) {
    untold += more;
    if (untold > 0 && write(gap(untold))) untold = 0;
  }
};

LogWriter::LogWriter(Write write, Gap gap, std::size_t most_bytes)
    : shared_(std::make_shared<Shared>(std::move(write), std::move(gap), most_bytes)) {}

LogWriter::~LogWriter() {
  (void)Flush(kPatienceAtEnd);
}

void LogWriter::Put(LogLine line) {
  const std::size_t size = BytesOf(line);
  if (shared_->bytes + size > shared_->most_bytes) {
    ++shared_->lost;
    ++shared_->refused;
    return;
  }
  shared_->bytes += size;
  jobs_.Do([shared = shared_, line = std::move(line), size, before = shared_->refused.exchange(0)] {
    shared->bytes -= size;
    shared->WriteLine(line, before);
  });
}

bool LogWriter::Flush(Duration patience) {
  return jobs_.running() && jobs_.FinishWithin(patience);
}

std::uint64_t LogWriter::lost() const {
  return shared_->lost;
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
