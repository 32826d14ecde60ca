#include "core/config/hooks_configuration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "core/model/redaction.h"
#include "core/text/spelling.h"
#include "core/units/http_url.h"

namespace jettison {
namespace {

constexpr std::string_view kHooks = "hooks";
constexpr auto kHookNames =
    std::to_array<std::string_view>({"name", "when", "exec", "url", "timeout", "minInterval"});
// Each hook has a thread.
constexpr std::size_t kMostHooks = 8;
constexpr Duration kLeastTimeout = std::chrono::milliseconds(100);
constexpr Duration kMostTimeout = std::chrono::minutes(1);
constexpr Duration kMostInterval = std::chrono::hours(1);

std::vector<Occasion> OccasionsIn(const Fields& fields) {
  const auto names = fields.TextList("when");
  if (!names) return {kAllOccasions.begin(), kAllOccasions.end()};
  std::vector<std::string_view> allowed;
  for (const Occasion occasion : kAllOccasions) allowed.push_back(NameOf(occasion));
  if (names->empty()) {
    fields.Refuse("when", "[]", fmt::format("must name at least one of {}", Alternatives(allowed)));
  }
  std::vector<Occasion> occasions;
  for (const std::string& name : *names) {
    const auto found =
        std::ranges::find(kAllOccasions, name, [](Occasion occasion) { return NameOf(occasion); });
    if (found == kAllOccasions.end()) {
      fields.Refuse("when", name, fmt::format("must be one of {}", Alternatives(allowed)));
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
  hook.timeout = fields.Span("timeout", kLeastTimeout, kMostTimeout).value_or(hook.timeout);
  hook.min_interval =
      fields.Span("minInterval", Duration::zero(), kMostInterval).value_or(hook.min_interval);
  return hook;
}

}  // namespace

std::string_view NameOf(Occasion occasion) {
  switch (occasion) {
    case Occasion::kConditionChange: return "ConditionChange";
    case Occasion::kBeforeEviction: return "BeforeEviction";
    case Occasion::kAfterEviction: return "AfterEviction";
  }
  __builtin_unreachable();
}

std::vector<HookConfig> ReadHooks(const Fields& fields) {
  std::vector<HookConfig> hooks;
  for (const Fields& hook : fields.ListOfMaps(kHooks)) {
    hooks.push_back(ReadHook(hook, fmt::format("hook {}", hooks.size() + 1)));
  }
  if (hooks.size() > kMostHooks) {
    fields.Refuse(kHooks, fmt::format("{} hooks", hooks.size()),
                  fmt::format("must be at most {}", kMostHooks));
  }
  return hooks;
}

}  // namespace jettison
