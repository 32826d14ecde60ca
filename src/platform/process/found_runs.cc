#include "platform/process/found_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <csignal>

#include "platform/process/process_identity.h"
#include "platform/process/shim/protocol.h"
#include "pod_host/files.h"

namespace jettison::process {

using namespace pod_host;
namespace {

std::optional<int> AttemptNamed(std::string_view name) {
  int attempt = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), attempt);
  if (error != std::errc{} || end != name.data() + name.size() || attempt < 0) return std::nullopt;
  return attempt;
}

std::string FileOf(const std::string& run_dir, const char* name) {
  return fmt::format("{}/{}", run_dir, name);
}

// Takes the exit record up; false when there is none.
bool ReadExit(const std::string& run_dir, FoundRun& run) {
  const std::string path = FileOf(run_dir, shim::kExitFile);
  const auto text = ReadFile(path);
  if (!text && text.error().code == ErrorCode::kNotFound) return false;
  const auto exit = text ? ParseExitRecord(*text) : Fail(text.error());
  if (!exit) {
    run.fault = exit.error().In(path).message;
    run.state = RunState::kLost;
    return true;
  }
  run.state = exit->outcome == RunOutcome::kFailed ? RunState::kNeverRan : RunState::kEnded;
  run.exit = *exit;
  return true;
}

// Takes the run record up; false when there is no such file.
bool ReadRecord(const std::string& path, FoundRun& run) {
  const auto text = ReadFile(path);
  if (!text && text.error().code == ErrorCode::kNotFound) return false;
  auto record = text ? ParseRunRecord(*text) : Fail(text.error());
  if (record) {
    run.record = std::move(*record);
  } else {
    run.fault = record.error().In(path).message;
  }
  return true;
}

}  // namespace

FoundRun ReadRun(const std::string& run_dir, std::string_view boot_id) {
  FoundRun run;
  const bool let_go = ReadRecord(FileOf(run_dir, shim::kRunningFile), run);
  if (!let_go) ReadRecord(FileOf(run_dir, shim::kStartingFile), run);
  if (ReadExit(run_dir, run)) return run;
  if (run.record) run.shim = OpenLiveProcess(run.record->shim, boot_id);
  if (!let_go) return run;
  run.state = RunState::kRunning;
  if (run.shim) return run;
  // The shim is gone: it may have written its last word since.
  if (!ReadExit(run_dir, run)) run.state = RunState::kLost;
  return run;
}

std::vector<FoundRun> ReadRuns(const Paths& paths, std::string_view uid, std::string_view boot_id,
                               std::vector<std::string>& strange) {
  std::vector<FoundRun> runs;
  const auto containers = NamesIn(paths.Containers(uid));
  if (!containers) return runs;
  for (const std::string& container : *containers) {
    const std::string folder = paths.Container(uid, container);
    const auto names = NamesIn(folder);
    if (!names) continue;
    const std::size_t first = runs.size();
    for (const std::string& name : *names) {
      const auto attempt = AttemptNamed(name);
      if (!attempt) {
        strange.push_back(fmt::format("{}/{}", folder, name));
        continue;
      }
      FoundRun run = ReadRun(paths.Run(uid, container, *attempt), boot_id);
      run.container = container;
      run.attempt = *attempt;
      runs.push_back(std::move(run));
    }
    std::sort(runs.begin() + static_cast<std::ptrdiff_t>(first), runs.end(),
              [](const FoundRun& a, const FoundRun& b) { return a.attempt < b.attempt; });
  }
  return runs;
}

std::vector<bool> OomKilled(const std::vector<const FoundRun*>& runs, std::uint64_t now) {
  std::vector<bool> killed(runs.size(), false);
  std::uint64_t after = now;
  for (std::size_t i = runs.size(); i-- > 0;) {
    if (!runs[i]->record) continue;
    killed[i] = after > runs[i]->record->oom_kills;
    after = runs[i]->record->oom_kills;
  }
  return killed;
}

ExitRecord LostRun(WallTime started, WallTime now) {
  return {.outcome = RunOutcome::kLost,
          .code = 128 + SIGKILL,
          .signal = SIGKILL,
          .started = started,
          .finished = std::max(started, now)};
}

Result<void> WriteExitRecord(const std::string& run_dir, const ExitRecord& record) {
  return WriteFile(FileOf(run_dir, shim::kExitFile), FormatExitRecord(record));
}

}  // namespace jettison::process
