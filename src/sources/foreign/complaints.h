#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>

#include "pods/run_edges.h"

namespace jettison {

// Logs each message about a subject once, for as long as the subject exists.
class Complaints {
 public:
  explicit Complaints(const RunEdges& edges) : edges_(edges) {}

  void Say(const std::string& subject, const std::string& text) {
    if (said_[subject].insert(text).second) edges_.Log(text);
  }
  // Logs the message unless there was one about the subject.
  void SayFirst(const std::string& subject, const std::string& text) {
    if (!said_.contains(subject)) Say(subject, text);
  }
  // Forgets the messages about all subjects except those for which `is_there` is true.
  void KeepOnly(const std::function<bool(const std::string&)>& is_there) {
    std::erase_if(said_, [&](const auto& entry) { return !is_there(entry.first); });
  }

 private:
  const RunEdges& edges_;
  std::map<std::string, std::set<std::string>> said_;
};

}  // namespace jettison
