#include "agent/known_pods/known_pods_writer.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "agent/known_pods/known_pods.h"

namespace jettison {

namespace {

// What is being written may turn out to fail.
constexpr Duration kLookAgainAfter = std::chrono::milliseconds(100);

}  // namespace

struct KnownPodsWriter::Shared {
  using Changes = std::map<std::string, std::shared_ptr<const std::string>>;  // null: forgotten

  explicit Shared(const std::string& folder) : pods(folder) {}

  void Write() {
    for (const auto& [uid, json] : Waiting()) {
      Result<void> kept;
      if (json) {
        kept = pods.Keep(uid, *json);
      } else {
        pods.Forget(uid);
      }
      const std::lock_guard lock(mutex);
      if (!kept && !std::exchange(is_failing, true)) complaint = kept.error();
      const auto change = changes.find(uid);
      if (kept && change != changes.end() && change->second == json) changes.erase(change);
      if (changes.empty()) is_failing = false;
    }
  }
  [[nodiscard]] Changes Waiting() {
    const std::lock_guard lock(mutex);
    return changes;
  }

  const KnownPods pods;
  std::mutex mutex;
  // Guarded by mutex:
  Changes changes;  // that are not written yet, by UID
  std::optional<Error> complaint;
  bool is_failing = false;  // something could not be written, which was told
};

KnownPodsWriter::KnownPodsWriter(const std::string& folder)
    : shared_(std::make_shared<Shared>(folder)) {}

void KnownPodsWriter::Keep(const std::string& uid, std::string json) {
  Put(uid, std::make_shared<const std::string>(std::move(json)));
}

void KnownPodsWriter::Forget(const std::string& uid) {
  Put(uid, nullptr);
}

std::optional<Instant> KnownPodsWriter::Advance(Instant now) {
  if (shared_->Waiting().empty()) {
    try_at_.reset();
    return std::nullopt;
  }
  if (!try_at_) try_at_ = now + kTryAgainEvery;
  if (now >= *try_at_) {
    try_at_ = now + kTryAgainEvery;
    writes_.DoInstead([shared = shared_] { shared->Write(); });
  }
  const std::lock_guard lock(shared_->mutex);
  return shared_->is_failing ? *try_at_ : std::min(*try_at_, now + kLookAgainAfter);
}

std::optional<Error> KnownPodsWriter::TakeComplaint() {
  const std::lock_guard lock(shared_->mutex);
  return std::exchange(shared_->complaint, std::nullopt);
}

void KnownPodsWriter::Put(const std::string& uid, std::shared_ptr<const std::string> json) {
  {
    const std::lock_guard lock(shared_->mutex);
    shared_->changes.insert_or_assign(uid, std::move(json));
  }
  writes_.DoInstead([shared = shared_] { shared->Write(); });
}

}  // namespace jettison
