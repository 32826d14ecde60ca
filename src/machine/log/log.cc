#include "machine/log/log.h"

// All lines are sent from the same place in the source, so that place is left out.
#define SD_JOURNAL_SUPPRESS_LOCATION
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <syslog.h>
#include <systemd/sd-journal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/json/json_writer.h"

namespace jettison {
namespace {

void AppendQuoted(std::string& line, std::string_view text) {
  JsonWriter(line).String(text);
}

bool IsPlain(std::string_view text) {
  return !text.empty() && std::ranges::none_of(text, [](char c) {
    return static_cast<unsigned char>(c) <= ' ' || c == '"' || c == '=' || c == '\\';
  });
}

void AppendText(std::string& line, LogField field) {
  if (!line.empty()) line.push_back(' ');
  line += field.key;
  line.push_back('=');
  if (IsPlain(field.value)) {
    line += field.value;
  } else {
    AppendQuoted(line, field.value);
  }
}

void AppendJson(std::string& line, LogField field) {
  line.push_back(line.empty() ? '{' : ',');
  AppendQuoted(line, field.key);
  line.push_back(':');
  AppendQuoted(line, field.value);
}

int PriorityOf(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug: return LOG_DEBUG;
    case LogLevel::kInfo: return LOG_INFO;
    case LogLevel::kWarning: return LOG_WARNING;
    case LogLevel::kError: return LOG_ERR;
  }
  __builtin_unreachable();
}

// The name that the journal has for a field of the log.
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

// A NUL ends an entry, so that none may be in it.
std::string WithoutNul(std::string_view value) {
  std::string text(value);
  std::ranges::replace(text, '\0', ' ');
  return text;
}

std::string JournalEntries(LogLevel level, std::string_view message,
                           std::span<const LogField> fields) {
  std::string text = WithoutNul(message);
  for (const LogField& field : fields) AppendText(text, field);
  std::string entries = fmt::format("MESSAGE={}{}PRIORITY={}{}SYSLOG_IDENTIFIER=jettison{}", text,
                                    '\0', PriorityOf(level), '\0', '\0');
  for (const LogField& field : fields) {
    entries += fmt::format("{}={}{}", JournalNameOf(field.key), WithoutNul(field.value), '\0');
  }
  return entries;
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

bool WriteLine(const std::string& line) {
  return WriteText(line + "\n");
}

// May wait for the journal; false: it did not take the line.
bool SendToJournal(const std::string& line) {
  std::vector<iovec> parts;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t end = line.find('\0', at);
    parts.push_back({const_cast<char*>(line.data() + at), end - at});  // sendv only reads it
    at = end + 1;
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

}  // namespace

std::string FormatLine(LogFormat format, WallTime at, LogLevel level, std::string_view message,
                       std::span<const LogField> fields) {
  if (format == LogFormat::kJournal) return JournalEntries(level, message, fields);
  const auto append = format == LogFormat::kText ? AppendText : AppendJson;
  // Milliseconds suffice for a log.
  const std::string time = FormatWallTime(std::chrono::floor<std::chrono::milliseconds>(at));
  std::string line;
  append(line, {"time", time});
  append(line, {"level", NameOf(level)});
  append(line, {"msg", message});
  for (const LogField& field : fields) append(line, field);
  if (format == LogFormat::kJson) line.push_back('}');
  return line;
}

void Log::Write(LogLevel level, std::string_view message,
                std::initializer_list<LogField> fields) const {
  if (level < least_) return;
  std::vector<LogField> all(fields);
  if (dry_run_) all.push_back({"dryRun", "true"});
  sink_(FormatLine(format_, clock_.Wall(), level, message, all));
}

struct LogWriter::Shared {
  const Write write;
  const Gap gap;
  const std::size_t most_bytes;
  std::atomic<std::size_t> bytes = 0;   // of lines that wait
  std::atomic<std::uint64_t> lost = 0;  // in total
  std::uint64_t told = 0;               // of the jobs: how many of them were reported

  Shared(Write how, Gap say, std::size_t most)
      : write(std::move(how)), gap(std::move(say)), most_bytes(most) {}

  void WriteLine(const std::string& line, std::uint64_t lost_before) {
    Report(lost_before);
    if (!write(line)) ++lost;
    if (bytes == 0) Report(lost);
  }
  // If there is no reader, the next line causes the next try.
  void Report(std::uint64_t up_to) {
    if (up_to > told && write(gap(up_to - told))) told = up_to;
  }
};

LogWriter::LogWriter(Write write, Gap gap, std::size_t most_bytes)
    : shared_(std::make_shared<Shared>(std::move(write), std::move(gap), most_bytes)) {}

LogWriter::~LogWriter() {
  (void)Flush(kPatienceAtEnd);
}

void LogWriter::Put(std::string line) {
  const std::size_t size = sizeof(line) + line.size();
  if (shared_->bytes + size > shared_->most_bytes) {
    ++shared_->lost;
    return;
  }
  shared_->bytes += size;
  jobs_.Do([shared = shared_, line = std::move(line), size, before = shared_->lost.load()] {
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
  const bool journal = !output.sink && StandardErrorIsJournal();
  const LogFormat format = journal ? LogFormat::kJournal : output.format;
  std::shared_ptr<LogWriter> writer;
  Log::Sink sink = output.sink;
  if (!sink) {
    const auto gap = [format, &clock](std::uint64_t lost) {
      const std::string count = fmt::to_string(lost);
      const std::array<LogField, 1> fields = {{{"count", count}}};
      return FormatLine(format, clock.Wall(), LogLevel::kWarning, kLost, fields);
    };
    writer = std::make_shared<LogWriter>(journal ? SendToJournal : WriteLine, gap);
    if (!writer->running()) {  // the log itself cannot report this
      (void)WriteText(
          "jettison: the thread that writes the log cannot be started; log lines wait until it "
          "can. Raise pids.max of the agent's group (TasksMax= of its unit)\n");
    }
    sink = [writer](std::string_view line) { writer->Put(std::string(line)); };
  }
  auto log = std::make_unique<Log>(format, clock, std::move(sink), output.dry_run);
  log->SetLeast(output.least);
  if (writer) log->CountLostWith([writer] { return writer->lost(); });
  return log;
}

}  // namespace jettison
