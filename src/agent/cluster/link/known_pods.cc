#include "agent/cluster/link/known_pods.h"

#include <unistd.h>

#include <map>
#include <mutex>
#include <utility>

#include "codec/documents/json.h"
#include "kernel/files/files.h"
#include "kernel/files/paths.h"

namespace jettison {
namespace {

// The files contain the pods' environment variables, which may be secret.
constexpr unsigned kOnlyRoot = 0700;
constexpr std::string_view kEnding = ".json";

}  // namespace

struct KnownPods::Shared {
  using Changes = std::map<std::string, std::shared_ptr<const std::string>>;  // null: forgotten

  [[nodiscard]] std::string PathOf(const std::string& uid) const {
    return folder + "/" + uid + std::string(kEnding);
  }
  [[nodiscard]] Result<void> Carry(const std::string& uid, const std::string* json) const {
    if (!kernel::IsPathSegment(uid)) return Fail(ErrorCode::kInvalidArgument, "a UID that is none");
    if (json == nullptr) {
      ::unlink(PathOf(uid).c_str());
      return {};
    }
    return kernel::MakeFolders(folder, kOnlyRoot).and_then([&] {
      return kernel::WriteFile(PathOf(uid), *json);
    });
  }
  void Write() {
    Changes taken;
    {
      const std::lock_guard lock(mutex);
      taken.swap(changes);
    }
    bool fails = false;
    for (auto& [uid, json] : taken) {
      const auto carried = Carry(uid, json.get());
      if (carried) continue;
      if (!std::exchange(fails, true) && !std::exchange(is_failing, true))
        on_fault(carried.error());
      const std::lock_guard lock(mutex);
      changes.emplace(uid, std::move(json));  // unless it has changed again
    }
    is_failing = fails;
  }

  const std::string folder;
  const std::function<void(Error)> on_fault;
  bool is_failing = false;  // of the jobs, one of which runs at a time
  std::mutex mutex;
  Changes changes;  // that are not written yet, by UID; guarded by mutex
};

KnownPods::KnownPods(std::string folder, std::function<void(Error)> on_fault)
    : shared_(new Shared{.folder = std::move(folder),
                         .on_fault = std::move(on_fault),
                         .mutex = {},
                         .changes = {}}) {}

std::vector<kube::ApiPod> KnownPods::Load() const {
  std::vector<kube::ApiPod> pods;
  JsonReader json;
  const std::string& folder = shared_->folder;
  for (const std::string& name : kernel::NamesIn(folder).value_or(std::vector<std::string>())) {
    if (!name.ends_with(kEnding)) continue;
    const auto text = kernel::ReadFile(folder + "/" + name);
    if (!text) continue;
    const auto document = json.Parse(*text);
    if (!document) continue;
    auto pod = kube::ReadApiPod(*document);
    if (pod && pod->head.uid + std::string(kEnding) == name) pods.push_back(*std::move(pod));
  }
  return pods;
}

void KnownPods::Keep(const std::string& uid, std::string json) {
  Put(uid, std::make_shared<const std::string>(std::move(json)));
}

void KnownPods::Forget(const std::string& uid) {
  Put(uid, nullptr);
}

void KnownPods::Put(const std::string& uid, std::shared_ptr<const std::string> json) {
  {
    const std::lock_guard lock(shared_->mutex);
    shared_->changes.insert_or_assign(uid, std::move(json));
  }
  writes_.DoInstead([shared = shared_] { shared->Write(); });
}

}  // namespace jettison
