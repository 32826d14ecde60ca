#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "core/config/read_config.h"
#include "core/text/spelling.h"
#include "core/thresholds/fields.h"

namespace jettison {
namespace {

// The same text for "evictionHard[pid.available]" and for its path: "evictionHard.pid.available".
std::string Plain(std::string_view key) {
  std::string plain;
  for (const char c : key) {
    if (c != ']') plain += c == '[' ? '.' : c;
  }
  return plain;
}

bool LiesIn(std::string_view key, std::string_view outer) {
  return key.starts_with(outer) && (key.size() == outer.size() || key[outer.size()] == '.');
}

std::string Inside(const std::string& outer, const std::string& key) {
  if (outer.empty()) return key;
  const bool is_dotted = key.find('.') != std::string::npos;
  return is_dotted ? fmt::format("{}[{}]", outer, key) : fmt::format("{}.{}", outer, key);
}

void Forget(std::string_view key, std::vector<Override>& overrides) {
  std::erase_if(overrides, [outer = Plain(key)](const Override& one) {
    return outer.empty() || LiesIn(Plain(one.key), outer);
  });
}

// Merges a drop-in over a document of the same kind, as the kubelet does with its --config-dir
// (RFC 7386): maps are merged member by member, at any depth; a list or a scalar replaces the
// earlier value; null removes it, so that the default applies. Both documents must be maps.
class Merging {
 public:
  Merging(const std::string& file, std::vector<Override>& overrides)
      : file_(file), overrides_(overrides) {}

  // `base` is null if the member was absent before.
  Value Of(const std::string& key, const Value* base, const Value& patch) {
    const Value::Map* const said = base == nullptr ? nullptr : base->AsMap();
    const Value::Map* const members = patch.AsMap();
    if (members == nullptr || (members->empty() && said == nullptr)) {
      Note(key);
      return patch;
    }
    if (said == nullptr) Forget(key, overrides_);
    Value::Map merged = said == nullptr ? Value::Map{} : *said;
    for (const auto& [name, value] : *members) Put(key, name, value, merged);
    return Value(std::move(merged), (said == nullptr ? patch : *base).line());
  }

 private:
  void Put(const std::string& outer, const std::string& name, const Value& value,
           Value::Map& merged) {
    const std::string key = Inside(outer, name);
    const auto at = std::ranges::find(merged, name, &Value::Member::first);
    if (key == "apiVersion" || key == "kind") {  // the same in both documents
      if (at == merged.end()) merged.emplace_back(name, value);
    } else if (value.IsNull()) {
      if (at != merged.end()) merged.erase(at);
      Note(key);
    } else if (at == merged.end()) {
      merged.emplace_back(name, Of(key, nullptr, value));
    } else {
      at->second = Of(key, &at->second, value);
    }
  }
  // A later drop-in replaces an earlier one.
  void Note(const std::string& key) {
    Forget(key, overrides_);
    overrides_.push_back({key, file_});
  }

  const std::string& file_;
  std::vector<Override>& overrides_;
};

constexpr std::string_view kKubeletKind = "KubeletConfiguration";
constexpr std::string_view kJettisonKind = "JettisonConfiguration";
constexpr auto kKinds = std::to_array<std::string_view>({kKubeletKind, kJettisonKind});
constexpr std::string_view kKubeletVersion = "kubelet.config.k8s.io/v1beta1";
constexpr std::string_view kJettisonVersion = "jettison.io/v1alpha1";

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
  if (kind != kKubeletKind && kind != kJettisonKind) {
    const std::string found = kind.value_or("");
    fields.Refuse("kind", found,
                  fmt::format("must be {}{}", Alternatives(kKinds), DidYouMean(found, kKinds)));
    return std::nullopt;
  }
  const std::string_view wanted = kind == kKubeletKind ? kKubeletVersion : kJettisonVersion;
  const auto version = fields.Text("apiVersion");
  if (version != wanted && (version || fields.Find("apiVersion") == nullptr)) {
    fields.Refuse("apiVersion", version.value_or(""),
                  fmt::format("must be {} where kind is {}", wanted, *kind));
  }
  return kind;
}

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
  if (kind == kKubeletKind) KeepOtherDefaults(document, *place.document);
  place.document->document = Merging(document.file, place.document->overrides)
                                 .Of("", &place.document->document, document.document);
}

}  // namespace

const std::string& FileOf(const ConfigDocument& document, std::string_view key) {
  const std::string wanted = Plain(key);
  const std::string* file = &document.file;
  std::size_t closest = 0;
  for (const Override& one : document.overrides) {
    const std::string said = Plain(one.key);
    if (LiesIn(said, wanted)) {
      closest = wanted.size();
      file = &one.file;
    } else if (LiesIn(wanted, said) && said.size() > closest) {
      closest = said.size();
      file = &one.file;
    }
  }
  return *file;
}

SortedDocuments Sorted(const std::vector<ConfigDocument>& documents, Faults& faults) {
  Place kubelet;
  Place jettison;
  for (const ConfigDocument& document : documents) {
    const auto kind = KindOf(document, faults);
    if (kind) PutIn(document, *kind, kind == kKubeletKind ? kubelet : jettison, faults);
  }
  return {.kubelet = std::move(kubelet.document), .jettison = std::move(jettison.document)};
}

}  // namespace jettison
