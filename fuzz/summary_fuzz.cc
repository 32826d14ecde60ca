// links: jettison_kubernetes simdjson::simdjson
//
// Any JSON, read as a stats summary: into memory that was used before it must give what it gives
// into fresh memory, and what is read without parsing it first must be what it is parsed.

#include <simdjson.h>

#include <string>

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

// Reads the text as the only item of a list; false where it is not read so.
bool Stream(std::string_view text, Summary& into) {
  static simdjson::ondemand::parser parser;
  const simdjson::padded_string padded("[" + std::string(text) + "]");
  simdjson::ondemand::document document;
  simdjson::ondemand::array list;
  if (parser.iterate(padded).get(document) != simdjson::SUCCESS) return false;
  if (document.get_array().get(list) != simdjson::SUCCESS) return false;
  std::size_t items = 0;
  bool read = false;
  for (auto item : list) {
    simdjson::ondemand::value value;
    if (item.get(value) != simdjson::SUCCESS) return false;
    if (++items == 1) read = ReadStreamedSummary(value, padded, into);
    if (!read) return false;
  }
  return items == 1 && document.current_location().error() != simdjson::SUCCESS;
}

}  // namespace

void Fuzz(std::string_view text) {
  static simdjson::dom::parser parser;
  static Summary used;
  Summary streamed;
  const bool is_streamed = Stream(text, streamed);
  simdjson::dom::element document;
  if (parser.parse(text.data(), text.size()).get(document) != simdjson::SUCCESS) {
    Require(!is_streamed);
    return;
  }
  Summary fresh;
  const auto into_fresh = ReadSummary(document, fresh);
  const auto into_used = ReadSummary(document, used);
  Require(into_fresh.has_value() == into_used.has_value());
  Require(into_fresh.has_value() || !is_streamed);
  if (!into_fresh) {
    Require(into_fresh.error() == into_used.error() && !into_fresh.error().message.empty());
    return;
  }
  Require(fresh.node.node_name == used.node.node_name && fresh.pods.size() == used.pods.size());
  for (std::size_t i = 0; i < fresh.pods.size(); ++i) Require(Same(fresh.pods[i], used.pods[i]));
  if (!is_streamed) return;
  Require(streamed.pods.size() == fresh.pods.size());
  for (std::size_t i = 0; i < fresh.pods.size(); ++i)
    Require(Same(fresh.pods[i], streamed.pods[i]));
}
