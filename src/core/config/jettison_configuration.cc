#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <utility>
#include <vector>

#include "core/config/read_config.h"
#include "core/config/settings.h"
#include "core/model/redaction.h"
#include "core/text/spelling.h"
#include "core/thresholds/threshold_settings.h"
#include "core/units/http_url.h"
#include "core/units/quantity.h"

namespace jettison {
namespace {

constexpr auto kHookNames =
    std::to_array<std::string_view>({"name", "when", "exec", "url", "timeout", "minInterval"});
// Each hook has a thread.
constexpr std::size_t kMostHooks = 8;
constexpr Duration kLeastTimeout = std::chrono::milliseconds(100);
constexpr Duration kMostTimeout = std::chrono::minutes(1);
constexpr Duration kMostInterval = std::chrono::hours(1);

std::vector<Occasion> OccasionsIn(const Fields& fields) {
  const auto names = fields.TextList("when");
  if (!names) return {kAllOf<Occasion>.begin(), kAllOf<Occasion>.end()};
  if (names->empty()) {
    fields.Refuse("when", "[]",
                  fmt::format("must name at least one of {}", Alternatives(kNamesOf<Occasion>)));
  }
  std::vector<Occasion> occasions;
  for (const std::string& name : *names) {
    const auto found = EnumeratorNamed<Occasion>(name);
    if (!found) {
      fields.Refuse("when", name,
                    fmt::format("must be one of {}", Alternatives(kNamesOf<Occasion>)));
    } else if (std::ranges::find(occasions, *found) == occasions.end()) {
      occasions.push_back(*found);
    }
  }
  return occasions;
}

void ReadWhom(const Fields& fields, HookConfig& hook) {
  const auto exec = fields.TextList("exec");
  const auto url = fields.Text("url");
  if (exec) {
    hook.exec = *exec;
    if (exec->empty() || !exec->front().starts_with('/')) {
      fields.Refuse("exec", exec->empty() ? "[]" : exec->front(),
                    "must begin with the absolute path of a program; its arguments follow");
    }
  }
  if (url) {
    hook.url = *url;
    if (const auto parts = ParseHttpUrl(*url); !parts) {
      fields.Refuse("url", RedactedUrl(*url), parts.error().message);
    }
  }
  const bool one = fields.Find("exec") != nullptr || fields.Find("url") != nullptr;
  if (exec && url) fields.Refuse("url", *url, "must not be set where exec is; use two hooks");
  if (!one) fields.Refuse("exec", "", "exec or url must be set");
}

HookConfig ReadHook(const Fields& fields, std::string name) {
  fields.RefuseOthers(kHookNames);
  HookConfig hook;
  hook.name = fields.Text("name").value_or(std::move(name));
  hook.when = OccasionsIn(fields);
  ReadWhom(fields, hook);
  Take(fields.Span("timeout", kLeastTimeout, kMostTimeout), hook.timeout);
  Take(fields.Span("minInterval", Duration::zero(), kMostInterval), hook.min_interval);
  return hook;
}

// Whether the field has anything else than "" or false, valid or not.
bool IsSet(const Fields& http, std::string_view key) {
  const Value* value = http.Find(key);
  return value != nullptr && !Shown(*value).empty() && Shown(*value) != "false";
}

void CheckSocket(const Fields& http, const HttpConfig& config) {
  const auto odd = [](char c) { return c <= ' ' || c == ':' || c == '/' || c == '\x7f'; };
  if (std::ranges::any_of(config.socket_group, odd)) {
    http.Refuse("socketGroup", config.socket_group, "must be the name or number of a group");
  } else if (!config.socket_group.empty() && config.socket.empty()) {
    http.Refuse("socketGroup", config.socket_group, "has no effect where socket is \"\"");
  }
}

void CheckTogether(const Fields& http, const HttpConfig& config) {
  const bool has_cert = IsSet(http, "tlsCertFile");
  const bool has_key = IsSet(http, "tlsPrivateKeyFile");
  if (has_cert && !has_key) {
    http.Refuse("tlsCertFile", config.tls_cert_file, "needs tlsPrivateKeyFile, the key to it");
  }
  if (has_key && !has_cert) {
    http.Refuse("tlsPrivateKeyFile", config.tls_private_key_file,
                "needs tlsCertFile, the certificate to it");
  }
  if (IsSet(http, "clientCAFile") && !has_cert && !has_key) {
    http.Refuse("clientCAFile", config.client_ca_file,
                "client certificates need TLS: set tlsCertFile and tlsPrivateKeyFile");
  }
  const bool is_guarded = IsSet(http, "clientCAFile") || IsSet(http, "bearerTokenFile");
  if (config.allow_any_local_user && is_guarded) {
    http.Refuse("allowAnyLocalUser", "true",
                "must not be set where clientCAFile or bearerTokenFile says who may ask");
  }
  if (IsSet(http, "address")) return;
  for (const auto* key : {"allowAnyLocalUser", "tlsCertFile", "tlsPrivateKeyFile", "clientCAFile",
                          "bearerTokenFile"}) {
    if (!IsSet(http, key)) continue;
    http.Refuse(key, Shown(*http.Find(key)), "has no effect without address");
  }
}

void CheckAddress(const Fields& http, const HttpConfig& config) {
  const auto address = ParseTcpAddress(config.address);
  if (!address) {
    http.Refuse("address", config.address,
                "must be an IP address with a port, such as 127.0.0.1:10350 or [::1]:10350");
    return;
  }
  if (address->port == 0)
    http.Refuse("address", config.address, "must have a port from 1 to 65535");
  if (address->is_loopback) return;
  if (!IsSet(http, "tlsCertFile") && !IsSet(http, "tlsPrivateKeyFile")) {
    http.Refuse("address", config.address,
                "other machines can reach it, so it needs TLS: set tlsCertFile and "
                "tlsPrivateKeyFile, or listen on 127.0.0.1 or ::1");
  }
  if (!IsSet(http, "clientCAFile") && !IsSet(http, "bearerTokenFile")) {
    http.Refuse(
        "address", config.address,
        "other machines can reach it, so clients must say who they are: set clientCAFile or "
        "bearerTokenFile, or listen on 127.0.0.1 or ::1");
  }
}

// A file of an earlier version must not keep the agent from starting.
constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kRemoved = {
    {{"memoryReclaim", "it was removed; memory is reclaimed from no group"},
     {"nodeStatusFile", "it was removed; /api/v1/node has the same object"}}};

void CheckSource(const Fields& fields, const AgentConfig& config) {
  if (config.source != SourceKind::kKubernetes) {
    const Value* kubernetes = fields.Find("kubernetes");
    if (kubernetes == nullptr || kubernetes->AsMap() == nullptr) return;
    fields.Refuse("kubernetes", "", "has no effect unless source is kubernetes");
  } else if (fields.Find("runtime") != nullptr) {
    fields.Refuse("runtime", fields.Text("runtime").value_or(""),
                  "must not be set where source is kubernetes: the kubelet runs the pods");
  }
}

}  // namespace

// An address that other machines can reach needs TLS, and client certificates or a token.
void CheckHttp(const Fields& http, const HttpConfig& config) {
  CheckSocket(http, config);
  CheckTogether(http, config);
  if (!config.address.empty()) CheckAddress(http, config);
}

void CheckBackoff(const Fields& fields, const EvictionBackoff& backoff) {
  if (backoff.initial <= backoff.max) return;
  fields.Refuse("initial", FormatDuration(backoff.initial),
                fmt::format("must be at most max, which is {}", FormatDuration(backoff.max)));
}

void FileSize::Read(const Fields& fields, std::string_view name, std::int64_t& into) const {
  constexpr std::int64_t kLeast = std::int64_t{1} << 20;
  constexpr std::int64_t kMost = std::int64_t{1} << 40;
  const auto text = fields.Text(name);
  if (!text) return;
  const auto size = Quantity::Parse(*text);
  if (size && size->Value() >= kLeast && size->Value() <= kMost) {
    into = size->Value();
    return;
  }
  fields.Refuse(name, *text, "must be an amount from 1Mi to 1Ti, such as 64Mi");
}

void SocketPath::Read(const Fields& fields, std::string_view name, std::string& into) const {
  constexpr std::size_t kLongest = 107;  // sun_path of unix(7)
  if (fields.Find(name) != nullptr && !IsSet(fields, name)) into.clear();
  const auto path = fields.AbsolutePath(name);
  if (!path) return;
  into = *path;
  if (path->size() <= kLongest) return;
  fields.Refuse(name, *path, fmt::format("must have at most {} bytes, as sockets do", kLongest));
}

void NodeName::Read(const Fields& fields, std::string_view name, std::string& into) const {
  const auto text = fields.Text(name);
  if (!text) return;
  const auto is_allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
  };
  if (!text->empty() && text->size() <= 253 && std::ranges::all_of(*text, is_allowed)) {
    into = *text;
  } else {
    fields.Refuse(name, *text,
                  "must be 1 to 253 lower-case letters, digits, '-' or '.', as host names are");
  }
}

