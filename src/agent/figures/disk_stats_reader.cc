#include "agent/figures/disk_stats_reader.h"

#include <fcntl.h>
#include <poll.h>

#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

#include "kernel/filesystem/filesystem.h"

namespace jettison {

// Shared with the reading thread, which may outlive the SlowFilesystem.
struct SlowFilesystem::Question {
  std::mutex mutex;
  std::condition_variable answered;
  std::optional<Result<FsStats>> answer;  // guarded by mutex

  [[nodiscard]] std::optional<Result<FsStats>> Await(Duration deadline) {
    std::unique_lock lock(mutex);
    answered.wait_for(lock, deadline, [this] { return answer.has_value(); });
    return answer;
  }
};

// The moment of a late answer is not known, so it only shows that the file system can be asked
// again.
void SlowFilesystem::TakeAnswer(Duration wait, Instant now) {
  if (!open_) return;
  const bool is_late = now - asked_at_ >= kPatience;
  if (is_late) last_.reset();
  auto answer = open_->Await(wait);
  if (!answer) return;
  if (!is_late) last_ = std::move(answer);
  open_.reset();
}

Result<FsStats> SlowFilesystem::Read(Instant now) {
  TakeAnswer(Duration::zero(), now);
  if (!open_) {
    if (!questions_.running()) {
      return Fail(ErrorCode::kUnavailable, "statvfs " + path_ + ": no thread to ask it on");
    }
    open_ = std::make_shared<Question>();
    asked_at_ = now;
    questions_.Do([question = open_, ask = ask_, path = path_, now] {
      Result<FsStats> answer = ask(path);
      if (answer) answer->time = now;
      const std::lock_guard lock(question->mutex);
      question->answer = std::move(answer);
      question->answered.notify_all();
    });
    if (std::exchange(is_first_, false)) TakeAnswer(kFirstWait, now);
  }
  if (last_) return *last_;
  return Fail(ErrorCode::kDeadlineExceeded, "statvfs " + path_ + ": does not answer");
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

// Mounts that cannot be read now are read later; until then those that are known count. The paths
// are looked up here, so that no reading between a crossing and a signal does it.
void DiskStatsReader::TakeMounts() {
  stale_ = MountsChanged() || stale_;
  if (!stale_) return;
  auto mounts = kernel::ReadMounts(mounts_file_);
  if (!mounts) return;
  mounts_ = *std::move(mounts);
  for (auto& [path, at_once] : at_once_) at_once = PlaceOf(mounts_, path).answers_by_itself;
  stale_ = false;
}

bool DiskStatsReader::AnswersAtOnce(const std::string& path) {
  if (mounts_.empty()) return true;  // nothing is known
  const auto known = at_once_.find(path);
  if (known != at_once_.end()) return known->second;
  return at_once_[path] = PlaceOf(mounts_, path).answers_by_itself;
}

Result<FsStats> DiskStatsReader::Read(const std::string& path, Instant now) {
  if (!AnswersAtOnce(path)) {
    return slow_.try_emplace(path, path, SlowFilesystem::Ask(ReadFilesystem))
        .first->second.Read(now);
  }
  auto stats = ReadFilesystem(path);
  if (stats) stats->time = now;
  return stats;
}

}  // namespace jettison
