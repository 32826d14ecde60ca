#include "pods/log_rotation.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
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

// The name that the log was given; empty: there is one of this second, and the next look rotates.
Result<std::string> RenameToNext(const std::string& path, WallTime now) {
  const std::size_t slash = path.rfind('/');
  const auto names = kernel::NamesIn(path.substr(0, slash));
  if (!names) return Fail(names.error());
  std::string rotated =
      path.substr(0, slash + 1) + NextRotatedName(*names, path.substr(slash + 1), now);
  if (kernel::Exists(rotated)) return std::string();
  auto renamed = Rename(path, rotated);
  if (!renamed) return Fail(renamed.error());
  return rotated;
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
  struct stat facts {};
  if (::stat(log.path.c_str(), &facts) == 0) {
    if (facts.st_size >= *options_.log_max_bytes) Rotate(log);
  } else if (errno == ENOENT) {
    ReopenLog(log, "");
  } else {
    Say(log.path, SystemError(errno, "look at it"));
  }
}

void LogRotation::Rotate(const RunningLog& log) {
  busy_.insert(log.path);
  const auto rotated = std::make_shared<std::string>();
  dependencies_.disk.Do(
      [path = log.path, now = dependencies_.clock.Wall(), rotated]() -> Result<void> {
        auto name = RenameToNext(path, now);
        if (name) *rotated = *name;
        return name.map([](const auto&) {});
      },
      lifetime_.Guard([this, log, rotated](const Result<void>& renamed) {
        busy_.erase(log.path);
        if (!renamed) return Say(log.path, renamed.error());
        if (!rotated->empty()) ReopenLog(log, *rotated);
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
    if (!rotated.empty()) (void)Rename(rotated, log.path);
    return Say(log.path, outcome.error());
  }
  failing_.erase(log.path);
  if (rotated.empty()) return;
  untidy_.push_back(log.path);
  TidyNext();
}

void LogRotation::TidyNext() {
  while (!job_ && !untidy_.empty()) {
    const std::string path = std::move(untidy_.front());
    untidy_.pop_front();
    const std::size_t slash = path.rfind('/');
    const std::string folder = path.substr(0, slash);
    const auto names = kernel::NamesIn(folder);
    if (!names) continue;
    const LogTidying plan = PlanTidying(*names, path.substr(slash + 1), options_.log_max_files);
    if (plan.remove.empty() && plan.compress.empty()) continue;
    auto job = StartTidying(dependencies_.readiness, folder, plan,
                            [this, path](const Result<void>& tidied) {
                              if (!tidied) Say(path, tidied.error());
                              job_.reset();
                              TidyNext();
                            });
    if (job) {
      job_ = std::move(*job);
    } else {
      Say(path, job.error());
    }
  }
}

// Logs a failure once, until rotation works again or the container has ended. A container that is
// ending has no log to reopen.
void LogRotation::Say(const std::string& path, const Error& error) {
  if (error.code == ErrorCode::kNotFound || !failing_.insert(path).second) return;
  dependencies_.Log(error.In("rotate the log " + path).message);
}

}  // namespace jettison
