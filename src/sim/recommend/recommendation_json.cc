#include "core/json/json_writer.h"
#include "sim/recommend/recommendation.h"
#include "sim/report/report_fields.h"

namespace jettison {
namespace {

void PutCosts(const PolicyCosts& costs, const Prices& prices, JsonWriter& json) {
  json.Field("evictions", costs.evictions);
  json.Field("oomKills", costs.oom_kills);
  json.Field("keptFreeGibHours", costs.IdleGibHours());
  json.Field("conditionSeconds", SecondsOf(costs.condition_time));
  json.Field("podSecondsLost", SecondsOf(costs.pod_time_lost));
  json.Field("price", PriceOf(costs, prices));
}

void PutPrices(const Recommendation& all, JsonWriter& json) {
  json.Object("prices", [&] {
    json.Field("eviction", all.prices.eviction);
    json.Field("oom", all.prices.oom_kill);
    json.Field("idleGibHour", all.prices.idle_gib_hour);
  });
  json.ObjectUnlessEmpty("limits", [&] {
    json.Field("evictions", all.limits.evictions);
    json.Field("oomKills", all.limits.oom_kills);
    json.Field("keptFreeGibHours", all.limits.idle_gib_hours);
  });
}

void PutTried(const Recommendation& all, JsonWriter& json) {
  json.Objects("policies", all.tried, [&](const Recommendation::Tried& tried) {
    json.Field("name", tried.name);
    PutCosts(tried.costs, all.prices, json);
  });
  json.Array("front", [&] {
    for (const std::size_t i : all.choice.front) json.Number(i);
  });
}

void PutRequests(const std::vector<RequestAdvice>& requests, JsonWriter& json) {
  json.Objects("requests", requests, [&](const RequestAdvice& each) {
    if (!each.node.empty()) json.Field("node", each.node);
    json.Field("pod", each.pod);
    json.Field("uid", each.uid);
    json.Field("evictions", each.evictions);
    json.Field("request", each.request);
    json.Field("held95", each.usual);
    json.Field("heldMost", each.most);
    json.Field("seenSeconds", SecondsOf(each.seen));
    json.Field("says", NameOf(each.says));
    json.Field("proposal", each.proposal);
    json.Field("text", AdviceText(each));
  });
}

void PutRecordings(const Recommendation& all, const std::vector<SimulationReport>& reports,
                   JsonWriter& json) {
  json.Objects("recordings", reports, [&](const SimulationReport& report) {
    json.Field("recording", report.recording());
    WriteFields(report.facts, json);
    FieldWriter fields(json);
    fields("calibration", report.calibration);
    if (all.choice.chosen >= report.outcomes.size()) return;
    fields("outcome", report.outcomes[all.choice.chosen]);
  });
}

}  // namespace

void PutRecommendation(const Recommendation& all, JsonWriter& json) {
  PutPrices(all, json);
  json.Field("readings", all.readings);
  json.Field("error", all.error);
  json.Field("why", NameOf(all.choice.why));
  json.Field("chosen", all.choice.chosen);
  json.Strings("sentences", VerdictSentences(all));
  PutTried(all, json);
  json.Field("configuration", all.configuration);
  PutRequests(all.requests, json);
}

std::string RecommendationJson(const Recommendation& all,
                               const std::vector<SimulationReport>& reports) {
  return JsonObject([&](JsonWriter& json) {
           json.Field("apiVersion", "jettison.io/v1alpha1");
           json.Field("kind", "Recommendation");
           PutRecordings(all, reports, json);
           PutRecommendation(all, json);
         }) +
         '\n';
}

}  // namespace jettison
