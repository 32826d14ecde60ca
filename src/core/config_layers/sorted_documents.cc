#include "core/config_layers/sorted_documents.h"

#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "core/text/spelling.h"
#include "core/thresholds/fields.h"

namespace jettison {
namespace {

constexpr std::string_view kKubelet = "KubeletConfiguration";
constexpr std::string_view kJettison = "JettisonConfiguration";
constexpr auto kKinds = std::to_array<std::string_view>({kKubelet, kJettison});
constexpr std::string_view kKubeletVersion = "kubelet.config.k8s.io/v1beta1";
constexpr std::string_view kJettisonVersion = "jettison.io/v1alpha1";

// Whether apiVersion is the supported one of this kind.
void CheckVersion(const Fields& fields, std::string_view kind, std::string_view wanted) {
  const auto version = fields.Text("apiVersion");
  if (version == wanted || (!version && fields.Find("apiVersion") != nullptr)) return;
  fields.Refuse("apiVersion", version.value_or(""),
                fmt::format("must be {} where kind is {}", wanted, kind));
}

// The kind of a document, if it is one that we read.
std::optional<std::string> KindOf(const ConfigDocument& document, Faults& faults) {
  if (document.document.AsMap() == nullptr) {
    AddFault(faults,
             {document.file, "", Shown(document.document),
              fmt::format("line {}: a configuration is a map with apiVersion and kind, not {}",
                          document.document.line(), document.document.KindName())});
    return std::nullopt;
  }
  const Fields fields(document.document, document.file, faults);
  auto kind = fields.Text("kind");
  if (!kind && fields.Find("kind") != nullptr) return std::nullopt;
  if (kind != kKubelet && kind != kJettison) {
    const std::string found = kind.value_or("");
    fields.Refuse("kind", found,
                  fmt::format("must be {}{}", Alternatives(kKinds), DidYouMean(found, kKinds)));
    return std::nullopt;
  }
  CheckVersion(fields, *kind, kind == kKubelet ? kKubeletVersion : kJettisonVersion);
  return kind;
}

// The documents of one kind so far.
struct Place {
  std::optional<ConfigDocument> document;
  const ConfigDocument* last = nullptr;  // the last one that was merged
};

bool IsSaid(const Value& document, std::string_view key) {
  const Value* const value = document.Find(key);
  return value != nullptr && !value->IsNull();
}

// Called before the first drop-in with thresholds is merged into a document without any.
void KeepOtherDefaults(const ConfigDocument& drop_in, ConfigDocument& document) {
  constexpr const char* kMerge = "mergeDefaultEvictionSettings";
  if (!IsSaid(drop_in.document, "evictionHard") || IsSaid(document.document, "evictionHard") ||
      IsSaid(document.document, kMerge)) {
    return;
  }
  Value::Map members = *document.document.AsMap();
  std::erase_if(members, [](const Value::Member& member) { return member.first == kMerge; });
  members.emplace_back(kMerge, Value(true));
  document.document = Value(std::move(members), document.document.line());
}

void PutIn(const ConfigDocument& document, const std::string& kind, Place& place, Faults& faults) {
  const bool may_come =
      place.last == nullptr || (document.drop_in && document.file != place.last->file);
  if (!may_come) {
    Fields(document.document, document.file, faults)
        .Refuse("kind", kind,
                fmt::format("there may be only one {}{}; the first is in {}, line {}", kind,
                            document.drop_in ? " in a drop-in" : "", place.last->file,
                            place.last->document.line()));
    return;
  }
  place.last = &document;
  if (!document.drop_in) {
    place.document = document;
    return;
  }
  if (!place.document) {
    place.document = {.file = document.file,
                      .document = Value(Value::Map{}, document.document.line())};
  }
  if (kind == kKubelet) KeepOtherDefaults(document, *place.document);
  PutOver(document, *place.document);
}

}  // namespace

SortedDocuments Sorted(const std::vector<ConfigDocument>& documents, Faults& faults) {
  Place kubelet;
  Place jettison;
  for (const ConfigDocument& document : documents) {
    const auto kind = KindOf(document, faults);
    if (kind) PutIn(document, *kind, kind == kKubelet ? kubelet : jettison, faults);
  }
  return {.kubelet = std::move(kubelet.document), .jettison = std::move(jettison.document)};
}

}  // namespace jettison
