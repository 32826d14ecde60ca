#include "codec/kubernetes/pod_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "codec/kubernetes/field.h"
#include "codec/kubernetes/manifest.h"
#include "codec/kubernetes/pod_fields.h"
#include "core/text/spelling.h"

namespace jettison {
namespace {

using kube_json::FaultLog;
using kube_json::Field;

// Reads the fields of a map. Those that are not asked for are warnings.
class MapReader {
 public:
  // Reads the form out of the field, if that is a map.
  template <typename T>
  static void Read(const Field& field, T& form) {
    Visit(field, [&](MapReader& fields) { VisitFields(fields, form); });
  }
  template <typename Visitor>
  static void Visit(const Field& field, Visitor visit) {
    if (!field.IsMap()) return;
    MapReader fields(field);
    visit(fields);
    if (!fields.ignores_others_) field.WarnOfOthers(fields.known_);
  }

  template <typename T>
  void operator()(std::string_view name, T& into) {
    const Field field = Known(name);
    Take(field, into);
  }
  template <typename T>
  void Always(std::string_view name, T& into) {
    (*this)(name, into);
  }
  // (pkg/apis/core/validation, ValidateUserID)
  void Id(std::string_view name, std::optional<std::int64_t>& into) {
    into = Known(name).Integer(0, kMostId);
  }
  void Id(std::string_view name, std::vector<std::int64_t>& into) {
    Known(name).ForEachItem([&](const Field& item) {
      if (const auto id = item.Integer(0, kMostId)) into.push_back(*id);
    });
  }
  template <typename T>
  void Word(std::string_view name, T& into, std::span<const std::string_view> words) {
    const Field field = Known(name);
    const std::optional<std::string> text = field.String();
    if (!text || text->empty()) return;
    const auto found = std::ranges::find(words, *text);
    if (found == words.end()) return field.Fault("must be " + Alternatives(words));
    into = static_cast<EnumOf<T>>(found - words.begin());
  }
  void TrueByDefault(std::string_view name, bool& into) { (*this)(name, into); }
  template <typename Visitor>
  void Inside(std::string_view name, Visitor visit) {
    const Field field = Known(name);
    Visit(field, visit);
  }
  void Unsupported(std::string_view name, std::string_view advice) {
    const Field field = Known(name);
    if (field.IsPresent()) field.Unsupported(advice);
  }
  void HostPorts(std::string_view name) {
    Known(name).ForEachItem([](const Field& port) {
      if (!port.IsMap()) return;
      const Field host_port = port.Member("hostPort");
      if (host_port.IsPresent()) host_port.Warn("not supported here, has no effect");
    });
  }
  template <typename... Names>
  void Ignored(Names... names) {
    (known_.push_back(names), ...);
  }
  void IgnoreOthers() { ignores_others_ = true; }

  // A map of resource names to quantities; a bad quantity is a fault and left out.
  static void Take(const Field& field, ResourceList& into) {
    field.ForEachEntry([&](std::string_view name, const Field& entry) {
      if (auto amount = name == "cpu" ? entry.Amount() : entry.Bytes()) {
        into.emplace(name, *std::move(amount));
      }
    });
  }

 private:
  static constexpr std::int64_t kMostId = std::numeric_limits<std::int32_t>::max();

  template <typename T>
  struct Held {
    using Type = T;
  };
  template <typename T>
  struct Held<std::optional<T>> {
    using Type = T;
  };
  template <typename T>
  using EnumOf = typename Held<T>::Type;

  explicit MapReader(const Field& map) : map_(map) {}

  [[nodiscard]] Field Known(std::string_view name) {
    known_.push_back(name);
    return map_.Member(name);
  }

  static void Take(const Field& field, std::string& into) { into = field.String().value_or(""); }
  static void Take(const Field& field, bool& into) { into = field.Bool().value_or(into); }
  static void Take(const Field& field, std::optional<bool>& into) { into = field.Bool(); }
  static void Take(const Field& field, std::optional<Quantity>& into) { into = field.Bytes(); }
  static void Take(const Field& field, std::vector<std::string>& into) { into = field.Strings(); }
  static void Take(const Field& field, std::map<std::string, std::string, std::less<>>& into) {
    field.ForEachEntry([&](std::string_view key, const Field& entry) {
      into.emplace(key, entry.String().value_or(""));
    });
  }
  static void Take(const Field& field, std::optional<SeccompProfile>& into) {
    static constexpr std::string_view kKnown[] = {"type"};
    if (!field.IsMap()) return;
    const Field type = field.Member("type");
    const auto name = type.String();
    if (name == "RuntimeDefault" || name == "Unconfined") {
      field.WarnOfOthers(kKnown);
      into = name == "Unconfined" ? SeccompProfile::kUnconfined : SeccompProfile::kRuntimeDefault;
    } else if (name == "Localhost") {
      type.Warn("Localhost is not supported here, has no effect");
    } else if (type.HoldsTextOrNothing()) {
      type.Fault("must be RuntimeDefault, Unconfined or Localhost");
    }
  }
  template <typename T>
  static void Take(const Field& field, std::optional<T>& into) {
    if constexpr (std::is_integral_v<T>) {
      const auto number =
          field.Integer(std::numeric_limits<T>::min(), std::numeric_limits<T>::max());
      if (number) into = static_cast<T>(*number);
    } else if (field.IsMap()) {
      Read(field, into.emplace());
    }
  }
  template <typename T>
  static void Take(const Field& field, std::vector<T>& into) {
    field.ForEachItem([&](const Field& item) { TakeItem(item, into.emplace_back()); });
  }
  template <typename T>
  static void Take(const Field& field, T& form) {
    Read(field, form);
  }

