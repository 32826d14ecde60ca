#include "runtimes/process/runs/run_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <iterator>

#include "kernel/files/files.h"
#include "kernel/processes/processes.h"
#include "kernel/readiness/pidfd.h"
#include "ports/system_error.h"

namespace jettison::process {

using namespace kernel;
namespace {

constexpr std::string_view kOutcomes[] = {"exited", "failed", "lost"};

constexpr std::string_view kBootIdFile = "/proc/sys/kernel/random/boot_id";

tl::unexpected<Error> Damaged() {
  return Fail(ErrorCode::kInvalidArgument, "it is damaged");
}

}  // namespace

// As the shim writes it (run_files.cc).
Result<RunRecord> ParseRunRecord(std::string_view text) {
  RunRecord record;
  auto& [pid, start_time, boot_id] = record.shim;
  std::array<char, 64> boot{};
  std::int64_t created = 0;
  (void)std::sscanf(std::string(text).c_str(),
                    "jettison run 1\nshim %d %" SCNu64 "\ncontainer %d\nboot %63s\ncreated %" SCNd64
                    "\noom_kills %" SCNu64,
                    &pid, &start_time, &record.container, boot.data(), &created, &record.oom_kills);
  boot_id = boot.data();
  record.created = WallTime(std::chrono::nanoseconds(created));
  const bool is_whole =
      text == fmt::format(
                  "jettison run 1\nshim {} {}\ncontainer {}\nboot {}\ncreated {}\n"
                  "oom_kills {}\n",
                  pid, start_time, record.container, boot_id, created, record.oom_kills);
  if (!is_whole || pid <= 1 || record.container <= 1) return Damaged();
  return record;
}

Result<ExitRecord> ParseExitRecord(std::string_view text) {
  ExitRecord record;
  std::array<char, 8> outcome{};
  std::int64_t started = 0;
  std::int64_t finished = 0;
  (void)std::sscanf(std::string(text).c_str(),
                    "jettison exit 1\noutcome %7s\ncode %d\nsignal %d\nstarted %" SCNd64
                    "\nfinished %" SCNd64 "\nlost_log_bytes %" SCNu64,
                    outcome.data(), &record.code, &record.signal, &started, &finished,
                    &record.lost_log_bytes);
  const auto named = std::ranges::find(kOutcomes, std::string_view(outcome.data()));
  if (named == std::end(kOutcomes)) return Damaged();
  record.outcome = static_cast<RunOutcome>(named - std::begin(kOutcomes));
  record.started = WallTime(std::chrono::nanoseconds(started));
  record.finished = WallTime(std::chrono::nanoseconds(finished));
  if (text != FormatExitRecord(record)) return Damaged();
  return record;
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

}  // namespace jettison::process
