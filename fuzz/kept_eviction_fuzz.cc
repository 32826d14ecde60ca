// links: jettison_agent_tell
//
// Any bytes, read as a kept eviction: what is accepted keeps its text and reads back the same.
#include <string>

#include "agent/tell/kept_eviction.h"
#include "fuzz/fuzz.h"

void Fuzz(std::string_view bytes) {
  using namespace jettison;
  const std::string text(bytes);
  const auto kept = ParseKeptEviction(text);
  if (!kept) return;
  if (kept->json != text || EvictionId(kept->number) != kept->id) std::abort();
  const auto again = ParseKeptEviction(kept->json);
  if (!again || again->at != kept->at || again->pod.uid != kept->pod.uid) std::abort();
}
