#include "core/explanation/explanation_json.h"

#include "core/explanation/explanation_text.h"
#include "core/explanation/json_parts.h"
#include "core/explanation/text_sections.h"
#include "core/json/json_writer.h"

namespace jettison {
namespace {

constexpr std::string_view kKind = "Explanation";

std::string_view AboutOf(const PassExplanation& explanation) {
  return explanation.subject ? "eviction" : "pass";
}

void WriteConditions(NodeConditions conditions, JsonWriter& json) {
  json.Array("conditions", [&] {
    for (const NodeConditionType type : kAllNodeConditions) {
      if (conditions.Has(type)) json.String(NameOf(type));
    }
  });
}

void WriteReclaim(const ReclaimFacts& reclaim, JsonWriter& json) {
  if (reclaim.attempted.empty() && reclaim.memory.empty()) return;
  json.Object("reclaim", [&] {
    json.Array("attempted", [&] {
      for (const ReclaimStep step : reclaim.attempted) json.String(NameOf(step));
    });
    json.Array("errors", [&] {
      for (const std::string& error : reclaim.errors) json.String(error);
    });
    json.Field("availableBefore", reclaim.available_before);
    json.Field("availableAfter", reclaim.available_after);
    json.Array("memory", [&] {
      for (const ReclaimedMemory& taken : reclaim.memory) {
        json.Object([&] {
          json.Field("step", NameOf(taken.step));
          json.Field("group", taken.group);
          json.Field("bytes", taken.bytes);
        });
      }
    });
    json.Field("underWay", reclaim.under_way);
    json.Field("relieved", reclaim.relieved);
  });
}

void WriteEvicted(const EvictedPod& evicted, JsonWriter& json) {
  json.Object([&] {
    WritePod("pod", evicted.pod, json);
    json.Field("gracePeriodSeconds", evicted.grace_period_seconds);
    json.Field("reason", evicted.reason);
    json.Field("message", evicted.message);
    json.Object("annotations", [&] {
      for (const auto& [name, value] : evicted.annotations) json.Field(name, value);
    });
    json.Field("killError", evicted.kill_error);
    if (!evicted.counted.empty()) json.Field("counted", evicted.counted);
  });
}

void PutPause(const std::optional<PauseFacts>& pause, JsonWriter& json) {
  if (!pause) return;
  json.Object("pause", [&] {
    WritePod("pod", pause->pod, json);
    json.Field("reason", NameOf(pause->reason));
    json.Field("until", FormatInstant(pause->until));
  });
}

void PutEarlyKills(std::span<const EarlyKillFacts> kills, JsonWriter& json) {
  if (kills.empty()) return;
  json.Array("earlyKills", [&] {
    for (const EarlyKillFacts& each : kills) {
      json.Object([&] {
        WritePod("pod", each.pod, json);
        json.Field("at", FormatInstant(each.kill.at));
        json.Field("text", TextOf(each.kill));
      });
    }
  });
}

void PutHolders(std::span<const Holders> all, JsonWriter& json) {
  for (const Holders& holders : all) {
    json.Key(ResourceOf(holders.signal) == Resource::kMemory ? "memoryHeld" : "diskHeld");
    WriteHolders(holders, json);
  }
}

void WriteOtherwise(const Otherwise& otherwise, const std::string& text, JsonWriter& json) {
  json.Object([&] {
    json.Field("change", NameOf(otherwise.change));
    if (!otherwise.pod.empty()) json.Field("pod", otherwise.pod);
    if (otherwise.by != 0) json.Field("by", otherwise.by);
    if (otherwise.change != Otherwise::Change::kNoReclaim) json.Field("to", otherwise.to);
    json.Field("outcome", NameOf(otherwise.outcome));
    if (!otherwise.victim.empty()) json.Field("victim", otherwise.victim);
    if (otherwise.signal) json.Field("signal", NameOf(*otherwise.signal));
    if (otherwise.after_reclaim) json.Field("afterReclaim", true);
    if (otherwise.setting) json.Field("setting", NameOf(*otherwise.setting));
    json.Field("text", text);
  });
}

void WriteOtherwiseList(const PassExplanation& explanation, JsonWriter& json) {
  const Signal signal =
      explanation.threshold ? explanation.threshold->threshold.signal : Signal::kNodeFsAvailable;
  json.Array("otherwise", [&] {
    for (const Otherwise& otherwise : explanation.otherwise) {
      WriteOtherwise(otherwise, SentenceOf(otherwise, signal, explanation.hypothetical), json);
    }
  });
}

void WriteSurvivors(const std::vector<SurvivingPod>& survivors, JsonWriter& json) {
  if (survivors.empty()) return;
  json.Array("survivors", [&] {
    for (const SurvivingPod& survivor : survivors) {
      json.Object([&] {
        WritePod("pod", survivor.pod, json);
        json.Field("since", FormatInstant(survivor.since));
        json.Field("kills", static_cast<std::int64_t>(survivor.kills));
      });
    }
  });
}

void WriteSpared(const std::vector<SparedFacts>& pods, JsonWriter& json) {
  if (pods.empty()) return;
  json.Array("spared", [&] {
    for (const SparedFacts& spared : pods) {
      json.Object([&] {
        WritePod("pod", spared.pod, json);
        json.Field("until", FormatInstant(spared.until));
        json.Field("why", spared.why);
      });
    }
  });
}

void WriteStaleDisk(const std::vector<StalePod>& pods, JsonWriter& json) {
  if (pods.empty()) return;
  json.Array("staleDisk", [&] {
    for (const StalePod& stale : pods) {
      json.Object([&] {
        WritePod("pod", stale.pod, json);
        if (stale.measured_at) json.Field("measuredAt", FormatInstant(*stale.measured_at));
      });
    }
  });
}

// Writes what a pass did, or would do, as members of an open object.
void WritePass(const PassExplanation& explanation, JsonWriter& json) {
  json.Field("at", FormatInstant(explanation.at));
  if (!explanation.hypothetical) json.Field("pass", explanation.pass);
  if (explanation.dry_run) json.Field("dryRun", true);
  json.Field("summary", HeadlineOf(explanation));
  json.Field("outcome", NameOf(explanation.outcome));
  WriteConditions(explanation.conditions, json);
  if (explanation.signal) {
    json.Key("signal");
    WriteReading(*explanation.signal, json);
  }
  if (explanation.threshold) {
    json.Key("threshold");
    WriteThreshold(*explanation.threshold, json);
  }
  WriteThresholds(explanation.thresholds, json);
  WriteReclaim(explanation.reclaim, json);
  PutHolders(explanation.holders, json);
  PutPause(explanation.pause, json);
  WriteSpared(explanation.spared, json);
  PutEarlyKills(explanation.early_kills, json);
  WriteLimits(explanation.limits, json);
  if (explanation.order) {
    json.Object("ranking", [&] { WriteOrder(*explanation.order, json); });
  }
  WriteStaleDisk(explanation.stale_disk, json);
  json.Array("evicted", [&] {
    for (const EvictedPod& evicted : explanation.evicted) WriteEvicted(evicted, json);
  });
  WriteSurvivors(explanation.survivors, json);
  WriteOtherwiseList(explanation, json);
}

void WriteNeighbour(std::string_view name, const std::optional<RankedPod>& neighbour,
                    JsonWriter& json) {
  if (!neighbour) return;
  json.Key(name);
  WriteRankedPod(*neighbour, json);
}

void WritePlace(const PodPlace& place, JsonWriter& json) {
  json.Object([&] {
    json.Field("signal", NameOf(place.signal));
    json.Field("unit", UnitNameOf(place.signal));
    json.Field("total", place.total);
    json.Key("self");
    WriteRankedPod(place.self, json);
    WriteNeighbour("before", place.before, json);
    WriteNeighbour("after", place.after, json);
    json.Field("moreUsageToBeFirst", place.more_usage);
    json.Field("lessUsageNotToBeFirst", place.less_usage);
  });
}

}  // namespace

std::string JsonOf(const PassExplanation& explanation, std::string_view record) {
  std::string out;
  JsonWriter json(out);
  json.Object([&] {
    WriteHead(kKind, json);
    json.Field("about", AboutOf(explanation));
    if (!record.empty()) json.Field("record", record);
    if (!explanation.id.empty()) json.Field("id", explanation.id);
    if (explanation.subject) WritePod("pod", *explanation.subject, json);
    WritePass(explanation, json);
    json.Field("text", TextOf(explanation));
  });
  return out + "\n";
}

std::string JsonOf(const NodeExplanation& explanation) {
  std::string out;
  JsonWriter json(out);
  json.Object([&] {
    WriteHead(kKind, json);
    json.Field("about", "node");
    json.Field("waitingForCleanup", explanation.waiting_for_cleanup);
    WritePass(explanation.pass, json);
    json.Array("signals", [&] {
      for (const SignalReading& reading : explanation.signals) WriteReading(reading, json);
    });
    json.Array("first", [&] {
      for (const PodOrder& order : explanation.first) {
        json.Object([&] { WriteOrder(order, json); });
      }
    });
    json.Field("text", TextOf(explanation));
  });
  return out + "\n";
}

std::string JsonOf(const PodExplanation& explanation) {
  std::string out;
  JsonWriter json(out);
  json.Object([&] {
    WriteHead(kKind, json);
    json.Field("about", "pod");
    json.Field("at", FormatInstant(explanation.at));
    WritePod("pod", explanation.pod, json);
    json.Field("qosClass", NameOf(explanation.qos));
    json.Field("priority", explanation.priority);
    json.Field("mayBeEvicted", explanation.protected_by.empty());
    if (!explanation.protected_by.empty()) json.Field("protectedBy", explanation.protected_by);
    if (!explanation.activity.empty()) json.Field("activity", explanation.activity);
    json.Array("places", [&] {
      for (const PodPlace& place : explanation.places) WritePlace(place, json);
    });
    WriteLimits(explanation.limits, json);
    json.Array("evictions", [&] {
      for (const std::string& id : explanation.evictions) json.String(id);
    });
    json.Field("text", TextOf(explanation));
  });
  return out + "\n";
}

std::string JsonOf(const PodOrder& order, Instant at) {
  std::string out;
  JsonWriter json(out);
  json.Object([&] {
    WriteHead("Ranking", json);
    json.Field("at", FormatInstant(at));
    WriteOrder(order, json);
    json.Field("text", TextOf(order));
  });
  return out + "\n";
}

}  // namespace jettison
