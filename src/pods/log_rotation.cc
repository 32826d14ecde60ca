#include "pods/log_rotation.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <utility>

#include "kernel/files/files.h"
#include "pods/rotated_files.h"
#include "ports/system_error.h"

namespace jettison {
namespace {

// Fails if the new name exists, so that no lines are lost.
Result<void> Rename(const std::string& from, const std::string& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return {};
  return FailErrno("rename " + from);
}

struct LogState {
  std::string rotated;  // the name that the log was given; empty: none
  bool missing = false;
};

// Renames a log that has grown. If there is one of this second, the next look rotates.
Result<LogState> LookAtLog(const std::string& path, std::int64_t max_bytes, WallTime now) {
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0) {
    if (errno == ENOENT) return LogState{.rotated = "", .missing = true};
    return FailErrno("look at it");
  }
  if (facts.st_size < max_bytes) return LogState{};
  const std::size_t slash = path.rfind('/');
  const auto names = kernel::NamesIn(path.substr(0, slash));
  if (!names) return Fail(names.error());
  const std::string rotated =
      path.substr(0, slash + 1) + NextRotatedName(*names, path.substr(slash + 1), now);
  if (kernel::Exists(rotated)) return LogState{};
  if (auto renamed = Rename(path, rotated); !renamed) return Fail(renamed.error());
  return LogState{.rotated = rotated};
}

Result<void> TidyUpAfter(const std::string& path, int max_files) {
  const std::size_t slash = path.rfind('/');
  const std::string folder = path.substr(0, slash);
  const auto names = kernel::NamesIn(folder);
  if (!names) return Fail(names.error());
  return Tidy(folder, PlanTidying(*names, path.substr(slash + 1), max_files));
}

}  // namespace

void LogRotation::Start() {
  if (!options_.log_max_bytes) return;
  on_look_ = dependencies_.readiness.After(options_.log_period, [this] {
    on_look_.Stop();
    Look();
    Start();
  });
}

void LogRotation::Look() {
  std::set<std::string> paths;
  for (const RunningLog& log : running_()) {
    paths.insert(log.path);
    if (!busy_.contains(log.path)) LookAt(log);
  }
  std::erase_if(failing_, [&](const std::string& path) { return !paths.contains(path); });
}

// A missing log was renamed by an agent that ended before it could tell the runtime.
void LogRotation::LookAt(const RunningLog& log) {
  busy_.insert(log.path);
  const auto seen = std::make_shared<LogState>();
  dependencies_.disk.Do(
      [path = log.path, max_bytes = *options_.log_max_bytes, now = dependencies_.clock.Wall(),
       seen]() -> Result<void> {
        auto look = LookAtLog(path, max_bytes, now);
        if (look) *seen = *std::move(look);
        return look.map([](const auto&) {});
      },
      lifetime_.Guard([this, log, seen](const Result<void>& looked) {
        busy_.erase(log.path);
        if (!looked) return Say(log.path, looked.error());
        if (seen->missing || !seen->rotated.empty()) ReopenLog(log, seen->rotated);
      }));
}

void LogRotation::ReopenLog(const RunningLog& log, const std::string& rotated) {
  busy_.insert(log.path);
  reopen_(log, lifetime_.Guard([this, log, rotated](const Result<void>& outcome) {
    OnReopened(log, rotated, outcome);
  }));
}

// If the call failed, the log gets its name back, unless the runtime has opened a new one all the
// same.
void LogRotation::OnReopened(const RunningLog& log, const std::string& rotated,
                             const Result<void>& outcome) {
  busy_.erase(log.path);
  if (!outcome) {
    if (!rotated.empty()) {
      dependencies_.disk.Do([rotated, path = log.path] { return Rename(rotated, path); });
    }
    return Say(log.path, outcome.error());
  }
  failing_.erase(log.path);
  if (rotated.empty()) return;
  untidy_.push_back(log.path);
  TidyNext();
}

void LogRotation::TidyNext() {
  if (untidy_.empty() || std::exchange(tidying_, true)) return;
  const std::string path = std::move(untidy_.front());
  untidy_.pop_front();
  dependencies_.disk.DoLong(
      [path, max_files = options_.log_max_files] { return TidyUpAfter(path, max_files); },
      lifetime_.Guard([this, path](const Result<void>& tidied) {
        tidying_ = false;
        if (!tidied) Say(path, tidied.error());
        TidyNext();
      }));
}

// Logs a failure once, until rotation works again or the container has ended. A container that is
// ending has no log to reopen.
void LogRotation::Say(const std::string& path, const Error& error) {
  if (error.code == ErrorCode::kNotFound || !failing_.insert(path).second) return;
  dependencies_.Log(error.In("rotate the log " + path).message);
}

}  // namespace jettison
