#include "agent/tell/node_status_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>

#include "kernel/files/whole_file.h"
#include "ports/file_descriptor.h"
#include "ports/system_error.h"

namespace jettison {
namespace {

constexpr Duration kInterval = std::chrono::seconds(10);

// The file that is to be replaced: a link stays. Devices and the like are nothing to replace.
Result<std::string> TargetOf(const std::string& path) {
  std::string target = WithoutLinks(path);
  struct stat facts {};
  if (stat(target.c_str(), &facts) == 0 && !S_ISREG(facts.st_mode)) {
    return Fail(ErrorCode::kInvalidArgument,
                path + " is not a regular file, and is left as it is; choose another path");
  }
  return target;
}

Result<void> Replace(const std::string& named, const std::string& text) {
  const auto target = TargetOf(named);
  if (!target) return Fail(target.error());
  const std::string& path = *target;
  const std::string fresh = path + ".new";
  constexpr mode_t kMode = 0644;
  FileDescriptor file(
      open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, kMode));
  if (!file) return FailErrno("write " + fresh);
  if (write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    return FailErrno("write " + fresh);
  }
  if (rename(fresh.c_str(), path.c_str()) != 0) return FailErrno("replace " + path);
  return {};
}

}  // namespace

bool NodeStatusFile::Due(NodeConditions conditions, Instant now) const {
  if (!IsWanted()) return false;
  return !next_ || now >= *next_ || !(conditions == written_);
}

void NodeStatusFile::Write(const Snapshot& snapshot, Instant now) {
  written_ = snapshot.conditions;
  next_ = now + kInterval;
  thread_->Do([path = path_, errors = errors_, text = writer_(snapshot)] {
    if (const auto replaced = Replace(path, text); !replaced) {
      errors->Put(replaced.error().message);
    }
  });
}

}  // namespace jettison
