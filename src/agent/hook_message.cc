#include "agent/hook_message.h"

#include <nlohmann/json.hpp>

#include "config/hooks_configuration.h"
#include "report/cycle_report.h"

namespace jettison {
namespace {

using Json = nlohmann::ordered_json;

Json Begin(const NoticeHead& head, Occasion occasion) {
  return {{"apiVersion", "jettison.io/v1alpha1"}, {"kind", "Notice"},  {"type", NameOf(occasion)},
          {"time", FormatInstant(head.at)},       {"node", head.node}, {"dryRun", head.dry_run}};
}

// A message may quote bytes that are no UTF-8; they are replaced.
std::string Text(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void AddEviction(Json& notice, std::string_view pod, const EvictionOrder& order) {
  const auto slash = pod.find('/');
  const bool named = slash != std::string_view::npos;
  notice["pod"] = {{"namespace", named ? pod.substr(0, slash) : ""},
                   {"name", named ? pod.substr(slash + 1) : pod},
                   {"uid", order.pod_uid}};
  notice["eviction"] = {{"reason", order.reason},
                        {"message", order.message},
                        {"gracePeriodSeconds", order.grace_period_seconds},
                        {"annotations", Json::object()}};
  for (const auto& [key, value] : order.annotations) notice["eviction"]["annotations"][key] = value;
}

}  // namespace

std::string ConditionNotice(const NoticeHead& head, NodeConditionType type, bool status) {
  Json notice = Begin(head, Occasion::kConditionChange);
  const NodeConditionText text = TextOf(type, status);
  notice["condition"] = {{"type", text.type},
                         {"status", text.status},
                         {"reason", text.reason},
                         {"message", text.message}};
  return Text(notice);
}

std::string BeforeEvictionNotice(const NoticeHead& head, std::string_view pod,
                                 const EvictionOrder& order) {
  Json notice = Begin(head, Occasion::kBeforeEviction);
  AddEviction(notice, pod, order);
  return Text(notice);
}

std::string AfterEvictionNotice(const NoticeHead& head, std::string_view pod,
                                const EvictionOrder& order, bool cleaned_up) {
  Json notice = Begin(head, Occasion::kAfterEviction);
  AddEviction(notice, pod, order);
  notice["cleanedUp"] = cleaned_up;
  return Text(notice);
}

}  // namespace jettison