void HookList::Read(const Fields& fields, std::string_view name,
                    std::vector<HookConfig>& into) const {
  into.clear();
  for (const Fields& hook : fields.ListOfMaps(name)) {
    into.push_back(ReadHook(hook, fmt::format("hook {}", into.size() + 1)));
  }
  if (into.size() <= kMostHooks) return;
  fields.Refuse(name, fmt::format("{} hooks", into.size()),
                fmt::format("must be at most {}", kMostHooks));
}

std::span<const std::string_view> JettisonFieldNames() {
  static const std::vector<std::string_view> all = [] {
    std::vector<std::string_view> names = NamesOf(kJettisonSettings);
    const std::vector<std::string_view> own = OwnSettingNames();
    names.insert(names.end(), own.begin(), own.end());
    names.insert(names.end(), {"apiVersion", "kind"});
    std::ranges::sort(names);
    return names;
  }();
  return all;
}

void ApplyJettisonConfiguration(const Fields& fields, AgentConfig& config, Faults& warnings) {
  const auto names = JettisonFieldNames();
  std::vector<std::string_view> allowed(names.begin(), names.end());
  for (const auto& [name, why] : kRemoved) allowed.push_back(name);
  fields.RefuseOthers(allowed);
  for (const auto& [name, why] : kRemoved) {
    const Value* removed = fields.Find(name);
    if (removed == nullptr) continue;
    AddFault(warnings, {fields.file(), fields.Key(name), Shown(*removed),
                        fmt::format("has no effect: {}", why)});
  }
  if (const Value* source = fields.Find("source");
      source != nullptr && Shown(*source) == NameOf(SourceKind::kKubernetes)) {
    config.adopt = AdoptPolicy::kEvict;
    config.profile = Profile::kKubelet;
  }
  ReadSettings(fields, kJettisonSettings, config);
  CheckSource(fields, config);
  const std::vector<Threshold> own = ReadOwnThresholds(fields, warnings);
  config.eviction.thresholds.insert(config.eviction.thresholds.end(), own.begin(), own.end());
}

}  // namespace jettison
