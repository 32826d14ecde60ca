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

#include "api/api.h"
#include "cli/ask/config_files.h"
#include "cli/commands.h"
#include "cli/doctor/doctor.h"
#include "cli/terminal/options.h"
#include "cli/terminal/output.h"
#include "core/config/read_config.h"
#include "core/explanation/text_table.h"
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

// `column`: the header of the thresholds, which says whose they are.
std::string ThresholdTable(std::string_view column, const std::vector<Threshold>& thresholds) {
  if (thresholds.empty()) return "No thresholds are set: no pod is evicted for node pressure.\n";
  TextTable table(std::vector(4, TextTable::Align::kLeft));
  table.Add({"SIGNAL", std::string(column), "GRACE", "MINIMUM RECLAIM"});
  for (const Threshold& threshold : thresholds) {
    table.Add({std::string(NameOf(threshold.signal)),
               IsPressure(threshold.signal) ? "> " + ShareText(ShareOf(threshold))
                                            : "< " + ThresholdText(threshold.value),
               threshold.IsHard() ? "hard" : FormatDuration(threshold.grace_period),
               threshold.min_reclaim ? ThresholdText(*threshold.min_reclaim) : "-"});
  }
  return table.Text(0);
}

std::string PodsFrom(const AgentConfig& config) {
  if (config.source == SourceKind::kKubernetes) return "the kubelet of this node";
  std::vector<std::string> sources;
  if (!config.static_pod_path.empty()) sources.push_back(config.static_pod_path);
  if (config.runtime == RuntimeKind::kCri && config.adopt != AdoptPolicy::kNone) {
    sources.push_back(fmt::format("foreign pods on {} (adopt: {})",
                                  config.container_runtime_endpoint, NameOf(config.adopt)));
  }
  return sources.empty() ? "nowhere: staticPodPath is not set"
                         : fmt::format("{}", fmt::join(sources, ", and "));
}

// What the operator looks for first; the rest is for programs.
std::string MainSettings(const AgentConfig& config) {
  std::vector<std::string> addresses = {config.http.socket, config.http.address};
  std::erase(addresses, "");
  return fmt::format(
      "pods from     {}\nanswers at    {}\ndry run       {}\n"
      "every setting, with its default: --output json\n",
      PodsFrom(config),
      addresses.empty() ? "nowhere" : fmt::format("{}", fmt::join(addresses, ", ")),
      config.dry_run ? "yes: nothing is evicted or reclaimed" : "no");
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
  std::string text = ThresholdTable("THRESHOLD", reading.config.eviction.thresholds);
  if (reading.kubelet_thresholds && !reading.kubelet_thresholds->empty()) {
    text += "\n" + ThresholdTable("KUBELET'S", *reading.kubelet_thresholds);
  }
  text += "\n" + MainSettings(reading.config);
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
