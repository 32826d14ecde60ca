#include "agent/figures/disk_stats_reader.h"

#include <fcntl.h>
#include <poll.h>

#include <mutex>
#include <optional>
#include <utility>

#include "kernel/filesystem/filesystem.h"
#include "kernel/filesystem/place.h"
#include "ports/inheriting_condition.h"

namespace jettison {

// Shared with the reading thread, which may outlive the SlowFilesystem.
struct SlowFilesystem::Question {
  InheritingMutex mutex;
  InheritingCondition answered;
  std::optional<Result<FsStats>> answer;  // guarded by mutex

  [[nodiscard]] std::optional<Result<FsStats>> Await(Duration deadline) {
    std::unique_lock lock(mutex);
    answered.wait_for(lock, deadline, [this] { return answer.has_value(); });
    return answer;
  }
};

SlowFilesystem::SlowFilesystem(const std::string& path, Ask ask)
    : path_(path),
      ask_(std::move(ask)),
      thread_({"statvfs", "the use of " + path + " is not known"}, AtEnd::kLeave) {}

Result<FsStats> SlowFilesystem::ReadWithin(Duration deadline) {
  const auto late = [this] {
    return Fail(ErrorCode::kDeadlineExceeded, "statvfs " + path_ + ": does not answer");
  };
  // The moment of a late answer is not known, so it only shows that the file system can be asked
  // again.
  if (open_ && !open_->Await(Duration::zero())) return late();
  if (!thread_.running()) {
    return Fail(ErrorCode::kUnavailable, "statvfs " + path_ + ": no thread to ask it on");
  }
  open_ = std::make_shared<Question>();
  thread_.Do([question = open_, ask = ask_, path = path_] {
    Result<FsStats> answer = ask(path);
    const std::lock_guard lock(question->mutex);
    question->answer = std::move(answer);
    question->answered.notify_all();
  });
  auto answer = open_->Await(deadline);
  if (!answer) return late();
  open_.reset();
  return *std::move(answer);
}

DiskStatsReader::DiskStatsReader(std::string mounts)
    : mounts_file_(std::move(mounts)),
      mounts_fd_(::open(mounts_file_.c_str(), O_RDONLY | O_CLOEXEC)) {
  TakeMounts();
}

bool DiskStatsReader::MountsChanged() {
  pollfd mounts = {.fd = mounts_fd_.get(), .events = POLLPRI, .revents = 0};
  return ::poll(&mounts, 1, 0) > 0;
}

// Mounts that cannot be read now are read later; until then those that are known count.
void DiskStatsReader::TakeMounts() {
  stale_ = MountsChanged() || stale_;
  if (!stale_) return;
  auto mounts = kernel::ReadMounts(mounts_file_);
  if (!mounts) return;
  mounts_ = *std::move(mounts);
  at_once_.clear();
  stale_ = false;
}

bool DiskStatsReader::AnswersAtOnce(const std::string& path) {
  if (mounts_.empty()) return true;  // nothing is known
  const auto known = at_once_.find(path);
  if (known != at_once_.end()) return known->second;
  return at_once_[path] = PlaceOf(mounts_, path).answers_by_itself;
}

Result<FsStats> DiskStatsReader::Read(const std::string& path) {
  if (AnswersAtOnce(path)) return ReadFilesystem(path);
  return slow_.try_emplace(path, path, SlowFilesystem::Ask(ReadFilesystem))
      .first->second.ReadWithin(kDeadline);
}

}  // namespace jettison
