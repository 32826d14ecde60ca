#include "sources/kubernetes/test_bed/fake_store.h"

#include <utility>

#include "sources/kubernetes/objects/testing/test_answers.h"

namespace jettison::kube {

FakeStore::FakeStore() : node_(Json::parse(RecordedAnswer("node.json"))) {
  SetVersion(node_);
}

void FakeStore::SetVersion(Json& object) {
  object["metadata"]["resourceVersion"] = std::to_string(++version_);
}

void FakeStore::Note(const char* type, const Json& pod) {
  changes_.push_back({.version = version_, .line = {{"type", type}, {"object", pod}}});
}

FakeStore::Json* FakeStore::Pod(const std::string& name) {
  const auto at = pods_.find(name);
  return at == pods_.end() ? nullptr : &at->second;
}

void FakeStore::Touch(Json& pod) {
  SetVersion(pod);
  Note("MODIFIED", pod);
}

void FakeStore::PutPod(const std::string& name, const std::string& uid, const std::string& phase) {
  if (Json* pod = Pod(name)) {
    (*pod)["status"]["phase"] = phase;
    return Touch(*pod);
  }
  Json& pod = pods_[name];
  pod = {{"kind", "Pod"},
         {"apiVersion", "v1"},
         {"metadata", {{"name", name}, {"namespace", "default"}, {"uid", uid}}},
         {"spec", {{"nodeName", "bed"}}},
         {"status", {{"phase", phase}}}};
  SetVersion(pod);
  Note("ADDED", pod);
}

void FakeStore::RemovePod(const std::string& name) {
  auto gone = pods_.extract(name);
  SetVersion(gone.mapped());
  Note("DELETED", gone.mapped());
}

void FakeStore::SetBack(std::uint64_t version) {
  version_ = version;
  oldest_ = version;
  changes_.clear();
}

}  // namespace jettison::kube
