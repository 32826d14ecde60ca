#include "agent/tell/node_status_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>

#include "ports/file_descriptor.h"
#include "ports/system_error.h"

namespace jettison {
namespace {

constexpr Duration kInterval = std::chrono::seconds(10);

Result<void> Replace(const std::string& path, const std::string& text) {
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
  thread_->Do([this, text = writer_(snapshot)] {
    if (const auto replaced = Replace(path_, text); !replaced) {
      errors_.Put(replaced.error().message);
    }
  });
}

}  // namespace jettison
