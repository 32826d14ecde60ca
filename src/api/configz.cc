#include <string_view>

#include "api/api.h"
#include "codec/recordings/scenario_policy.h"
#include "core/config/settings.h"
#include "core/model/redaction.h"

namespace jettison {
namespace {

// Writes one value as a document has it; what is empty says nothing and is left out.
void Put(std::string_view name, const std::string& text, JsonWriter& json) {
  if (!text.empty()) json.Field(name, text);
}
void Put(std::string_view name, Duration span, JsonWriter& json) {
  json.Field(name, FormatDuration(span));
}
void Put(std::string_view name, const ResourceList& resources, JsonWriter& json) {
  json.ObjectUnlessEmpty(name, [&] {
    for (const auto& [resource, amount] : resources) json.Field(resource, amount.ToString());
  });
}
void Put(std::string_view name, const std::optional<EnforcedReservation>& enforced,
         JsonWriter& json) {
  if (enforced) json.Field(name, "/" + enforced->group);
}
void Put(std::string_view name, const std::vector<HookConfig>& hooks, JsonWriter& json) {
  json.ArrayUnlessEmpty(name, [&] {
    for (const HookConfig& hook : hooks) {
      json.Object([&] {
        json.Field("name", hook.name);
        json.Array("when", [&] {
          for (const Occasion occasion : hook.when) json.String(NameOf(occasion));
        });
        json.ArrayUnlessEmpty("exec", [&] {
          for (const std::string& word : hook.exec) json.String(WithRedactedUrls(word));
        });
        Put("url", RedactedUrl(hook.url), json);
        Put("timeout", hook.timeout, json);
        Put("minInterval", hook.min_interval, json);
      });
    }
  });
}
void Put(std::string_view name, const auto& value, JsonWriter& json) {
  if constexpr (requires { NameOf(value); }) {
    json.Field(name, NameOf(value));
  } else {
    json.Field(name, value);
  }
}

// The same for a setting; most forms are told by their values.
void PutAs(const auto&, std::string_view name, const auto& value, JsonWriter& json) {
  Put(name, value, json);
}
void PutAs(const SocketPath&, std::string_view name, const std::string& path, JsonWriter& json) {
  json.Field(name, path);
}
void PutAs(const Limit&, std::string_view name, const std::optional<std::int64_t>& limit,
           JsonWriter& json) {
  json.Field(name, limit.value_or(-1));
}
void PutAs(const LogSize&, std::string_view name, const std::optional<std::int64_t>& bytes,
           JsonWriter& json) {
  json.Field(name, bytes ? Quantity::Of(*bytes).ToString() : "-1");
}
void PutAs(const FileSize&, std::string_view name, std::int64_t bytes, JsonWriter& json) {
  json.Field(name, Quantity::Of(bytes).ToString());
}
void PutAs(const LogFormatName&, std::string_view name, bool is_json, JsonWriter& json) {
  json.Field(name, is_json ? "json" : "text");
}

// The settings of a list, but for those whose names are in `without`.
template <typename Rows, typename Owner>
void PutAll(const Rows& rows, const Owner& owner, std::string_view without, JsonWriter& json) {
  ForEach(rows, [&]<typename Row>(const Row& row) {
    if (row.name == without) return;
    if constexpr (IsSetting<Row>) {
      PutAs(row.form, row.name, owner.*row.value, json);
    } else if (row.name.empty()) {
      PutAll(row.rows, owner.*row.part, without, json);
    } else {
      json.Object(row.name, [&] { PutAll(row.rows, owner.*row.part, without, json); });
    }
  });
}

void WriteEnforcement(std::string_view what, const std::optional<EnforcedReservation>& enforced,
                      JsonWriter& json) {
  if (!enforced) return;
  json.String(std::string(what) + (enforced->compressible_only ? "-compressible" : ""));
}

void WriteKubelet(const AgentConfig& config, JsonWriter& json) {
  const NodeReservation& reservation = config.reservation;
  json.Object([&] {
    json.Field("apiVersion", "kubelet.config.k8s.io/v1beta1");
    json.Field("kind", "KubeletConfiguration");
    WriteEvictionSettings(config.eviction.thresholds, json);
    PutAll(kKubeletSettings, config, "enforceNodeAllocatable", json);
    json.Array("enforceNodeAllocatable", [&] {
      if (reservation.enforce_pods) json.String("pods");
      WriteEnforcement("kube-reserved", reservation.kube_enforced, json);
      WriteEnforcement("system-reserved", reservation.system_enforced, json);
      if (!reservation.enforce_pods && !reservation.kube_enforced && !reservation.system_enforced) {
        json.String("none");
      }
    });
  });
}

// A runtime is of the agent's own pods, and beside a kubelet it has none.
void WriteOwn(const AgentConfig& config, JsonWriter& json) {
  const bool is_beside = config.source == SourceKind::kKubernetes;
  json.Object([&] {
    json.Field("apiVersion", "jettison.io/v1alpha1");
    json.Field("kind", "JettisonConfiguration");
    PutAll(kJettisonSettings, config, is_beside ? "runtime" : "kubernetes", json);
    WriteOwnSettings(config.eviction.thresholds, json);
  });
}

}  // namespace

void WriteConfigz(const AgentConfig& config, JsonWriter& json) {
  json.Key("kubeletconfig");
  WriteKubelet(config, json);
  json.Key("jettisonconfig");
  WriteOwn(config, json);
}

std::string ConfigzJson(const AgentConfig& config) {
  return JsonObject([&](JsonWriter& json) { WriteConfigz(config, json); });
}

}  // namespace jettison
