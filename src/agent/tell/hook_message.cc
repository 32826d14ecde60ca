#include "agent/tell/hook_message.h"

#include "core/config/agent_config.h"
#include "core/json/json_writer.h"
#include "core/report/cycle_report.h"

namespace jettison {
namespace {

// A notice: the members that every notice has, and those that `write` adds.
template <typename Write>
std::string Notice(const NoticeHead& head, Occasion occasion, Write write) {
  std::string text;
  JsonWriter json(text);
  json.Object([&] {
    json.Field("apiVersion", "jettison.io/v1alpha1");
    json.Field("kind", "Notice");
    json.Field("type", NameOf(occasion));
    json.Field("time", FormatInstant(head.at));
    json.Field("node", head.node);
    json.Field("dryRun", head.dry_run);
    write(json);
  });
  return text;
}

void WriteEviction(std::string_view pod, const EvictionOrder& order, JsonWriter& json) {
  const auto slash = pod.find('/');
  const bool named = slash != std::string_view::npos;
  json.Object("pod", [&] {
    json.Field("namespace", named ? pod.substr(0, slash) : "");
    json.Field("name", named ? pod.substr(slash + 1) : pod);
    json.Field("uid", order.pod_uid);
  });
  json.Object("eviction", [&] {
    json.Field("reason", order.reason);
    json.Field("message", order.message);
    json.Field("gracePeriodSeconds", order.grace_period_seconds);
    json.Object("annotations", [&] {
      for (const auto& [key, value] : order.annotations) json.Field(key, value);
    });
  });
}

}  // namespace

std::string ConditionNotice(const NoticeHead& head, NodeConditionType type, bool status) {
  const NodeConditionText text = TextOf(type, status);
  return Notice(head, Occasion::kConditionChange, [&](JsonWriter& json) {
    json.Object("condition", [&] {
      json.Field("type", text.type);
      json.Field("status", text.status);
      json.Field("reason", text.reason);
      json.Field("message", text.message);
    });
  });
}

std::string BeforeEvictionNotice(const NoticeHead& head, std::string_view pod,
                                 const EvictionOrder& order) {
  return Notice(head, Occasion::kBeforeEviction,
                [&](JsonWriter& json) { WriteEviction(pod, order, json); });
}

std::string AfterEvictionNotice(const NoticeHead& head, std::string_view pod,
                                const EvictionOrder& order, bool cleaned_up) {
  return Notice(head, Occasion::kAfterEviction, [&](JsonWriter& json) {
    WriteEviction(pod, order, json);
    json.Field("cleanedUp", cleaned_up);
  });
}

}  // namespace jettison
