#include "codec/flight/values/pod_entry.h"

#include <utility>

#include "codec/documents/json.h"
#include "codec/flight/values/binary_values.h"
#include "codec/flight/values/list_fields.h"
#include "codec/kubernetes/pod_reader.h"
#include "codec/kubernetes/pod_writer.h"
#include "core/model/fault.h"
#include "core/model/redaction.h"

namespace jettison {

PodEntry EntryOf(const PodFacts& facts) {
  return {.json = WritePod(RedactedPod(facts.pod)),
          .source = facts.source,
          .protection = facts.protection};
}

Result<std::shared_ptr<const PodFacts>> FactsOf(const PodEntry& entry, Profile profile) {
  const auto document = ParseJson(entry.json);
  if (!document) return Fail(document.error().In("a pod"));
  return FactsOf(*document, entry, profile);
}

Result<std::shared_ptr<const PodFacts>> FactsOf(const Value& pod, const PodEntry& entry,
                                                Profile profile) {
  PodReading reading = ReadPod(pod, {.file = "", .form = PodForm::kApiObject});
  if (!reading.Ok())
    return Fail(ErrorCode::kInvalidArgument, "a pod: " + DescribeAll(reading.faults));
  auto facts = std::make_shared<PodFacts>(FactsOf(std::move(reading.pod), profile));
  facts->source = entry.source;
  facts->protection = entry.protection;
  return facts;
}

void WriteEntry(const PodEntry& entry, ByteWriter& out) {
  BinaryValueWriter values(out);
  values.Write(entry.source);
  values.Write(entry.protection);
  out.Text(entry.json);
}

PodEntry ReadEntry(ByteReader& in) {
  PodEntry entry;
  BinaryValueReader values(in);
  values.Read(entry.source);
  values.Read(entry.protection);
  entry.json = in.Text();
  return entry;
}

}  // namespace jettison
