#include "codec/kubernetes/pod_writer.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "codec/kubernetes/pod_fields.h"
#include "core/json/json_writer.h"

namespace jettison {
namespace {

class MapWriter {
 public:
  explicit MapWriter(JsonWriter& json) : json_(json) {}

  void operator()(std::string_view name, const std::string& text) {
    if (!text.empty()) json_.Field(name, text);
  }
  void operator()(std::string_view name, bool flag) {
    if (flag) json_.Field(name, true);
  }
  void operator()(std::string_view name, const std::optional<Quantity>& amount) {
    if (amount) json_.Field(name, amount->ToExactString());
  }
  void operator()(std::string_view name, const std::optional<SeccompProfile>& profile) {
    if (!profile) return;
    json_.Object(name, [&] {
      json_.Field("type",
                  *profile == SeccompProfile::kUnconfined ? "Unconfined" : "RuntimeDefault");
    });
  }
  template <typename T>
  void operator()(std::string_view name, const std::optional<T>& value) {
    if constexpr (std::is_arithmetic_v<T>) {
      json_.Field(name, value);
    } else if (value) {
      json_.Object(name, [&] { VisitFields(*this, *value); });
    }
  }
  template <typename T>
  void operator()(std::string_view name, const std::vector<T>& items) {
    if (!items.empty()) Always(name, items);
  }
  template <typename T>
  void operator()(std::string_view name, const std::map<std::string, T, std::less<>>& map) {
    json_.ObjectUnlessEmpty(name, [&] {
      for (const auto& [key, value] : map) json_.Field(key, TextOf(value));
    });
  }
  template <typename T>
  void operator()(std::string_view name, const T& form) {
    json_.ObjectUnlessEmpty(name, [&] { VisitFields(*this, form); });
  }

  void Always(std::string_view name, const std::string& text) { json_.Field(name, text); }
  template <typename T>
  void Always(std::string_view name, const std::vector<T>& items) {
    json_.Array(name, [&] {
      for (const T& item : items) Item(item);
    });
  }
  template <typename T>
  void Id(std::string_view name, const T& ids) {
    (*this)(name, ids);
  }
  template <typename Enum>
  requires std::is_enum_v<Enum>
  void Word(std::string_view name, Enum value, std::span<const std::string_view> words) {
    json_.Field(name, words[static_cast<std::size_t>(value)]);
  }
  template <typename Enum>
  void Word(std::string_view name, const std::optional<Enum>& value,
            std::span<const std::string_view> words) {
    if (value) Word(name, *value, words);
  }
  void TrueByDefault(std::string_view name, bool flag) {
    if (!flag) json_.Field(name, false);
  }
  template <typename Visit>
  void Inside(std::string_view name, Visit visit) {
    json_.ObjectUnlessEmpty(name, [&] { visit(*this); });
  }
  void Unsupported(std::string_view /*name*/, std::string_view /*advice*/) {}
  void HostPorts(std::string_view /*name*/) {}
  template <typename... Names>
  void Ignored(Names... /*names*/) {}
  void IgnoreOthers() {}

 private:
  static const std::string& TextOf(const std::string& text) { return text; }
  static std::string TextOf(const Quantity& amount) { return amount.ToExactString(); }

  void Item(const std::string& text) { json_.String(text); }
  void Item(std::int64_t number) { json_.Number(number); }
  void Item(const Volume& volume) {
    json_.Object([&] {
      json_.Field("name", volume.name);
      const std::string_view kind = KindOfSource(volume.source);
      if (kind.empty()) return;
      json_.Object(kind, [&] {
        std::visit([this](const auto& source) { VisitFields(*this, source); }, volume.source);
      });
    });
  }
  template <typename T>
  void Item(const T& form) {
    json_.Object([&] { VisitFields(*this, form); });
  }

  JsonWriter& json_;
};

}  // namespace

std::string WritePod(const Pod& pod, const PodOnNode& on_node) {
  return JsonObject([&](JsonWriter& json) {
    MapWriter fields(json);
    json.Field("apiVersion", "v1");
    json.Field("kind", "Pod");
    json.Object("metadata", [&] { VisitPodMetadata(fields, pod); });
    json.Object("spec", [&] {
      VisitPodSpec(fields, pod);
      if (!on_node.node_name.empty()) json.Field("nodeName", on_node.node_name);
    });
    if (!on_node.status.empty()) {
      json.Key("status");
      json.Json(on_node.status);
    } else if (pod.status_qos_class) {
      json.Object("status", [&] { json.Field("qosClass", NameOf(*pod.status_qos_class)); });
    }
  });
}

}  // namespace jettison
