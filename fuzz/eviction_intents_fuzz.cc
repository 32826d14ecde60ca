// links: jettison_kube_evictions
//
// Any bytes, read as what an agent has kept of evictions: what is accepted is written so that it
// reads back the same.

#include <cstdint>

#include "fuzz/fuzz.h"
#include "sources/kubernetes/evictions/eviction_intent.h"

void Fuzz(std::string_view text) {
  using namespace jettison::kube;
  const auto intents = ParseEvictionIntents(text);
  if (!intents) return;
  const EvictionIntentsText written = FormatEvictionIntents(*intents, SIZE_MAX);
  const auto again = ParseEvictionIntents(written.text);
  Require(again && *again == *intents && written.left_out == 0);
}
