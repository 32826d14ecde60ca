// links: jettison_documents jettison_kubernetes
//
// Any JSON, read as a stats summary: into memory that was used before it must give what it gives
// into fresh memory.

#include <string>

#include "codec/documents/json.h"
#include "codec/kubernetes/summary_reader.h"
#include "fuzz/fuzz.h"

namespace {

using namespace jettison;

bool Same(const PodStats& a, const PodStats& b) {
  return a.uid == b.uid && a.name == b.name && a.namespace_ == b.namespace_ &&
         a.containers.size() == b.containers.size() && a.volumes.size() == b.volumes.size() &&
         a.has_memory == b.has_memory && a.memory_working_set_bytes == b.memory_working_set_bytes &&
         a.ephemeral_storage.has_value() == b.ephemeral_storage.has_value() &&
         a.process_count == b.process_count;
}

}  // namespace

void Fuzz(std::string_view text) {
  static Summary used;
  const auto document = ParseJson(text);
  if (!document) return;
  Summary fresh;
  kube_json::FaultLog of_fresh;
  kube_json::FaultLog of_used;
  ReadSummary(kube_json::Field(*document, of_fresh), fresh);
  ReadSummary(kube_json::Field(*document, of_used), used);
  Require(DescribeAll(of_fresh.faults) == DescribeAll(of_used.faults));
  if (!of_fresh.faults.empty()) return;
  Require(fresh.node.node_name == used.node.node_name && fresh.pods.size() == used.pods.size());
  for (std::size_t i = 0; i < fresh.pods.size(); ++i) Require(Same(fresh.pods[i], used.pods[i]));
}
