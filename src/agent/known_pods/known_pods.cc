#include "agent/known_pods/known_pods.h"

#include <unistd.h>

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

std::string KnownPods::PathOf(const std::string& uid) const {
  return folder_ + "/" + uid + std::string(kEnding);
}

std::vector<kube::ApiPod> KnownPods::Load() const {
  std::vector<kube::ApiPod> pods;
  JsonReader json;
  for (const std::string& name : kernel::NamesIn(folder_).value_or(std::vector<std::string>())) {
    if (!name.ends_with(kEnding)) continue;
    const auto text = kernel::ReadFile(folder_ + "/" + name);
    if (!text) continue;
    const auto document = json.Parse(*text);
    if (!document) continue;
    auto pod = kube::ReadApiPod(*document);
    if (pod && PathOf(pod->head.uid) == folder_ + "/" + name) pods.push_back(*std::move(pod));
  }
  return pods;
}

Result<void> KnownPods::Keep(const std::string& uid, std::string_view json) const {
  if (!kernel::IsPathSegment(uid)) return Fail(ErrorCode::kInvalidArgument, "a UID that is none");
  if (auto made = kernel::MakeFolders(folder_, kOnlyRoot); !made) return made;
  return kernel::WriteFile(PathOf(uid), json);
}

void KnownPods::Forget(const std::string& uid) const {
  if (kernel::IsPathSegment(uid)) ::unlink(PathOf(uid).c_str());
}

}  // namespace jettison
