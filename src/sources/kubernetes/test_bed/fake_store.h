#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace jettison::kube {

// What an API server keeps: pods, a node, the events of a watch, under versions that only grow.
// Not for two threads at once.
class FakeStore {
 public:
  using Json = nlohmann::json;
  struct Change {
    std::uint64_t version = 0;
    Json line;  // {"type", "object"}
  };

  FakeStore();

  // A pod of the namespace "default" on the node "bed"; one that is there is changed.
  void PutPod(const std::string& name, const std::string& uid,
              const std::string& phase = "Running");
  // Gone at once, as after its grace period.
  void RemovePod(const std::string& name);
  // Forgets the changes so far: who watches from before gets a 410.
  void Compact() { oldest_ = version_; }
  // The store as of a backup: without a history, at this version.
  void SetBack(std::uint64_t version);

  [[nodiscard]] Json* Pod(const std::string& name);
  // A pod that was written to: a new version and a change.
  void Touch(Json& pod);
  [[nodiscard]] Json& node() { return node_; }
  void TouchNode() { SetVersion(node_); }
  [[nodiscard]] Json& events() { return events_; }  // by path

  [[nodiscard]] std::uint64_t version() const { return version_; }
  [[nodiscard]] std::uint64_t oldest() const { return oldest_; }
  [[nodiscard]] const std::vector<Change>& changes() const { return changes_; }
  [[nodiscard]] const std::map<std::string, Json>& pods() const { return pods_; }

 private:
  void SetVersion(Json& object);
  void Note(const char* type, const Json& pod);

  std::uint64_t version_ = 100;
  std::uint64_t oldest_ = 100;  // what came after this one is known
  std::map<std::string, Json> pods_;
  Json node_;
  Json events_ = Json::object();
  std::vector<Change> changes_;
};

}  // namespace jettison::kube
