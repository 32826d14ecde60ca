// links: jettison_documents jettison_shadow jettison_model
//
// Whatever an agent answers is read as its comparison with the kubelet, or not; and whatever course
// evictions take, each of the kubelet's is paired once.

#include <optional>
#include <set>
#include <string>

#include "codec/documents/form_reader.h"
#include "codec/documents/json.h"
#include "core/shadow/shadow_book.h"
#include "fuzz/fuzz.h"

namespace {

using namespace jettison;

void ReadAnswer(std::string_view text) {
  const auto document = ParseJson(text);
  if (!document) return;
  FormReader fields(*document);
  ShadowView view;
  VisitFields(fields, view);
  static_cast<void>(ShadowJson(view));
}

// Each byte is a step: who does what to which of sixteen pods.
void FollowCourse(std::string_view steps) {
  ShadowBook book;
  std::set<std::string> evicted;
  Instant now{};
  for (const char step : steps) {
    const auto bits = static_cast<unsigned char>(step);
    const std::string uid(1, static_cast<char>('a' + bits % 16));
    const PodIdentity pod{.namespace_ = "", .name = uid, .uid = uid};
    now += std::chrono::seconds(7);
    switch (bits >> 6) {
      case 0:
      case 1: book.NoteOurs({now, pod, Signal::kMemoryAvailable, ""}); break;
      case 2:
        if (!evicted.insert(uid).second) break;  // who watches tells of it once
        book.NoteKubelets({now, pod, std::nullopt, "The node was low on resource: memory. "});
        break;
      default:
        if (!evicted.contains(uid)) book.NoteGone(uid, now);
    }
  }
  book.Advance(now + std::chrono::hours(1));
  std::uint64_t paired = 0;
  for (const ShadowVerdict verdict : kAllOf<ShadowVerdict>) {
    if (verdict != ShadowVerdict::kOursAlone) paired += book.counters().Of(verdict);
  }
  Require(paired == evicted.size() && !book.NextDeadline());
}

}  // namespace

void Fuzz(std::string_view text) {
  static_cast<void>(KubeletCauseOf(text));
  ReadAnswer(text);
  FollowCourse(text);
}
