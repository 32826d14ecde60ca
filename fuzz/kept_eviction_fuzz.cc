// links: jettison_agent
//
// Any bytes, read as a kept eviction: what is accepted keeps its text and reads back the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "agent/tell/kept_eviction.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace jettison;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto kept = ParseKeptEviction(text);
  if (!kept) return 0;
  if (kept->json != text || EvictionId(kept->number) != kept->id) std::abort();
  const auto again = ParseKeptEviction(kept->json);
  if (!again || again->at != kept->at || again->pod.uid != kept->pod.uid) std::abort();
  return 0;
}
