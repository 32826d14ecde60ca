#pragma once

#include "codec/flight/values/binary_values.h"
#include "codec/flight/values/list_fields.h"
#include "codec/flight/values/report_fields.h"
#include "core/recording/recording.h"

namespace jettison {

// Items that are no passes, field by field (values/list_fields.h).

template <typename Archive, FormOf<RecordingAbout> T>
void ListFields(Archive& fields, T& about) {
  auto& [at, node, maker, profile] = about;
  fields("at", at);
  fields("node", node);
  fields("maker", maker);
  fields("profile", profile);
}

template <typename Archive, FormOf<RecordedOomKill> T>
void ListFields(Archive& fields, T& kill) {
  auto& [at, pod, container] = kill;
  fields("at", at);
  fields("pod", pod);
  fields("container", container);
}

template <typename Archive, FormOf<RecordedGap> T>
void ListFields(Archive& fields, T& gap) {
  auto& [from, to, why] = gap;
  fields("from", from);
  fields("to", to);
  fields("why", why);
}

template <typename Archive, FormOf<RecordedNote> T>
void ListFields(Archive& fields, T& note) {
  auto& [at, text] = note;
  fields("at", at);
  fields("text", text);
}

}  // namespace jettison
