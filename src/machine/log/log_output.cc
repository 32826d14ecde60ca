#include "machine/log/log_output.h"

// All lines are sent from the same place in the source, so that place is left out.
#define SD_JOURNAL_SUPPRESS_LOCATION
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/uio.h>
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