  template <typename T>
  static void TakeItem(const Field& item, T& form) {
    Read(item, form);
  }
  static void TakeItem(const Field& item, Container& container) {
    if (!item.IsPresent()) item.Fault("must be a map, found null");
    Read(item, container);
  }
  // A volume that names no source is an OtherVolumeSource without kind; the API's default (an
  // emptyDir) is applied elsewhere.
  static void TakeItem(const Field& item, Volume& volume) {
    volume.source = OtherVolumeSource{};
    if (!item.IsMap()) return;
    volume.name = item.Member("name").String().value_or("");
    bool found = false;
    for (const auto& [key, value] : *item.value()->AsMap()) {
      if (key == "name" || value.IsNull()) continue;
      const Field field = item.Member(key);
      if (found) {
        field.Fault("a volume has one source only; remove one of them");
        continue;
      }
      found = true;
      volume.source = SourceOfKind(key);
      std::visit([&](auto& source) { Read(field, source); }, volume.source);
    }
  }

  static VolumeSource SourceOfKind(const std::string& kind) {
    for (VolumeSource source : {VolumeSource(EmptyDirSource{}), VolumeSource(HostPathSource{}),
                                VolumeSource(ConfigMapSource{}), VolumeSource(SecretSource{}),
                                VolumeSource(GitRepoSource{})}) {
      if (KindOfSource(source) == kind) return source;
    }
    return OtherVolumeSource{kind};
  }
  const Field& map_;
  std::vector<std::string_view> known_;
  bool ignores_others_ = false;
};

void ReadStatus(const Field& status, Pod& pod) {
  if (!status.IsMap()) return;
  const Field qos_class = status.Member("qosClass");
  const auto name = qos_class.String();
  if (!name || name->empty()) return;
  pod.status_qos_class = EnumeratorNamed<QosClass>(*name);
  if (!pod.status_qos_class) qos_class.Fault("must be Guaranteed, Burstable or BestEffort");
}

constexpr std::string_view kPodFields[] = {"apiVersion", "kind", "metadata", "spec", "status"};

// A list may hold other things than pods; recorded pods often come without a kind.
void RefuseOtherKinds(const Field& kind) {
  if (kind.IsPresent() && kube_json::TextOf(kind.value()) != "Pod") kind.Fault("must be Pod");
}

PodReading ReadPodAt(const Value& document, const PodSource& source, std::string_view prefix) {
  const bool manifest = source.form == PodForm::kManifest;
  FaultLog log{.file = source.file, .lenient = !manifest, .faults = {}, .warnings = {}};
  const Field root(document, log, prefix);
  PodReading reading;
  if (!root.IsPresent()) root.Fault("must be a Pod, found nothing");
  if (root.IsMap()) {
    Pod& pod = reading.pod;
    const Field metadata = root.Member("metadata");
    const Field spec = root.Member("spec");
    MapReader::Visit(metadata, [&](MapReader& fields) { VisitPodMetadata(fields, pod); });
    if (pod.namespace_.empty()) pod.namespace_ = "default";
    MapReader::Visit(spec, [&](MapReader& fields) { VisitPodSpec(fields, pod); });
    ReadStatus(root.Member("status"), pod);
    RefuseOtherKinds(root.Member("kind"));
    root.WarnOfOthers(kPodFields);
    if (manifest) {
      kube_json::ApplyPodDefaults(reading.pod);
      kube_json::CheckManifest(root, reading.pod);
    }
  }
  reading.faults = std::move(log.faults);
  reading.warnings = std::move(log.warnings);
  return reading;
}

bool IsListOfPods(const Value& document) {
  const Value* kind = document.Find("kind");
  const std::string* name = kind == nullptr ? nullptr : kind->AsString();
  return name != nullptr && (*name == "List" || *name == "PodList");
}

}  // namespace

ResourceRequirements kube_json::ReadResources(const Field& field) {
  ResourceRequirements resources;
  MapReader::Read(field, resources);
  return resources;
}

PodReading ReadPod(const Value& document, const PodSource& source) {
  return ReadPodAt(document, source, {});
}

void ForEachPod(const Value& document, const PodSource& source,
                const std::function<void(PodReading)>& visit) {
  const bool wrapped = IsListOfPods(document);
  const Value* items = wrapped ? document.Find("items") : &document;
  const Value::List* list = items == nullptr ? nullptr : items->AsList();
  if (list == nullptr) {
    if (!wrapped) return visit(ReadPod(document, source));
    if (items == nullptr || items->IsNull()) return;  // an empty list
    return visit(ReadPodAt(*items, source, "items"));
  }
  for (std::size_t i = 0; i < list->size(); ++i) {
    const std::string prefix = fmt::format("{}[{}]", wrapped ? "items" : "", i);
    visit(ReadPodAt((*list)[i], source, prefix));
  }
}

}  // namespace jettison
