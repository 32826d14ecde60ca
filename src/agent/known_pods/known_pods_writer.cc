#include "agent/known_pods/known_pods_writer.h"

#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "agent/known_pods/known_pods.h"
#include "ports/inheriting_mutex.h"

namespace jettison {

struct KnownPodsWriter::Shared {
  using Changes = std::map<std::string, std::optional<std::string>>;  // by UID; absent: forgotten

  explicit Shared(const std::string& folder) : pods(folder) {}

  // Whether nothing else waits to be written, so that the thread has to be told.
  [[nodiscard]] bool Put(const std::string& uid, std::optional<std::string> json) {
    const std::lock_guard lock(mutex);
    const bool is_first = changes.empty();
    changes.insert_or_assign(uid, std::move(json));
    return is_first;
  }
  [[nodiscard]] Changes Take() {
    const std::lock_guard lock(mutex);
    return std::exchange(changes, {});
  }
  void Write() {
    for (const auto& [uid, json] : Take()) {
      if (json) {
        (void)pods.Keep(uid, *json);
      } else {
        pods.Forget(uid);
      }
    }
  }

  const KnownPods pods;
  InheritingMutex mutex;
  Changes changes;  // guarded by mutex
};

KnownPodsWriter::KnownPodsWriter(const std::string& folder)
    : shared_(std::make_shared<Shared>(folder)),
      thread_(
          {.name = "cluster-pods",
           .without = "the pods of the node are not kept for an agent that starts while the API "
                      "server is away"},
          AtEnd::kLeave) {}

KnownPodsWriter::~KnownPodsWriter() = default;

void KnownPodsWriter::Keep(const std::string& uid, std::string json) {
  Put(uid, std::move(json));
}

void KnownPodsWriter::Forget(const std::string& uid) {
  Put(uid, std::nullopt);
}

void KnownPodsWriter::Put(const std::string& uid, std::optional<std::string> json) {
  if (!shared_->Put(uid, std::move(json))) return;
  thread_.Do([shared = shared_] { shared->Write(); });
}

}  // namespace jettison
