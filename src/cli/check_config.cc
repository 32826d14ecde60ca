#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/configz.h"
#include "cli/ask/config_files.h"
#include "cli/commands.h"
#include "cli/doctor/doctor.h"
#include "cli/terminal/options.h"
#include "cli/terminal/output.h"
#include "cli/terminal/text_line.h"
#include "core/config/read_config.h"
#include "core/json/json_writer.h"
#include "core/model/fault.h"
#include "core/model/pressure.h"
#include "core/thresholds/threshold_settings.h"

namespace jettison {
namespace {

void PutAmount(const ThresholdValue& value, std::string_view quantity, std::string_view percentage,
               JsonWriter& json) {
  if (const auto* amount = std::get_if<Quantity>(&value)) {
    return json.Field(quantity, amount->ToString());
  }
  const float fraction = std::get<Percentage>(value).fraction;
  if (std::isfinite(fraction)) return json.Field(percentage, fraction);
  json.Field(percentage, fmt::format("{}", fraction));  // JSON has no number for it
}

// What the operator wrote: the share that must not be exceeded.
std::int64_t ShareOf(const Threshold& pressure) {
  return LostOf(std::get<Quantity>(pressure.value));
}

void PutThresholds(std::string_view name, const std::vector<Threshold>& thresholds,
                   JsonWriter& json) {
  json.Objects(name, thresholds, [&](const Threshold& threshold) {
    json.Field("signal", NameOf(threshold.signal));
    if (IsPressure(threshold.signal)) {
      json.Field("operator", "GreaterThan");
      json.Field("percentage", static_cast<double>(ShareOf(threshold)) / kWholeTime);
    } else {
      json.Field("operator", "LessThan");
      PutAmount(threshold.value, "quantity", "percentage", json);
    }
    json.Field("gracePeriod", FormatDuration(threshold.grace_period));
    if (threshold.min_reclaim) {
      PutAmount(*threshold.min_reclaim, "minReclaimQuantity", "minReclaimPercentage", json);
    }
  });
}

void PutFaults(std::string_view name, const Faults& faults, JsonWriter& json) {
  json.Objects(name, faults, [&](const Fault& fault) {
    json.Field("file", fault.file);
    json.Field("key", fault.key);
    json.Field("value", fault.value);
    json.Field("message", fault.message);
  });
}

std::string Amount(const ThresholdValue& value) {
  if (const auto* amount = std::get_if<Quantity>(&value)) return amount->ToString();
  return fmt::format("{:.6g}%", std::get<Percentage>(value).fraction * 100);
}

std::string GraceOf(const Threshold& threshold) {
  return threshold.IsHard() ? "hard" : FormatDuration(threshold.grace_period);
}

// The kubelet's threshold that one of ours stands beside: of the same signal, hard or soft as ours.
const Threshold* CounterpartIn(const std::vector<Threshold>& thresholds, const Threshold& line) {
  const auto at = std::ranges::find_if(thresholds, [&line](const Threshold& other) {
    return other.signal == line.signal && other.IsHard() == line.IsHard();
  });
  return at == thresholds.end() ? nullptr : &*at;
}

std::string ThresholdTable(const std::vector<Threshold>& thresholds,
                           const std::vector<Threshold>& kubelets) {
  std::vector<std::vector<std::string>> rows;
  for (const Threshold& threshold : thresholds) {
    const Threshold* const other = CounterpartIn(kubelets, threshold);
    rows.push_back({std::string(NameOf(threshold.signal)),
                    IsPressure(threshold.signal) ? "> " + ShareText(ShareOf(threshold))
                                                 : "< " + Amount(threshold.value),
                    other == nullptr ? "" : "< " + Amount(other->value), GraceOf(threshold),
                    threshold.min_reclaim ? Amount(*threshold.min_reclaim) : "-"});
  }
  for (const Threshold& threshold : kubelets) {
    if (CounterpartIn(thresholds, threshold) != nullptr) continue;
    rows.push_back({std::string(NameOf(threshold.signal)), "-", "< " + Amount(threshold.value),
                    GraceOf(threshold), "the kubelet's only"});
  }
  if (rows.empty()) return "No thresholds are set: no pod is evicted for node pressure.\n";
  return TableText(
      {"SIGNAL", "THRESHOLD", kubelets.empty() ? "" : "KUBELET", "GRACE", "MINIMUM RECLAIM"}, rows);
}

std::string Reserved(const NodeReservation& reservation) {
  std::string text;
  for (const auto& [who, list] : {std::pair("kube", &reservation.kube_reserved),
                                  std::pair("system", &reservation.system_reserved)}) {
    for (const auto& [resource, amount] : *list) {
      text +=
          fmt::format("{}{} {} ({})", text.empty() ? "" : ", ", amount.ToString(), resource, who);
    }
  }
  return text.empty() ? "nothing" : text;
}

std::string Images(const AgentConfig& config) {
  const bool beside_kubelet = config.source == SourceKind::kKubernetes;
  if (beside_kubelet && !config.kubernetes.collect_images) return "the kubelet's";
  const ImageGcPolicy& policy = config.image_gc;
  std::string text;
  if (beside_kubelet) {
    text = fmt::format("the kubelet's; Jettison's at {}, ", config.container_runtime_endpoint);
  }
  text += fmt::format("from {}% down to {}% of the image file system, images at least {} old",
                      policy.high_threshold_percent, policy.low_threshold_percent,
                      FormatDuration(policy.min_age));
  if (policy.max_age == Duration::zero()) return text;
  return text + fmt::format("; images unused for {} at any time", FormatDuration(policy.max_age));
}

std::string Logs(const ContainerLogPolicy& logs, bool beside_kubelet) {
  if (beside_kubelet) return fmt::format("{}, the kubelet rotates them", logs.directory);
  if (!logs.max_size_bytes) return fmt::format("{}, never rotated", logs.directory);
  return fmt::format("{}, {} files of {} each", logs.directory, logs.max_files,
                     Quantity::Of(*logs.max_size_bytes).ToString());
}

std::string Or(const std::string& text, std::string_view otherwise) {
  return text.empty() ? std::string(otherwise) : text;
}

std::string Http(const HttpConfig& http) {
  std::vector<std::string> ways;
  if (!http.socket.empty()) ways.push_back(http.socket);
  if (!http.address.empty()) {
    std::vector<std::string_view> keys = {http.tls_cert_file.empty() ? "plain" : "TLS"};
    if (!http.client_ca_file.empty()) keys.emplace_back("client certificate");
    if (!http.bearer_token_file.empty()) keys.emplace_back("token");
    if (http.WantsOwnToken()) keys.emplace_back("a token that the agent makes");
    if (keys.size() == 1 && http.allow_any_local_user) keys.emplace_back("any local user");
    ways.push_back(fmt::format("{} ({})", http.address, fmt::join(keys, ", ")));
  }
  return ways.empty() ? "nowhere" : fmt::format("{}", fmt::join(ways, ", "));
}

std::string Kubernetes(const KubernetesConfig& kubernetes) {
  return fmt::format(
      "the kubelet of this node, with the rights of {}; pods of DaemonSets are {}; pods of Jobs "
      "are ended with SIG{}; soft evictions use pods/eviction, at most {} an hour and {} apart",
      Or(kubernetes.kubeconfig, "the service account"),
      kubernetes.evict_daemon_sets ? "evicted" : "not evicted",
      kubernetes.jobs == JobEnding::kKill ? "KILL" : "TERM", kubernetes.soft_evictions_per_hour,
      FormatDuration(kubernetes.soft_eviction_cool_down));
}

// Pods of others on the same container runtime; empty: they are ignored.
std::string Foreign(const AgentConfig& config) {
  if (config.runtime != RuntimeKind::kCri || config.adopt == AdoptPolicy::kNone) return "";
  return fmt::format("foreign pods on {} (adopt: {})", config.container_runtime_endpoint,
                     NameOf(config.adopt));
}

std::string PodsFrom(const AgentConfig& config) {
  if (config.source == SourceKind::kKubernetes) return Kubernetes(config.kubernetes);
  const std::string foreign = Foreign(config);
  if (config.static_pod_path.empty()) {
    return Or(foreign, "nowhere: staticPodPath is not set");
  }
  return config.static_pod_path + (foreign.empty() ? "" : ", and " + foreign);
}

std::string EvictedPods(const AgentConfig& config) {
  if (config.source == SourceKind::kKubernetes) {
    return "are replaced by their controllers in the cluster";
  }
  const bool evicts_foreign = !Foreign(config).empty() && config.adopt == AdoptPolicy::kEvict;
  if (config.static_pod_path.empty()) {
    return evicts_foreign ? "are not started again by this agent" : "none: no pod may be evicted";
  }
  return fmt::format("start again after a back-off of {}, which grows to {}{}",
                     FormatDuration(config.eviction_backoff.initial),
                     FormatDuration(config.eviction_backoff.max),
                     evicts_foreign ? "; foreign ones are not started again by this agent" : "");
}

std::string Settings(const AgentConfig& config) {
  const EvictionPolicy& eviction = config.eviction;
  const bool beside_kubelet = config.source == SourceKind::kKubernetes;
  const std::vector<std::pair<std::string_view, std::string>> lines = {
      {"pressure conditions", fmt::format("stay true for {} after a threshold was last met",
                                          FormatDuration(eviction.pressure_transition_period))},
      {"soft evictions", eviction.max_pod_grace_period_seconds < 0
                             ? "give a pod its own grace period"
                             : fmt::format("give a pod a grace period of at most {} s",
                                           eviction.max_pod_grace_period_seconds)},
      {"local storage limits",
       eviction.local_storage_capacity_isolation ? "enforced" : "not enforced"},
      {"watch", fmt::format("every {}{}", FormatDuration(config.monitoring_interval),
                            config.kernel_memcg_notification
                                ? ", and at once when the kernel reports a crossed memory threshold"
                                : "")},
      {"reserved", Reserved(config.reservation)},
      {"limit on all pods", beside_kubelet ? "the kubelet's"
                            : config.reservation.enforce_pods
                                ? "the capacity minus what is reserved"
                                : "none"},
      {"image collection", Images(config)},
      {"container logs", Logs(config.logs, beside_kubelet)},
      {"node", fmt::format("{}, nodefs is the file system of {}",
                           Or(config.node_cgroup, "the whole machine"), config.node_fs)},
      {"pods from", PodsFrom(config)},
      {"profile", fmt::format("{}, runtime {}, files in {}", NameOf(config.profile),
                              NameOf(config.runtime), config.root)},
      {"evicted pods", EvictedPods(config)},
      {"answers at", Http(config.http)},
      {"dry run", config.dry_run ? "yes: nothing is evicted or reclaimed" : "no"},
  };
  std::string text;
  for (const auto& [name, value] : lines) text += fmt::format("{:<22}{}\n", name, value);
  return text;
}

std::string Lines(std::string_view kind, const Faults& faults) {
  std::string text;
  for (const Fault& fault : faults) text += fmt::format("{}: {}\n", kind, Describe(fault));
  return text;
}

// Why this configuration cannot be run.
Faults AllFaults(const ConfigReading& reading) {
  Faults faults = reading.faults;
  faults.insert(faults.end(), reading.not_above_kubelet.begin(), reading.not_above_kubelet.end());
  return faults;
}

// For programs: the thresholds as parsed (containerfs.* not yet replaced), those of the kubelet
// beside, percentages as fractions, the whole configuration in the form of /configz, what holds
// from which drop-in, warnings and faults. Where there are faults it has neither thresholds of its
// own nor the configuration.
std::string ConfigAsJson(const ConfigReading& reading) {
  const EvictionPolicy& eviction = reading.config.eviction;
  const Faults faults = AllFaults(reading);
  std::string text;
  JsonWriter json(text, 2);
  json.Object([&] {
    PutThresholds("thresholds", faults.empty() ? eviction.thresholds : std::vector<Threshold>{},
                  json);
    if (reading.kubelet_thresholds) {
      PutThresholds("kubeletThresholds", *reading.kubelet_thresholds, json);
    }
    json.Field("pressureTransitionPeriod", FormatDuration(eviction.pressure_transition_period));
    json.Field("maxPodGracePeriodSeconds", eviction.max_pod_grace_period_seconds);
    if (faults.empty()) WriteConfigz(reading.config, json);
    if (!reading.drop_ins.empty()) {
      json.Objects("dropIns", reading.drop_ins, [&](const DropInReading& drop_in) {
        json.Field("file", drop_in.file);
        json.Strings("fields", drop_in.fields);
      });
    }
    PutFaults("warnings", reading.warnings, json);
    PutFaults("faults", faults, json);
  });
  return text + "\n";
}

// The same for people: the policy as tables and sentences, or the faults, one a line.
std::string ConfigAsText(const ConfigReading& reading) {
  const std::string warnings = Lines("warning", reading.warnings);
  if (const Faults faults = AllFaults(reading); !faults.empty()) {
    const std::size_t count = faults.size();
    return Lines("fault", faults) + warnings +
           fmt::format("{} fault{}: the agent cannot run with this configuration.\n", count,
                       count == 1 ? "" : "s");
  }
  std::string text = ThresholdTable(reading.config.eviction.thresholds,
                                    reading.kubelet_thresholds.value_or(std::vector<Threshold>{}));
  text += "\n" + Settings(reading.config);
  if (!reading.drop_ins.empty()) text += "\nDROP-IN: FIELDS IN FORCE FROM IT\n";
  for (const DropInReading& drop_in : reading.drop_ins) {
    text +=
        fmt::format("{}: {}\n", drop_in.file,
                    drop_in.fields.empty() ? "no field in force"
                                           : fmt::format("{}", fmt::join(drop_in.fields, ", ")));
  }
  return text + (warnings.empty() ? "" : "\n" + warnings);
}

struct CheckConfigOptions {
  ConfigSources sources;
  std::string output = "text";
  bool on_this_host = false;
};

int RunCheckConfig(const CheckConfigOptions& options) {
  ConfigReading reading = ConfigRereader(options.sources).ReadFirst();
  if (options.on_this_host && reading.faults.empty()) {
    const AgentConfig& config = reading.config;
    for (const Fault& unfit :
         CheckAlwaysMet(config.eviction.thresholds, CapacitiesOfThisHost(config))) {
      AddFault(reading.warnings, unfit);
    }
  }
  const int printed = options.output == "json" ? PrintData(ConfigAsJson(reading))
                                               : PrintText(ConfigAsText(reading));
  if (printed != 0) return printed;
  if (reading.unread) return kExitFailed;
  return AllFaults(reading).empty() ? 0 : kExitInvalidInput;
}

constexpr const char* kCheckConfigFooter =
    "FILE holds KubeletConfiguration and JettisonConfiguration documents, in YAML or JSON. The\n"
    "files are read together, as `jettison run --config` reads them. Drop-ins are merged over\n"
    "them: the files in DIR whose names end in .yaml, .yml, .json or .conf, in the order of their\n"
    "names. With source: kubernetes, the kubelet's own configuration is read as well, from its\n"
    "file or through the API server.\n"
    "\n"
    "Examples:\n"
    "  jettison check-config kubelet.yaml jettison.yaml\n"
    "  jettison check-config /etc/jettison/jettison.yaml --config-dir /etc/jettison/conf.d\n"
    "  jettison check-config --output json config.yaml | jq .thresholds\n"
    "  kubectl get --raw /api/v1/nodes/N/proxy/configz | jq '.kubeletconfig\n"
    "    + {kind: \"KubeletConfiguration\", apiVersion: \"kubelet.config.k8s.io/v1beta1\"}' |\n"
    "    jettison check-config -\n"
    "\n"
    "Exit status: 0 the configuration is valid, though there may be warnings; 1 a file could not\n"
    "be read; 2 the configuration is faulty, or wrong usage.";

}  // namespace

void AddCheckConfig(CLI::App& app, int& exit_code) {
  const auto [command, options] =
      AddCommand(app, exit_code, "check-config", "Show the effective policy, or every fault",
                 kCheckConfigFooter, RunCheckConfig);
  options.sources.dash_is_standard_input = true;
  command.add_option("FILE", options.sources.files, "configuration files; - reads standard input")
      ->type_name("FILE")
      ->required();
  AddConfigDir(command, options.sources.drop_ins);
  command.add_flag("--on-this-host", options.on_this_host,
                   "warn of thresholds that this host always meets, because its capacity is less");
  AddOutput(command, options.output);
}

}  // namespace jettison
