// links: jettison_kube_objects jettison_kube_calls
//
// Any bytes, as an API server may send them: as a page of a list, as a line of a watch,
// as a node, a status and the answer to a call. Nothing may crash, and a node that is
// understood can be tainted.

#include <string>

#include "codec/documents/json.h"
#include "fuzz/fuzz.h"
#include "sources/kubernetes/calls/object_calls.h"
#include "sources/kubernetes/objects/api_answers.h"
#include "sources/kubernetes/objects/api_objects.h"

namespace {

using namespace jettison;

void ReadPage(std::string_view text) {
  const auto page = kube::ReadListPage(text);
  if (!page) return;
  for (const Value& item : page->items()) static_cast<void>(kube::ReadApiPod(item));
  if (page->resource_version.empty()) std::abort();
}

void ReadWatch(std::string_view line) {
  const auto event = kube::ReadWatchLine(line);
  if (event) static_cast<void>(kube::ReadApiPod(event->object()));
}

void ReadNode(std::string_view text) {
  const auto node = kube::ReadApiNode(text);
  if (!node) return;
  const auto call = kube::ChangeTaint(*node, {.key = "jettison.io/fuzz"});
  if (call && !ParseJson(call->body)) std::abort();
}

}  // namespace

void Fuzz(std::string_view text) {
  ReadPage(text);
  ReadWatch(text);
  ReadNode(text);
  static_cast<void>(kube::OutcomeOf(kube::ApiReply{.status = 422, .body = std::string(text)}));
}
