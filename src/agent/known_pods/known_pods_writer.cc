#include "agent/known_pods/known_pods_writer.h"

#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "agent/known_pods/known_pods.h"

namespace jettison {
namespace {

// While it is not known yet whether all could be written.
constexpr Duration kLookAgainAfter = std::chrono::seconds(1);

}  // namespace

struct KnownPodsWriter::Shared {
  using Changes = std::map<std::string, std::optional<std::string>>;  // by UID; absent: forgotten

  explicit Shared(const std::string& folder) : pods(folder) {}

  // Whether nothing else waits to be written, so that a job is to be given.
  [[nodiscard]] bool Put(const std::string& uid, std::optional<std::string> json) {
    const std::lock_guard lock(mutex);
    const bool is_first = changes.empty();
    failed.erase(uid);
    changes.insert_or_assign(uid, std::move(json));
    return is_first;
  }
  // The same of everything that could not be written.
  [[nodiscard]] bool PutFailed() {
    const std::lock_guard lock(mutex);
    const bool is_first = changes.empty() && !failed.empty();
    changes.merge(std::exchange(failed, {}));
    return is_first;
  }
  [[nodiscard]] Changes Take() {
    const std::lock_guard lock(mutex);
    is_writing = true;
    return std::exchange(changes, {});
  }
  void Write() {
    for (auto& [uid, json] : Take()) {
      if (!json) {
        pods.Forget(uid);
      } else if (const auto kept = pods.Keep(uid, *json); !kept) {
        NoteFailed(uid, std::move(*json), kept.error());
      }
    }
    const std::lock_guard lock(mutex);
    is_writing = false;
    if (failed.empty() && changes.empty()) is_failing = false;
  }
  void NoteFailed(const std::string& uid, std::string json, const Error& why) {
    const std::lock_guard lock(mutex);
    if (!std::exchange(is_failing, true)) complaint = why;
    if (!changes.contains(uid)) failed.insert_or_assign(uid, std::move(json));
  }

  const KnownPods pods;
  std::mutex mutex;
  // Guarded by mutex:
  Changes changes;
  Changes failed;  // what could not be written, and has not changed since
  std::optional<Error> complaint;
  bool is_writing = false;
  bool is_failing = false;  // something could not be written, which was told
};

KnownPodsWriter::KnownPodsWriter(const std::string& folder)
    : shared_(std::make_shared<Shared>(folder)) {}

void KnownPodsWriter::Keep(const std::string& uid, std::string json) {
  Put(uid, std::move(json));
}

void KnownPodsWriter::Forget(const std::string& uid) {
  Put(uid, std::nullopt);
}

std::optional<Instant> KnownPodsWriter::Advance(Instant now) {
  bool any_failed = false;
  bool is_busy = false;
  {
    const std::lock_guard lock(shared_->mutex);
    any_failed = !shared_->failed.empty();
    is_busy = shared_->is_writing || !shared_->changes.empty();
  }
  if (!any_failed) {
    try_at_.reset();
    return is_busy ? std::optional(now + kLookAgainAfter) : std::nullopt;
  }
  if (!try_at_) try_at_ = now + kTryAgainEvery;
  if (now < *try_at_) return try_at_;
  try_at_ = now + kTryAgainEvery;
  if (shared_->PutFailed()) writes_.Do([shared = shared_] { shared->Write(); });
  return now + kLookAgainAfter;
}

std::optional<Error> KnownPodsWriter::TakeComplaint() {
  const std::lock_guard lock(shared_->mutex);
  return std::exchange(shared_->complaint, std::nullopt);
}

void KnownPodsWriter::Put(const std::string& uid, std::optional<std::string> json) {
  if (!shared_->Put(uid, std::move(json))) return;
  writes_.Do([shared = shared_] { shared->Write(); });
}

}  // namespace jettison
