#include "agent/manifest_pods.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "agent/stable_hash.h"
#include "platform/documents/documents.h"
#include "platform/kube_json/pod_reader.h"
#include "platform/kube_json/pod_writer.h"

namespace jettison {
namespace {

constexpr const char* kConfigSource = "kubernetes.io/config.source";
constexpr const char* kConfigHash = "kubernetes.io/config.hash";

Pod AsStaticPod(Pod pod, const std::string& file) {
  const std::string hash = StableHash(file + '\n' + WritePod(pod));
  if (pod.uid.empty()) pod.uid = hash;
  pod.annotations[kConfigSource] = "file";
  pod.annotations[kConfigHash] = hash;
  return pod;
}

bool HasName(const std::vector<Pod>& pods, const Pod& pod) {
  return std::ranges::any_of(pods, [&](const Pod& other) {
    return other.name == pod.name && other.namespace_ == pod.namespace_;
  });
}

}  // namespace

void ManifestPods::Report(const Fault& fault) const {
  log_.Error("manifest is not valid", {{"file", fault.file},
                                       {"field", fault.key},
                                       {"value", fault.value},
                                       {"problem", fault.message}});
}

std::vector<Pod> ManifestPods::Read(const std::string& file, const std::string& text,
                                    bool& faulty) const {
  std::vector<Pod> pods;
  const auto documents = ParseDocuments(text);
  if (!documents) {
    faulty = true;
    Report({.file = file, .key = {}, .value = {}, .message = documents.error().message});
    return pods;
  }
  for (const Value& document : *documents) {
    ForEachPod(document, {.file = file, .form = PodForm::kManifest}, [&](PodReading reading) {
      for (const Fault& fault : reading.faults) Report(fault);
      for (const std::string& warning : reading.warnings) {
        log_.Warn("manifest has a field without effect", {{"file", file}, {"field", warning}});
      }
      if (reading.Ok()) pods.push_back(AsStaticPod(std::move(reading.pod), file));
      faulty = faulty || !reading.Ok();
    });
  }
  return pods;
}

void ManifestPods::Apply(const ManifestChange& change) {
  if (std::holds_alternative<ManifestGone>(change.now)) {
    files_.erase(change.file);
    return;
  }
  if (const auto* unreadable = std::get_if<ManifestUnreadable>(&change.now)) {
    Report({.file = change.file, .key = {}, .value = {}, .message = unreadable->error.message});
    return;
  }
  bool faulty = false;
  File& file = files_[change.file];
  std::vector<Pod> pods = Read(change.file, std::get<ManifestText>(change.now).text, faulty);
  if (faulty) {
    for (Pod& old : file.pods) {
      if (!HasName(pods, old)) pods.push_back(std::move(old));
    }
  }
  file.pods = std::move(pods);
}

std::vector<Pod> ManifestPods::Wanted() {
  std::map<std::string, Pod> wanted;
  std::set<std::string> uids;
  for (const auto& [path, file] : files_) {
    for (const Pod& pod : file.pods) {
      const std::string name = FullName(pod);
      if (wanted.contains(name)) {
        Report({.file = path,
                .key = "metadata.name",
                .value = name,
                .message = "another pod of that namespace and name stands in a file before this "
                           "one; choose another name"});
      } else if (!uids.insert(pod.uid).second) {
        Report({.file = path,
                .key = "metadata.uid",
                .value = pod.uid,
                .message = "another pod has this UID; choose another one or leave it out"});
      } else {
        wanted.emplace(name, pod);
      }
    }
  }
  std::vector<Pod> pods;
  for (auto& [name, pod] : wanted) pods.push_back(std::move(pod));
  return pods;
}

}  // namespace jettison
