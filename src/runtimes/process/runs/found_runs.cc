#include "runtimes/process/runs/found_runs.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <csignal>

#include "core/text/number.h"
#include "kernel/files/files.h"
#include "pods/adoption.h"
#include "runtimes/process/runs/run_record.h"
#include "runtimes/process/shim/protocol.h"

namespace jettison::process {

using namespace kernel;
namespace {

bool IsNoFolder(const std::string& path) {
  struct stat facts {};
  return ::lstat(path.c_str(), &facts) == 0 && !S_ISDIR(facts.st_mode);
}

std::optional<int> AttemptNamed(std::string_view name) {
  const auto attempt = ParseNumber<int>(name);
  return attempt && *attempt >= 0 ? attempt : std::nullopt;
}

// The record in a file of a run; absent: there is no such file. kInvalidArgument: it is damaged.
template <typename Record>
Result<std::optional<Record>> ReadRecord(const std::string& path,
                                         Result<Record> (*parse)(std::string_view)) {
  const auto text = ReadFile(path);
  if (!text && text.error().code == ErrorCode::kNotFound) return std::nullopt;
  if (!text) return Fail(ErrorCode::kUnavailable, text.error().In(path).message);
  auto record = parse(*text);
  if (!record) return Fail(record.error().In(path));
  return std::move(*record);
}

void SetUnknown(FoundRun& run, const Error& because) {
  run.state = RunState::kUnknown;
  run.fault = because.message;
  run.passing = !IsDamage(because);
}

// Takes the exit record, which overrides everything else. False if there is none.
bool TakeExit(const std::string& run_dir, FoundRun& run) {
  const auto exit = ReadRecord(ExitFileOf(run_dir), &ParseExitRecord);
  if (exit && !*exit) return false;
  if (!exit) {
    SetUnknown(run, exit.error());
    if (!run.passing) run.state = RunState::kLost;  // ended: a shim writes this file last
    return true;
  }
  run.exit = *exit;
  run.state = run.exit->outcome == RunOutcome::kFailed ? RunState::kNeverRan : RunState::kEnded;
  return true;
}

}  // namespace

FoundRun ReadRun(const Paths& paths, const RunName& name, std::string_view boot_id) {
  const std::string run_dir = paths.Run(name.pod_uid, name.container, name.attempt);
  FoundRun run{.container = name.container, .attempt = name.attempt};
  const auto record =
      ReadRecord(fmt::format("{}/{}", run_dir, shim::kRunningFile), &ParseRunRecord);
  if (record) run.record = *record;
  if (TakeExit(run_dir, run)) return run;
  if (!record) SetUnknown(run, record.error());
  if (!run.record) return run;
  auto shim = OpenLiveProcess(run.record->shim, boot_id);
  if (!shim) {
    SetUnknown(run, {ErrorCode::kUnavailable, shim.error().In(run_dir).message});
    return run;
  }
  run.shim = std::move(*shim);
  run.state = RunState::kRunning;
  // A shim that is gone may have written its exit record since.
  if (!run.shim && !TakeExit(run_dir, run)) run.state = RunState::kLost;
  return run;
}

FoundRun ReadEnd(const std::string& run_dir) {
  FoundRun run;
  if (!TakeExit(run_dir, run)) run.state = RunState::kLost;
  return run;
}

Result<std::vector<FoundRun>> ReadRuns(const Paths& paths, std::string_view uid,
                                       std::string_view boot_id) {
  std::vector<FoundRun> runs;
  const auto containers = NamesIn(paths.Containers(uid));
  if (!containers && containers.error().code == ErrorCode::kNotFound) return runs;
  if (!containers) return Fail(containers.error());
  for (const std::string& container : *containers) {
    const std::string folder = paths.Container(uid, container);
    const auto names = NamesIn(folder);
    if (!names && IsNoFolder(folder)) continue;  // a file that a container has written
    if (!names) return Fail(names.error());
    const std::size_t first = runs.size();
    for (const std::string& name : *names) {
      const auto attempt = AttemptNamed(name);
      if (!attempt) continue;
      runs.push_back(ReadRun(paths, {std::string(uid), container, *attempt}, boot_id));
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

std::string ExitFileOf(const std::string& run_dir) {
  return fmt::format("{}/{}", run_dir, shim::kExitFile);
}

}  // namespace jettison::process
