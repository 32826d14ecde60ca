#include "runtimes/process/runs/run_record.h"

#include <fmt/format.h>
#include <poll.h>

#include <cerrno>
#include <charconv>
#include <chrono>

#include "core/text/number.h"
#include "kernel/files/files.h"
#include "kernel/processes/processes.h"
#include "kernel/readiness/pidfd.h"
#include "ports/system_error.h"

namespace jettison::process {

using namespace kernel;
namespace {

// Takes "key value" lines from a text one by one; after the first fault every result is empty.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}

  // The value of the next line, which must have this key.
  std::string_view Take(std::string_view key) {
    ++line_;
    const std::size_t end = rest_.find('\n');
    const std::string_view line = rest_.substr(0, end);
    if (end == std::string_view::npos || line.size() < key.size() + 2 || !line.starts_with(key) ||
        line[key.size()] != ' ') {
      Refuse(key);
      return {};
    }
    rest_.remove_prefix(end + 1);
    return line.substr(key.size() + 1);
  }

  template <typename T>
  T TakeNumber(std::string_view key) {
    return ToNumber<T>(key, Take(key));
  }

  template <typename T>
  T ToNumber(std::string_view key, std::string_view text) {
    const auto number = ParseNumber<T>(text);
    if (!number) Refuse(key);
    return number.value_or(T{});
  }

  WallTime TakeTime(std::string_view key) {
    return WallTime(std::chrono::nanoseconds(TakeNumber<std::int64_t>(key)));
  }

  void Refuse(std::string_view key) {
    if (fault_.empty()) fault_ = fmt::format("line {}: \"{}\" is missing or damaged", line_, key);
  }

  // The value, if there was no fault and nothing is left over.
  template <typename T>
  Result<T> Finish(T value) {
    if (fault_.empty() && !rest_.empty()) fault_ = "text behind the end of the record";
    if (!fault_.empty()) return Fail(ErrorCode::kInvalidArgument, fault_);
    return value;
  }

 private:
  std::string_view rest_;
  int line_ = 0;
  std::string fault_;
};

constexpr std::string_view kOutcomes[] = {"exited", "failed", "lost"};

constexpr std::string_view kBootIdFile = "/proc/sys/kernel/random/boot_id";

}  // namespace

Result<RunRecord> ParseRunRecord(std::string_view text) {
  Lines lines(text);
  RunRecord record;
  if (lines.Take("jettison run") != "1") lines.Refuse("jettison run 1");
  const std::string_view shim = lines.Take("shim");
  const std::size_t space = shim.find(' ');
  record.shim.pid = lines.ToNumber<pid_t>("shim", shim.substr(0, space));
  record.shim.start_time = lines.ToNumber<std::uint64_t>(
      "shim", space == std::string_view::npos ? std::string_view{} : shim.substr(space + 1));
  record.container = lines.TakeNumber<pid_t>("container");
  if (record.shim.pid <= 1 || record.container <= 1) lines.Refuse("a pid above 1");
  record.shim.boot_id = lines.Take("boot");
  record.created = lines.TakeTime("created");
  record.oom_kills = lines.TakeNumber<std::uint64_t>("oom_kills");
  return lines.Finish(std::move(record));
}

Result<ExitRecord> ParseExitRecord(std::string_view text) {
  Lines lines(text);
  ExitRecord record;
  if (lines.Take("jettison exit") != "1") lines.Refuse("jettison exit 1");
  const std::string_view outcome = lines.Take("outcome");
  if (outcome == kOutcomes[1]) {
    record.outcome = RunOutcome::kFailed;
  } else if (outcome == kOutcomes[2]) {
    record.outcome = RunOutcome::kLost;
  } else if (outcome != kOutcomes[0]) {
    lines.Refuse("outcome");
  }
  record.code = lines.TakeNumber<int>("code");
  record.signal = lines.TakeNumber<int>("signal");
  record.started = lines.TakeTime("started");
  record.finished = lines.TakeTime("finished");
  record.lost_log_bytes = lines.TakeNumber<std::uint64_t>("lost_log_bytes");
  return lines.Finish(record);
}

std::string FormatExitRecord(const ExitRecord& record) {
  return fmt::format(
      "jettison exit 1\noutcome {}\ncode {}\nsignal {}\nstarted {}\nfinished {}\n"
      "lost_log_bytes {}\n",
      kOutcomes[static_cast<std::size_t>(record.outcome)], record.code, record.signal,
      record.started.time_since_epoch().count(), record.finished.time_since_epoch().count(),
      record.lost_log_bytes);
}

Result<std::string> ReadBootId() {
  auto text = ReadFile(std::string(kBootIdFile));
  if (!text) return text;
  while (text->ends_with('\n')) text->pop_back();
  return text;
}

Result<FileDescriptor> OpenLiveProcess(const ProcessIdentity& identity, std::string_view boot_id) {
  if (identity.boot_id != boot_id) return FileDescriptor();
  // The handle is opened first, so that what is read afterwards is about its process.
  FileDescriptor pidfd = OpenPidfd(identity.pid);
  if (!pidfd && errno == ESRCH) return FileDescriptor();
  if (!pidfd) return FailErrno(fmt::format("pidfd_open {}", identity.pid));
  const auto text = ReadFile(fmt::format("/proc/{}/stat", identity.pid));
  if (!text && text.error().code != ErrorCode::kNotFound) return Fail(text.error());
  if (!text || IsEnding(*text) || StartOf(*text) != identity.start_time) return FileDescriptor();
  return pidfd;
}

bool AwaitEnd(const FileDescriptor& pidfd, int timeout_ms) {
  pollfd ended{.fd = pidfd.get(), .events = POLLIN, .revents = 0};
  return ::poll(&ended, 1, timeout_ms) == 1;
}

}  // namespace jettison::process
